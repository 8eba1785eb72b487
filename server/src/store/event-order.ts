import { crc32 } from 'node:zlib'

/** From 1900, where the column of times begins, 44 bits of milliseconds reach beyond its end. */
const epochOffsetMs = 2_208_988_800_000
const arrivalBits = 53
const tieBits = 30
const power = (bits: number) => (2n ** BigInt(bits)).toString()
/** A difference in SQL would be signed, and so would be the order: events that come last would come first. */
const mask = (bits: number) => (2n ** BigInt(bits) - 1n).toString()

/**
 * The order of events as one number: by time, then by arrival. The store compares a number several times as fast as a
 * tuple. Two nodes may give the same arrival; then a sum of the value that is taken from an event decides, so that
 * every read takes the same one. `isLast` puts events after all others.
 */
export function eventOrder(value: string, isLast?: string): string {
  const time = `toUInt128(toUnixTimestamp64Milli(ts) + ${epochOffsetMs})`
  const arrival = `bitAnd(arrival, ${mask(arrivalBits)})`
  const order = `(${time} * toUInt128('${power(arrivalBits + tieBits)}')
        + toUInt128(${arrival}) * ${power(tieBits)} + ${tieNumber(value)})`
  return isLast === undefined ? order : `(toUInt128(${isLast}) * toUInt128('${power(127)}') + ${order})`
}

/** Which of two events of the same time and arrival is the first, as a number of their values. */
export const tieNumber = (value: string) => `bitAnd(CRC32(${value}), ${mask(tieBits)})`

/** The same of a text that is not in the store. */
export const tieOf = (text: string) => crc32(text) & (2 ** tieBits - 1)
