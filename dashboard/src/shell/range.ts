import { formatDayOnly } from '../format.ts'
import { text } from '../text.ts'
import { usePlace } from './place.ts'

export const windows = ['24h', '7d', '30d', '90d', '365d'] as const
export const defaultWindow = '30d'
export const filterNames = ['path', 'source', 'country', 'device', 'event', 'audience'] as const
export type FilterName = (typeof filterNames)[number]

/**
 * What of the time a page goes by: the last days, any days and a time zone, or a comparison as well; with the
 * year before for periods of up to a year, or with any days.
 */
export type RangeKind = 'window' | 'days' | 'comparison' | 'anyComparison'

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

/** Days that are compared with, the last one included; in the address `2026-01-01..2026-01-31`. */
type ComparedDays = { from: string; to: string }

/** What the numbers are compared with; null where the address wants no comparison. */
export type Comparison = 'previous' | 'year' | ComparedDays | null

export function comparisonOf(parameters: URLSearchParams): Comparison {
  const asked = parameters.get('compare') ?? ''
  if (asked === 'none') return null
  if (asked === 'year') return 'year'
  const [, from, to] = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(asked) ?? []
  return from === undefined || to === undefined ? 'previous' : { from, to }
}

/** How a comparison is written in the address; the usual one is left out. */
export function writtenComparison(comparison: Comparison): string | null {
  if (comparison === null) return 'none'
  if (typeof comparison === 'object') return `${comparison.from}..${comparison.to}`
  return comparison === 'previous' ? null : comparison
}

export function useComparison(): Comparison {
  return comparisonOf(usePlace().parameters)
}

/** Whether the same days of the year before end before the period of an address begins. */
export function isWithinYear(parameters: URLSearchParams): boolean {
  const { from, to } = rangeQueryOf('', parameters)
  if (from === undefined || to === undefined) return daysOf(parameters) <= 365
  const yearLater = new Date(`${from}T00:00:00Z`)
  yearLater.setUTCFullYear(yearLater.getUTCFullYear() + 1)
  return Date.parse(to) < yearLater.getTime()
}

/** The comparison of the overview, which has two to choose from; any other is the usual one. */
export function useOverviewComparison(): 'previous' | 'year' | null {
  return overviewComparison(usePlace().parameters)
}

export function overviewComparison(parameters: URLSearchParams): 'previous' | 'year' | null {
  const asked = comparisonOf(parameters)
  if (asked === null) return null
  return asked === 'year' && isWithinYear(parameters) ? 'year' : 'previous'
}

/** Of the line, column or figure that is compared with. */
export function comparisonName(comparison: Comparison): string {
  if (comparison === 'year') return text.chart.previousYear
  return typeof comparison === 'object' && comparison !== null ? daysLabel(comparison) : text.chart.previous
}

export const daysLabel = ({ from, to }: ComparedDays): string =>
  from === to ? formatDayOnly(from) : `${formatDayOnly(from)} – ${formatDayOnly(to)}`

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
