/** Every line end that any of the three languages, or an editor, takes for one. */
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Control characters end a file or a token; bidirectional marks make a comment read as code. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** What a string literal shows by its number: all that is invisible, and every blank but the plain space. */
const shownByNumber = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

/**
 * The lines of a description, safe to follow a comment mark. Descriptions are written by anyone who may edit
 * the registry and are read by a compiler elsewhere, so they are treated as hostile.
 */
export function commentLines(text: string): string[] {
  const lines = text
    .toWellFormed()
    .split(lineEnds)
    .map((line) => line.replace(unprintable, ' ').trimEnd())
  const first = lines.findIndex((line) => line !== '')
  const last = lines.findLastIndex((line) => line !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}

/** A description as one line, for places that hold no more. */
export function commentLine(text: string): string {
  return commentLines(text)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** `text` between `quote`s, with what a language cannot hold there written by number. */
export function quoted(text: string, quote: "'" | '"', byNumber: (codePoint: number) => string): string {
  const body = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replace(shownByNumber, (character) => byNumber(character.codePointAt(0) ?? 0))
  return quote + body + quote
}

/** Indents every line that is not empty. */
export function indented(lines: readonly string[], depth = 1, unit = '    '): string[] {
  return lines.map((line) => (line === '' ? '' : unit.repeat(depth) + line))
}

export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
