import fc from 'fast-check'

/** Neither of a pair of surrogates is a character of its own. */
const surrogates = { first: 0xd800, count: 0x800 }
const lastCodePoint = 0x10ffff

/**
 * The characters of `fc.string({ unit: 'binary' })`, with the same strings for the same seed. That one makes a map of
 * all the million characters: a second of a core, and 145 MB that each later collection of garbage looks through.
 */
export const anyCharacter = fc
  .nat({ max: lastCodePoint - surrogates.count })
  .map(characterAt, (value) => (typeof value === 'string' ? placeOf(value) : refuse()))

function characterAt(place: number): string {
  return String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count)
}

function placeOf(text: string): number {
  const codePoint = text.codePointAt(0)
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== text || !text.isWellFormed())
    return refuse()
  return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count
}

/** As fast-check asks for it: what throws was not made here. */
function refuse(): never {
  throw new Error('This is not one character')
}
