import { createHash } from 'node:crypto'
import { byCodeUnit } from './text.ts'

/**
 * Letters kept in identifiers: Latin, Greek, Cyrillic, kana, Han and Hangul blocks that have stood unchanged
 * since Unicode 6, so that TypeScript, Python and Swift of any age agree that they are letters.
 */
const separators = /[^a-z0-9ß-öø-ÿā-žά-ώа-џぁ-ゖァ-ヺー一-鿋가-힣]+/u

/** The lower-case words of a name: those of `$orderCompleted` and of `Order-completed` are the same two. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKC')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFKC')
    .split(separators)
    .filter((word) => word !== '')
}

/** Words that can begin an identifier; `noun` stands in when nothing is left, and before a digit. */
export function identifierWords(name: string, noun: string): string[] {
  const words = wordsOf(name)
  return /^\d/.test(words[0] ?? '0') ? [noun, ...words] : words
}

export function snakeCase(words: readonly string[]): string {
  return words.join('_')
}

export function pascalCase(words: readonly string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

export function camelCase(words: readonly string[]): string {
  return (words[0] ?? '') + pascalCase(words.slice(1))
}

/** The name of one element of a list: `line_items` → line item. */
export function singular(words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  const rest = words.slice(0, -1)
  if (/[^aeiou]ies$/.test(last)) return [...rest, `${last.slice(0, -3)}y`]
  if (/(ss|us|x|ch|sh)es$/.test(last)) return [...rest, last.slice(0, -2)]
  if (/[^su]s$/.test(last)) return [...rest, last.slice(0, -1)]
  return [...words, 'item']
}

type Wish = {
  /** What is being named; unique among the wishes. */
  source: string
  identifier: string
  /** The lowest rank keeps an identifier that several want; on a tie none does. */
  rank: number
}

/**
 * Gives every source an identifier of its own. Where several wish for the same one, those who do not get it
 * carry a piece of their source's hash, so that a name depends on what it stands for, never on the order of
 * the list nor on how many rivals there are.
 */
export function allocate(wishes: readonly Wish[]): ReadonlyMap<string, string> {
  const rivals = Map.groupBy(wishes, (wish) => wish.identifier)
  const given = new Map<string, string>()
  const unlucky: Wish[] = []
  for (const group of rivals.values()) {
    const [best, ...others] = group.toSorted((left, right) => left.rank - right.rank)
    if (best === undefined) continue
    if (others.every((other) => other.rank > best.rank)) given.set(best.source, best.identifier)
    else unlucky.push(best)
    unlucky.push(...others)
  }
  const taken = new Set(rivals.keys())
  for (const wish of unlucky.toSorted((left, right) => byCodeUnit(left.source, right.source))) {
    const identifier = withHash(wish, taken)
    taken.add(identifier)
    given.set(wish.source, identifier)
  }
  return given
}

/** Eight hexadecimal digits distinguish billions of names; more are used on a collision. */
const hashDigits = 8

function withHash({ identifier, source }: Wish, taken: ReadonlySet<string>): string {
  const hash = createHash('sha256').update(source).digest('hex')
  for (let digits = hashDigits; digits < hash.length; digits += 1) {
    const candidate = `${identifier}_${hash.slice(0, digits)}`
    if (!taken.has(candidate)) return candidate
  }
  return `${identifier}_${hash}`
}

/** Whether the name is already as snake_case would write it. */
export function isPlain(name: string): boolean {
  return snakeCase(wordsOf(name)) === name
}

/** Names the members of one scope: a name already in snake_case goes before others that look like it. */
export function nameMembers(
  names: readonly string[],
  identify: (words: readonly string[]) => string,
  noun: string,
): (name: string) => string {
  const wishes = names.map((name) => {
    const words = identifierWords(name, noun)
    return { source: JSON.stringify(name), identifier: identify(words), rank: isPlain(name) ? 0 : 1 }
  })
  const identifiers = allocate(wishes)
  return (name) => identifiers.get(JSON.stringify(name)) ?? identify(identifierWords(name, noun))
}
