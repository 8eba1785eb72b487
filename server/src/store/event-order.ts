/** From 1900, where the column of times begins, 44 bits of milliseconds reach beyond its end. */
const epochOffsetMs = 2_208_988_800_000
const arrivalBits = 53
const tieBits = 30
const power = (bits: number) => (2n ** BigInt(bits)).toString()

/**
 * The order of events as one number: by time, then by arrival. The store compares a number several times as fast as a
 * tuple. Two nodes may give the same arrival; then a hash of the value that is taken from an event decides, so that
 * every read takes the same one. `isLast` puts events after all others.
 */
export function eventOrder(value: string, isLast?: string): string {
  const time = `toUInt128(toUnixTimestamp64Milli(ts) + ${epochOffsetMs})`
  const arrival = `bitAnd(arrival, ${power(arrivalBits)} - 1)`
  const tie = `bitAnd(cityHash64(${value}), ${power(tieBits)} - 1)`
  const order = `(${time} * toUInt128('${power(arrivalBits + tieBits)}')
        + toUInt128(${arrival}) * ${power(tieBits)} + ${tie})`
  return isLast === undefined ? order : `(toUInt128(${isLast}) * toUInt128('${power(127)}') + ${order})`
}
