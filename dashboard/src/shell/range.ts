import { usePlace } from './place.ts'

export const windows = ['24h', '7d', '30d', '90d', '365d'] as const
/** What of the time the numbers of a page go by: the last days, any days and a time zone, or a comparison as well. */
export type RangeKind = 'window' | 'days' | 'comparison'

export const defaultWindow = '30d'
export const filterNames = ['path', 'source', 'country', 'device', 'event', 'audience'] as const
export type FilterName = (typeof filterNames)[number]

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

export function useRangeQuery(): RangeQuery {
  const { siteId, parameters } = usePlace()
  return rangeQueryOf(siteId, parameters)
}

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
