import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Regions of countries by their ISO 3166-2 codes (`DE-BE`), with English names, from Unicode's locale data. A code that
 * the data does not know has no name, and is a code all the same: the data is renewed with the product.
 */

/** The name of a region, or empty. */
export function regionName(code: string): string {
  return table().names.get(code) ?? ''
}

/** The code of a region: `BE`, `DE-BE` or the code before a reform. Empty for what cannot be one. */
export function regionOfCode(country: string, text: string): string {
  const code = text.trim().toUpperCase()
  const own = code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code
  if (!/^[A-Z\d]{1,3}$/.test(own)) return ''
  return table().successors.get(`${country}-${own}`) ?? `${country}-${own}`
}

/** The code of a region that is known by its name or its code; empty where neither is known. */
export function regionOfText(country: string, text: string): string {
  const { names, byName, byRoot } = table()
  const code = regionOfCode(country, text)
  if (names.has(code)) return code
  if (text.length > nameCharactersMax) return ''
  const named = (words: string) => `${country} ${words}`
  const plain = plainWords(text)
  return byName.get(named(plain)) ?? byRoot.get(named(rootOf(plain))) ?? ''
}

/** Codes of regions whose names contain a text, in any case. */
export function regionsNamed(part: string): string[] {
  const wanted = plainWords(part)
  if (wanted === '') return []
  return [...table().names].flatMap(([code, name]) => (plainWords(name).includes(wanted) ? [code] : []))
}

/** The longest name has 58. */
const nameCharactersMax = 100

type Table = {
  names: ReadonlyMap<string, string>
  /** Codes that were replaced, by the one that took their place. */
  successors: ReadonlyMap<string, string>
  byName: ReadonlyMap<string, string>
  /** Names without words such as “Province”; one that two regions share is left out. */
  byRoot: ReadonlyMap<string, string>
}

let read: Table | null = null

/** Read with the first question: it takes a tenth of a second, and many installations have no regions. */
function table(): Table {
  read ??= readTable()
  return read
}

function readTable(): Table {
  const { subdivisionAlias } = aliasFile().supplemental.metadata.alias
  const successors = new Map(
    Object.entries(subdivisionAlias).flatMap(([key, { _replacement }]) =>
      /^[a-z]{2}[a-z\d]{1,3}$/.test(_replacement) ? [[codeOf(key), codeOf(_replacement)] as const] : [],
    ),
  )
  const { subdivisions } = nameFile().subdivisions.localeDisplayNames
  // Two regions of a country with one name, such as a city and its surroundings, have a raised number behind it.
  const all = Object.entries(subdivisions).map(
    ([key, name]) => [codeOf(key), name.replace(/[²³⁴]$/, '')] as const,
  )
  const current = all.filter(([code]) => !successors.has(code))
  const named = [...current, ...otherNames]
  const { subdivisionContainment: contained } = containmentFile().supplemental
  const isLarge = ([code]: Named[number]) =>
    contained[code.slice(0, 2)]?._contains.includes(code.replace('-', '').toLowerCase()) === true
  return {
    names: new Map(all),
    successors,
    byName: soleKeys(named, isLarge, plainWords),
    byRoot: soleKeys(named, isLarge, (name) => rootOf(plainWords(name))),
  }
}

/** How databases of addresses call regions that have many visitors, where the locale data calls them otherwise. */
const otherNames = [
  ['US-DC', 'District of Columbia'],
  ['RU-MOS', 'Moscow Oblast'],
  ['RU-SPE', 'St.-Petersburg'],
  ['CZ-10', 'Prague'],
  ['FR-NOR', 'Normandy'],
  ['FR-NAQ', 'New Aquitaine'],
] as const

type Named = readonly (readonly [code: string, name: string])[]

/** A region and a smaller one in it may have the same name: the larger one is meant. */
function soleKeys(
  regions: Named,
  isLarge: (region: Named[number]) => boolean,
  wordsOf: (name: string) => string,
): Map<string, string> {
  const found = Map.groupBy(regions, ([code, name]) => `${code.slice(0, 2)} ${wordsOf(name)}`)
  return new Map(
    [...found].flatMap(([key, all]) => {
      const [first, second] = all.length > 1 ? all.filter(isLarge) : all
      return first === undefined || second !== undefined ? [] : [[key, first[0]] as const]
    }),
  )
}

const codeOf = (key: string) => `${key.slice(0, 2)}-${key.slice(2)}`.toUpperCase()

/** `Île-de-France` and `Ile de France` are one name. */
function plainWords(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return letters.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

/** What a region is: sources differ in whether they say it. */
// bounded: these words.
const kinds = new Set(
  [
    'administrative autonomous capital city community county department district do federal governorate krai',
    'metropolitan municipality oblast of parish prefecture province region republic state territory the voivodeship',
  ].flatMap((line) => line.split(' ')),
)

function rootOf(words: string): string {
  const root = words.split(' ').filter((word) => !kinds.has(word))
  return root.length === 0 ? words : root.join(' ')
}

const fileOf = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8')

type NameFile = { subdivisions: { localeDisplayNames: { subdivisions: Readonly<Record<string, string>> } } }
// boundary: the shape of the file as its package describes it.
const nameFile = () => JSON.parse(fileOf('cldr-subdivisions-full/subdivisions/en/en.json')) as NameFile

type Alias = { _replacement: string }
type AliasFile = {
  supplemental: { metadata: { alias: { subdivisionAlias: Readonly<Record<string, Alias>> } } }
}
// boundary: the shape of the file as its package describes it.
const aliasFile = () => JSON.parse(fileOf('cldr-core/supplemental/aliases.json')) as AliasFile

type Containment = { _contains: readonly string[] }
type ContainmentFile = {
  supplemental: { subdivisionContainment: Readonly<Record<string, Containment | undefined>> }
}
// boundary: the shape of the file as its package describes it.
const containmentFile = () =>
  JSON.parse(fileOf('cldr-core/supplemental/subdivisionContainment.json')) as ContainmentFile
