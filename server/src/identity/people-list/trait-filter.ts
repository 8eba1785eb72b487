import { type AudienceOperator, invalidParameter, peopleListLimits } from '@assay/contract'
import { traitFits } from '../profiles/trait-test.ts'

type Scalar = string | number | boolean
export type Traits = ReadonlyMap<string, unknown>

/** Which traits it is about, and whether those of a person fit. */
export type TraitFilter = { keys: ReadonlySet<string>; fits: (traits: Traits) => boolean }

type Fits = (traits: Traits) => boolean
type Reader = { keys: Set<string>; conditions: number }

const operators = [
  'is',
  'isNot',
  'contains',
  'notContains',
  'startsWith',
  'isSet',
  'isNotSet',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
] as const
type Operator = (typeof operators)[number]

const { filterConditionsMax, filterDepthMax, filterValuesMax } = peopleListLimits
const valueCharactersMax = 500
const prefix = 'trait:'

/** Everyone fits no filter at all. */
export function readTraitFilter(text: string | undefined): TraitFilter | null {
  if (text === undefined || text.trim() === '') return null
  const reader: Reader = { keys: new Set(), conditions: 0 }
  const parts = readList(reader, parsed(text), 'filters', 1)
  return parts.length === 0 ? null : { keys: reader.keys, fits: allOf(parts) }
}

function refuse(at: string, message: string): never {
  throw invalidParameter('filters', at === 'filters' ? message : `${at.slice('filters'.length)}: ${message}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('filters', 'must be JSON')
  }
}

const allOf =
  (parts: readonly Fits[]): Fits =>
  (traits) =>
    parts.every((fits) => fits(traits))

function readList(reader: Reader, value: unknown, at: string, depth: number): Fits[] {
  if (!Array.isArray(value)) return refuse(at, 'must be a list of filters')
  return value.map((part, index) => readFilter(reader, part, `${at}[${index}]`, depth))
}

function readFilter(reader: Reader, value: unknown, at: string, depth: number): Fits {
  if (depth > filterDepthMax) refuse(at, `may be ${filterDepthMax} levels deep`)
  reader.conditions += 1
  if (reader.conditions > filterConditionsMax) refuse('filters', `may have ${filterConditionsMax} conditions`)
  if (!Array.isArray(value)) return refuse(at, 'must be a filter such as ["is", "trait:plan", ["pro"]]')
  const [word, second, third, ...rest] = value
  if (rest.length > 0) refuse(at, 'has too many members')
  if (word === 'not') {
    const fits = readFilter(reader, second, `${at}[1]`, depth + 1)
    return (traits) => !fits(traits)
  }
  if (word === 'and' || word === 'or') {
    const parts = readList(reader, second, `${at}[1]`, depth + 1)
    return word === 'and' ? allOf(parts) : (traits) => parts.some((fits) => fits(traits))
  }
  const operator = operators.find((one) => one === word)
  if (operator === undefined) return refuse(at, `must begin with ${operators.join(', ')}, and, or or not`)
  const key = readKey(second, at)
  reader.keys.add(key)
  return conditionOf(operator, key, readValues(operator, third, at))
}

function readKey(value: unknown, at: string): string {
  const isKey = typeof value === 'string' && value.startsWith(prefix) && value.length > prefix.length
  if (isKey && value.length <= prefix.length + 200 && !value.includes('\0')) return value.slice(prefix.length)
  return refuse(at, 'must name a trait, such as "trait:plan"')
}

function readValues(operator: Operator, value: unknown, at: string): Scalar[] {
  if (operator === 'isSet' || operator === 'isNotSet') {
    return value === undefined ? [] : refuse(at, `${operator} takes no value`)
  }
  const isLimit = ['gt', 'gte', 'lt', 'lte'].includes(operator)
  const values: readonly unknown[] = Array.isArray(value) && !isLimit ? value : [value]
  const sound = values.filter(isScalar)
  if (sound.length !== values.length || sound.length === 0) {
    return refuse(
      at,
      `${operator} takes ${isLimit ? 'a text or a number' : 'a list of texts, numbers or flags'}`,
    )
  }
  if (operator === 'between' && sound.length !== 2) refuse(at, 'between takes two values')
  if (sound.length > filterValuesMax) refuse(at, `may have ${filterValuesMax} values`)
  return sound
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= valueCharactersMax
  return typeof value === 'number' || typeof value === 'boolean'
}

/** Without the trait nothing fits but a negation, as in every read. */
function conditionOf(operator: Operator, key: string, values: readonly Scalar[]): Fits {
  const has = (op: AudienceOperator, wanted: readonly Scalar[]): Fits => {
    return (traits) => traits.has(key) && traitFits(traits.get(key), op, wanted)
  }
  const not = (fits: Fits): Fits => {
    return (traits) => !fits(traits)
  }
  const contains: Fits = (traits) => values.some((value) => has('contains', [value])(traits))
  const [first, second] = values
  switch (operator) {
    case 'is':
      return has('in', values)
    case 'isNot':
      return not(has('in', values))
    case 'contains':
      return contains
    case 'notContains':
      return not(contains)
    case 'startsWith':
      return (traits) => values.some((value) => startsWith(traits.get(key), value))
    case 'isSet':
      return (traits) => traits.has(key)
    case 'isNotSet':
      return (traits) => !traits.has(key)
    case 'between':
      return allOf([has('gte', [first ?? 0]), has('lte', [second ?? 0])])
    default:
      return has(operator, values)
  }
}

function startsWith(value: unknown, wanted: Scalar): boolean {
  return typeof value === 'string' && value.toLowerCase().startsWith(String(wanted).toLowerCase())
}
