import { isRecord } from '@assay/contract'

/** A shorter text is found in others by chance, so it counts only as a whole value. */
const plainCharactersMin = 6
const naming =
  /user|customer|person|anonymous|visitor|client|account|contact|member|buyer|email|phone|device/i

/** Longer texts are looked for by their beginning: an identifier has at most 512 characters. */
const valueCharactersMax = 512

/** The form in which texts are compared: stores replace half surrogate pairs and refuse NUL, and case is ignored. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .normalize('NFC')
    .toLowerCase()
}

const asciiLower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * What to look for in texts of the events store, whose `lower` knows ASCII only: each value in its own, in lower and in
 * upper case, and as JSON may write it.
 */
export function searchTexts(values: readonly string[]): string[] {
  const texts = values
    .map((value) => value.slice(0, valueCharactersMax).toWellFormed())
    .filter((value) => value.length >= plainCharactersMin)
    .flatMap((value) => [value, value.toLowerCase(), value.toUpperCase()])
    .flatMap((value) => [value, ...jsonSpellings(value)])
  return [...new Set(texts.map(asciiLower))]
}

/** As `JSON.stringify` writes it, as the log does, which escapes the replacement character, and in ASCII only. */
function jsonSpellings(value: string): string[] {
  const usual = JSON.stringify(value).slice(1, -1)
  const ascii = usual.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [usual, usual.replaceAll('\ufffd', '\\ufffd'), ascii, ascii.replaceAll('/', '\\/')]
}

/** Whether a value somewhere in a JSON text is one of these, or a longer text holds one of them. */
export function mentions(text: string, values: readonly string[]): boolean {
  const wanted = values
    .map((value) => plain(value.slice(0, valueCharactersMax)))
    .filter((value) => value !== '')
  // A list of what is still to be looked at, since a text may be nested deeper than calls can be.
  const open: { found: unknown; isNamed: boolean }[] = [{ found: parsed(text), isNamed: false }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { found, isNamed } = next
    if (Array.isArray(found)) for (const one of found) open.push({ found: one, isNamed })
    else if (isRecord(found)) {
      for (const [key, value] of Object.entries(found)) {
        if (isOneOf(key, wanted, false)) return true
        open.push({ found: value, isNamed: isNamed || naming.test(key) })
      }
    } else if (typeof found === 'string' || typeof found === 'number') {
      if (isOneOf(String(found), wanted, isNamed)) return true
    }
  }
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isOneOf(text: string, wanted: readonly string[], isNamed: boolean): boolean {
  const found = plain(text)
  return wanted.some((value) =>
    value.length >= plainCharactersMin ? found.includes(value) : isNamed && found === value,
  )
}

/** Shorter runs of plain characters would be found in most texts. */
const anchorCharactersMin = 4

/** A part of each value that every spelling of it contains, in lower case: a text without it does not name them. */
export function anchorsOf(values: readonly string[]): string[] {
  const anchors = values.flatMap((value) => {
    const cut = value.slice(0, valueCharactersMax).toWellFormed()
    // Without characters that JSON escapes, and only ASCII: stores differ in the case of other letters.
    const runs = cut.match(/[ !#-.0-[\]-~]+/g) ?? []
    const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
    if (longest.length >= Math.min(anchorCharactersMin, cut.length)) return [longest]
    return [cut, cut.toLowerCase(), cut.toUpperCase()].flatMap((one) => jsonSpellings(one))
  })
  return [...new Set(anchors.map(asciiLower))].filter((anchor) => !anchor.includes('\0'))
}
