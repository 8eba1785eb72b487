import { isUtf8 } from 'node:buffer'

/** What a scan returns where the text is not of the form that it reads; no value ends at the first byte. */
export const unread = 0

export const quote = 34
export const backslash = 92
export const firstPrintable = 32
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/**
 * From behind the opening quote: the position of the closing one; its complement if there are escapes before it.
 * The bytes end in a newline, which ends every scan.
 */
export function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (byte === backslash) return ~endOfEscaped(bytes, at)
    if (byte < firstPrintable) return unread
  }
}

function endOfEscaped(bytes: Uint8Array, start: number): number {
  let at = start
  for (;;) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    // A backslash takes the next byte with it, but not the end of the line.
    if (byte < firstPrintable || (byte === backslash && (bytes[at + 1] ?? 0) < firstPrintable)) return unread
    at += byte === backslash ? 2 : 1
  }
}

/** Deeper than any body that is taken. */
const depthMax = 255
/** The closing byte of each level that is open. */
const closing = new Uint8Array(depthMax + 1)

/** From an opening brace or bracket: the position behind the closing one. */
export function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; ; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      const end = endOfText(bytes, at + 1)
      at = end < 0 ? ~end : end
      if (at === unread) return unread
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === depthMax) return unread
      closing[depth] = byte === openBrace ? closeBrace : closeBracket
      depth += 1
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1
      if (closing[depth] !== byte) return unread
      if (depth === 0) return at + 1
    } else if (byte < firstPrintable) return unread
  }
}

export function isNestedAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === openBrace || bytes[at] === openBracket
}

export function isTextAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === quote
}

/** A text with escapes, with its quotes, as the bytes that it stands for; null if there are none. */
export function unescaped(quoted: Uint8Array): Uint8Array | null {
  if (!isUtf8(quoted)) return null
  try {
    const text: unknown = JSON.parse(Buffer.from(quoted.buffer, quoted.byteOffset, quoted.length).toString())
    return typeof text === 'string' && text.isWellFormed() ? Buffer.from(text) : null
  } catch {
    return null
  }
}
