/**
 * Maximum length of stored text: the longest URL that browsers, proxies and mail programs pass on intact is
 * about 2 KB.
 */
export const textCharsMax = 2_048

/** Text from untrusted JSON: whole characters, bounded; anything that is not text or a number is empty. */
export function textOf(value: unknown, charsMax: number = textCharsMax): string {
  if (typeof value === 'string') return boundText(value, charsMax)
  // Campaign names and app versions such as 2024 or 1.5 arrive as numbers from hand-written calls.
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return ''
}

/** Truncates at a whole character; the events store's JSON reader refuses a lone surrogate. */
export function boundText(text: string, charsMax: number = textCharsMax): string {
  const short = text.length > charsMax ? text.slice(0, charsMax) : text
  if (short.isWellFormed()) return short
  // The truncation itself may have split a pair: drop that half instead of replacing it.
  const last = short.charCodeAt(short.length - 1)
  const wasSplit = text.length > charsMax && last >= 0xd800 && last <= 0xdbff
  return (wasSplit ? short.slice(0, -1) : short).toWellFormed()
}

export type Members = Readonly<Record<string, unknown>>

const none: Members = Object.freeze({})

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/** The members of an object from untrusted JSON; none for anything else. */
export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : none
}
