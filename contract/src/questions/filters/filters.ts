import { Type } from 'typebox'
import { eventNameCharactersMax, propertyNameCharactersMax } from '../../maxima.ts'

/**
 * The filter language: JSON arrays, the first item of which says what they are. A filter is about one event; a read
 * takes the visits of which at least one event fits all filters. See docs/questions.md.
 */

/** `and`, `or` and `not` within each other; deeper filters can be written flatter. */
export const filterDepthMax = 4
/** Conditions of all filters together: each costs a little for every event. */
export const filterConditionsMax = 50
export const filterValuesMax = 200
/** Of all filters together, patterns of paths among them: each is matched against every event. */
export const filterPatternsMax = 50
/** Of all values together. */
export const filterCharactersMax = 100_000
/** Filters or parts of a group. */
export const filterItemsMax = 50
/** A path is at most as long. */
export const filterValueCharactersMax = 2048
/** Each reads the events of the site again. */
export const didConditionsMax = 4
export const filterAudiencesMax = 10
/** Traits that one question names: each is read of everyone who has it. */
export const traitsAskedMax = 5
/** People who have a trait that is asked for. */
export const traitPeopleMax = 100_000
/** The part of the value of a trait that is compared. */
export const traitCharactersMax = 2_048
export const filterGoalsMax = 10
/** `filters` as text in an address. */
export const filterTextCharactersMax = 16_384
export const didCountMax = 1_000_000

export type FilterValue = string | number | boolean

type ValuesOperator = 'is' | 'isNot' | 'contains' | 'notContains' | 'startsWith' | 'matches'
type LimitOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** How often someone did something. */
export const countOperators = ['gte', 'lte', 'eq'] as const
export type CountOperator = (typeof countOperators)[number]

export type DidTerms = {
  event: string
  /** At least once unless said. */
  count?: { op: CountOperator; value: number }
  /** Up to the end of the period: 7d or 24h; the period itself unless said. */
  within?: string
  /** What an event must fit to count, besides its name; conditions on events only. */
  where?: readonly Filter[]
}

export type Filter =
  | readonly [ValuesOperator, string, readonly FilterValue[]]
  | readonly ['isSet' | 'isNotSet', string]
  | readonly [LimitOperator, string, FilterValue]
  | readonly ['between', string, readonly [FilterValue, FilterValue]]
  | readonly ['and' | 'or', readonly Filter[]]
  | readonly ['not', Filter]
  | readonly ['did' | 'didNot', DidTerms]
  | readonly ['inAudience', readonly string[]]
  | readonly ['reached', readonly string[]]

/** Words of filters that are no operators on dimensions. */
export const filterWords = ['and', 'or', 'not', 'did', 'didNot', 'inAudience', 'reached'] as const

const says =
  'Arrays: ["is", "country", ["DE"]], ["gt", "property:amount", 50], ["isSet", "utm.campaign"], ' +
  '["between", "property:amount", [10, 20]], ["is", "trait:plan", ["pro"]], ' +
  '["not", filter], ["and", [filter, …]], ["or", [filter, …]], ' +
  '["did", {"event": "$signup", "within": "7d", "count": {"op": "gte", "value": 2}, "where": [filter]}], ' +
  '["didNot", {…}], ["inAudience", ["aud_…"]], ["reached", ["goal_…"]]. Some event of a visit has to fit all of them.'

/** In a body. What an item may be is checked by `readFilters`, which says where it is wrong. */
export const Filters = Type.Unsafe<readonly Filter[]>(
  Type.Array(Type.Array(Type.Unknown(), { minItems: 2, maxItems: 3, 'x-shape': 'Filter' }), {
    maxItems: filterItemsMax,
    description: says,
  }),
)

/** The same as text in an address. */
export const FiltersText = Type.String({
  maxLength: filterTextCharactersMax,
  description: `JSON text. ${says}`,
})

export const filterNameCharactersMax = Math.max(eventNameCharactersMax, propertyNameCharactersMax + 16)
