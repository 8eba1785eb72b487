/**
 * Credits are multiples of 2^-40. Such a binary fraction is exact as a JavaScript number, and so is every sum
 * of them up to 8,192, in any order: the credits of one outcome add up to exactly 1, here, in SQL or in a
 * spreadsheet. The step, 9·10^-13, is far below the precision of any model.
 */
export const unitsPerCredit = 2 ** 40

/**
 * Converts weights into credits by largest remainder: what rounding down leaves goes to those who lost most,
 * and among equals to the earlier. Without a positive weight all share equally.
 */
export function unitsOf(weights: readonly number[]): number[] {
  if (weights.length === 0) return []
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) =>
    total > 0 ? (weight / total) * unitsPerCredit : unitsPerCredit / weights.length,
  )
  const units = exact.map(Math.floor)
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((left, right) => right.remainder - left.remainder || left.index - right.index)
  let rest = unitsPerCredit - units.reduce((sum, each) => sum + each, 0)
  for (let at = 0; rest > 0; at = (at + 1) % byRemainder.length) {
    const index = byRemainder[at]?.index ?? 0
    units[index] = (units[index] ?? 0) + 1
    rest--
  }
  // Division rounds to nearest, so the sum can also be a unit too high.
  for (let at = byRemainder.length - 1; rest < 0; at = (at + byRemainder.length - 1) % byRemainder.length) {
    const index = byRemainder[at]?.index ?? 0
    if ((units[index] ?? 0) === 0) continue
    units[index] = (units[index] ?? 0) - 1
    rest++
  }
  return units
}

/** As callers see it: the sum over the touchpoints of an outcome is exactly 1. */
export function creditOf(units: number): number {
  return units / unitsPerCredit
}

/**
 * Shares of an integer amount, given by units of credit, that add up to the amount again. Amounts are
 * integers of a small unit of money; both may exceed what a number stores exactly.
 */
export function splitAmount(amount: bigint, units: readonly bigint[]): bigint[] {
  const total = units.reduce((sum, each) => sum + each, 0n)
  if (total === 0n) return units.map(() => 0n)
  const sign = amount < 0n ? -1n : 1n
  const whole = amount * sign
  const parts = units.map((each) => (whole * each) / total)
  const byRemainder = units
    .map((each, index) => ({ index, remainder: (whole * each) % total }))
    .sort((left, right) =>
      left.remainder === right.remainder
        ? left.index - right.index
        : left.remainder < right.remainder
          ? 1
          : -1,
    )
  let rest = whole - parts.reduce((sum, each) => sum + each, 0n)
  for (const { index } of byRemainder) {
    if (rest === 0n) break
    parts[index] = (parts[index] ?? 0n) + 1n
    rest -= 1n
  }
  return parts.map((part) => part * sign)
}
