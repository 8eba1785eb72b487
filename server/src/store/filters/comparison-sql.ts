import type { DimensionType, FilterValue, OperatorName } from '@assay/contract'
import { storePattern } from '@assay/contract/question-pattern'
import type { Binder } from './binder.ts'
import { isPathPattern, pathExpression } from './path-pattern.ts'

/** What a value is compared as. */
export type Compared = {
  /** The value as text; '' where there is none. */
  text: string
  type: DimensionType
  /** Of a property: the value as a number or NULL, and whether it is a text in the event. */
  number?: string
  isText?: string
}

/** Whether a value fits, never NULL. A value that is not set fits negations only. */
export function comparisonSql(
  op: OperatorName,
  values: readonly FilterValue[],
  value: Compared,
  binder: Binder,
): string {
  switch (op) {
    case 'is':
      return equals(values, value, binder)
    case 'isNot':
      return `NOT ${equals(values, value, binder)}`
    case 'contains':
      return contains(values, value, binder)
    case 'notContains':
      return `NOT ${contains(values, value, binder)}`
    case 'startsWith':
      return startsWith(values, value, binder)
    case 'matches':
      return matches(values, value, binder)
    case 'isSet':
      return `(${value.text} != '')`
    case 'isNotSet':
      return `(${value.text} = '')`
    case 'between':
      return `(${limit('gte', values[0], value, binder)} AND ${limit('lte', values[1], value, binder)})`
    default:
      return limit(op, values[0], value, binder)
  }
}

function equals(values: readonly FilterValue[], { text, type, number }: Compared, { bind }: Binder): string {
  const texts = values.map((one) => (type === 'code' ? String(one).toUpperCase() : String(one)))
  const patterns = type === 'path' ? texts.filter(isPathPattern) : []
  const plain = texts.filter((one) => !patterns.includes(one))
  // 1.50 and 1.5 are one number, however the store writes it.
  const numbers = number === undefined ? [] : values.flatMap((one) => numberOf(one) ?? [])
  // A set cannot be used within a function of a value, as that of a property is.
  const listed = (list: string) => (number === undefined ? `${text} IN ${list}` : `has(${list}, ${text})`)
  const parts = [
    ...(plain.length === 0 ? [] : [listed(bind('Array(String)', plain))]),
    ...patterns.map((one) => `match(${text}, ${bind('String', pathExpression(one))})`),
    ...(numbers.length === 0 ? [] : [`has(${bind('Array(Float64)', numbers)}, ${number})`]),
  ]
  return `(${parts.join(' OR ')})`
}

/** All parts are looked for at once: a value for each of them would be a copy of the text for each of them. */
function contains(values: readonly FilterValue[], { text }: Compared, { bind }: Binder): string {
  return `(multiSearchAnyCaseInsensitiveUTF8(${text}, ${bind('Array(String)', values.map(String))}) = 1)`
}

/** Where the first of them is found. */
function startsWith(values: readonly FilterValue[], { text }: Compared, { bind }: Binder): string {
  const list = bind('Array(String)', values.map(String))
  return `(multiSearchFirstPositionCaseInsensitiveUTF8(${text}, ${list}) = 1)`
}

function matches(values: readonly FilterValue[], { text }: Compared, { bind }: Binder): string {
  const parts = values.map((one) => `match(${text}, ${bind('String', storePattern(String(one)))})`)
  return `(${text} != '' AND (${parts.join(' OR ')}))`
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Numbers by size; other texts, such as dates, by their characters. */
function limit(
  op: keyof typeof signs,
  bound: FilterValue | undefined,
  { text, number = 'NULL', isText = '1' }: Compared,
  { bind }: Binder,
): string {
  const wanted = numberOf(bound)
  return wanted === null
    ? `(${isText} AND ${text} != '' AND ${text} ${signs[op]} ${bind('String', String(bound))})`
    : `ifNull(${number} ${signs[op]} ${bind('Float64', wanted)}, 0)`
}

function numberOf(value: FilterValue | undefined): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(value)) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
