import {
  type CountOperator,
  type DidTerms,
  type FieldError,
  type Filter,
  type FilterValue,
  type OperatorName,
  operatorTerms,
  Problem,
  propertyPrefix,
  readFilters,
  traitPrefix,
} from '@assay/contract'
import { readNumber } from '../format.ts'

/** What a filter is about when it is no dimension. */
export const subjects = ['did', 'didNot', 'inAudience', 'reached'] as const
type Subject = (typeof subjects)[number]
export const isSubject = (name: string): name is Subject => subjects.some((one) => one === name)

/** A filter while it is typed: everything that its form holds. */
export type Draft = {
  /** A dimension or a subject; empty before one is chosen. */
  about: string
  operator: OperatorName
  values: readonly string[]
  limit: string
  upper: string
  event: string
  count: CountOperator
  times: string
  /** Empty: in the period. */
  within: string
  /** Conditions on the events of `did`, which have no field here and are left as they are. */
  where: readonly Filter[]
  /** Values as they were given: what is not typed again keeps its type. */
  given: readonly FilterValue[]
  /** Says "at least once", which goes without saying. */
  saysOnce: boolean
}

export const emptyDraft: Draft = {
  about: '',
  operator: 'is',
  values: [],
  limit: '',
  upper: '',
  event: '',
  count: 'gte',
  times: '1',
  within: '',
  where: [],
  given: [],
  saysOnce: false,
}

/** Null for groups, which have a form of their own. */
export function draftOf(filter: Filter): Draft | null {
  switch (filter[0]) {
    case 'and':
    case 'or':
    case 'not':
      return null
    case 'did':
    case 'didNot': {
      const { event, count, within = '', where = [] } = filter[1]
      const often = count === undefined ? {} : { count: count.op, times: String(count.value) }
      const saysOnce = count?.op === 'gte' && count.value === 1
      return { ...emptyDraft, about: filter[0], event, within, where, saysOnce, ...often }
    }
    case 'inAudience':
    case 'reached':
      return { ...emptyDraft, about: filter[0], values: filter[1] }
    case 'isSet':
    case 'isNotSet':
      return { ...emptyDraft, about: filter[1], operator: filter[0] }
    case 'between': {
      const [limit, upper] = filter[2]
      return {
        ...emptyDraft,
        about: filter[1],
        operator: 'between',
        limit: String(limit),
        upper: String(upper),
        given: [limit, upper],
      }
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return {
        ...emptyDraft,
        about: filter[1],
        operator: filter[0],
        limit: String(filter[2]),
        given: [filter[2]],
      }
    default:
      return {
        ...emptyDraft,
        about: filter[1],
        operator: filter[0],
        values: filter[2].map(String),
        given: filter[2],
      }
  }
}

/** What is typed as a number is one; other texts, such as dates, are compared by their characters. */
const limitOf = (typed: string, given: readonly FilterValue[]): FilterValue =>
  givenAs(typed, given) ?? readNumber(typed) ?? typed.trim()

const givenAs = (typed: string, given: readonly FilterValue[]): FilterValue | undefined =>
  given.find((one) => String(one) === typed)

export function filterOf(draft: Draft): Filter {
  const { about, operator, values, limit, upper, given } = draft
  if (about === 'did' || about === 'didNot') return [about, didOf(draft)]
  if (about === 'inAudience' || about === 'reached') return [about, values]
  if (operator === 'isSet' || operator === 'isNotSet') return [operator, about]
  if (operator === 'between') return ['between', about, [limitOf(limit, given), limitOf(upper, given)]]
  if (operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte') {
    return [operator, about, limitOf(limit, given)]
  }
  return [operator, about, values.map((typed) => givenAs(typed, given) ?? typed)]
}

function didOf({ event, count, times, within, where, saysOnce }: Draft): DidTerms {
  const isOnce = !saysOnce && count === 'gte' && times.trim() === '1'
  return {
    event,
    ...(!isOnce && { count: { op: count, value: readNumber(times) ?? Number.NaN } }),
    ...(within !== '' && { within }),
    ...(where.length > 0 && { where }),
  }
}

/** What the API would refuse, by its place in the filter: `[2]`, `[1].event`. */
export function faultsIn(filter: Filter): readonly FieldError[] {
  try {
    readFilters([filter])
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return (error.options.errors ?? []).map(({ field, message }) => ({
      field: field.replace(/^filters\[0\]/, ''),
      message,
    }))
  }
}

/** Operators that can be asked of a dimension; by size only where a property or trait has numbers, or may have them. */
export function operatorsOf(about: string, types: readonly string[] | undefined): readonly OperatorName[] {
  const isProperty = about.startsWith(propertyPrefix) || about.startsWith(traitPrefix)
  const mayBeNumber = isProperty && (types === undefined || types.length === 0 || types.includes('number'))
  const offered: readonly OperatorName[] = [
    'is',
    'isNot',
    'contains',
    'notContains',
    'startsWith',
    'matches',
    'isSet',
    'isNotSet',
  ]
  return mayBeNumber ? [...offered, 'gt', 'gte', 'lt', 'lte', 'between'] : offered
}

export const takesOf = (operator: OperatorName) => operatorTerms[operator].takes

export type FieldsProps = {
  draft: Draft
  onChange: (draft: Draft) => void
  /** What is wrong at a place of the filter; null where nothing is. */
  faultAt: (...places: string[]) => string | null
  /** The element that says it. */
  faultId: string
}
