import { text } from '../text.ts'
import { usePlace } from './place.ts'

export const windows = ['24h', '7d', '30d', '90d', '365d'] as const
export const defaultWindow = '30d'
export const filterNames = ['path', 'source', 'country', 'device', 'event', 'audience'] as const
export type FilterName = (typeof filterNames)[number]

/** What of the time a page goes by: the last days, any days and a time zone, or a comparison as well. */
export type RangeKind = 'window' | 'days' | 'comparison'

/** What a read takes of the address: site, range, time zone and filters. */
type RangeQuery = {
  siteId: string
  window?: string
  from?: string
  to?: string
  timezone?: string
  filters?: string
} & Partial<Record<FilterName, string>>

export function rangeQueryOf(siteId: string, parameters: URLSearchParams): RangeQuery {
  const taken = (name: string) => parameters.get(name) ?? ''
  const [from, to, timezone] = [taken('from'), taken('to'), taken('timezone')]
  const range = from !== '' && to !== '' ? { from, to } : { window: taken('window') || defaultWindow }
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => (taken(name) === '' ? [] : [[name, taken(name)]])),
  )
  const listed = taken('filters')
  return {
    siteId,
    ...range,
    ...(timezone !== '' && { timezone }),
    ...filters,
    ...(listed !== '' && { filters: listed }),
  }
}

const dayMs = 86_400_000

/** Days of the period of an address. */
export function daysOf(parameters: URLSearchParams): number {
  const { window = '', from, to } = rangeQueryOf('', parameters)
  if (from !== undefined && to !== undefined) return (Date.parse(to) - Date.parse(from)) / dayMs + 1
  const count = Number.parseInt(window, 10)
  return window.endsWith('h') ? count / 24 : count
}

export function useRangeQuery(): RangeQuery {
  const { siteId, parameters } = usePlace()
  return rangeQueryOf(siteId, parameters)
}

/** What the numbers are compared with; null where the address wants no comparison. */
export type Comparison = 'previous' | 'year' | null

export function comparisonOf(parameters: URLSearchParams): Comparison {
  const asked = parameters.get('compare')
  if (asked === 'none') return null
  return asked === 'year' ? 'year' : 'previous'
}

export function useComparison(): Comparison {
  return comparisonOf(usePlace().parameters)
}

/** Of the line, column or figure that is compared with. */
export const comparisonName = (comparison: Comparison): string =>
  comparison === 'year' ? text.chart.previousYear : text.chart.previous

/** The time alone, as questions take it next to their list of filters. */
export function usePeriod(): Pick<RangeQuery, 'siteId' | 'window' | 'from' | 'to' | 'timezone'> {
  const { siteId, window, from, to, timezone } = useRangeQuery()
  return {
    siteId,
    ...(window !== undefined && { window }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(timezone !== undefined && { timezone }),
  }
}
