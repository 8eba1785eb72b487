const unitsPerOne = 10_000n

/** An amount in ten-thousandths as the store writes it. */
export function decimalText(units: bigint): string {
  const [sign, size] = units < 0n ? ['-', -units] : ['', units]
  return `${sign}${size / unitsPerOne}.${String(size % unitsPerOne).padStart(4, '0')}`
}
