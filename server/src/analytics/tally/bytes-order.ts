/** Characters that UTF-16 and UTF-8 do not put into the same order. */
const high = /[\ud800-\uffff]/

/** As the store orders texts. */
export function byBytes(one: string, other: string): number {
  if (high.test(one) || high.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : one > other ? 1 : 0
}
