import { impactDaysMax } from '@assay/contract'
import { usePlace } from '../../shell/place.ts'
import { defaultWindow, rangeQueryOf } from '../../shell/range.ts'

/** The impact report covers at most ninety days. */
export function errorWindow(parameters: URLSearchParams): string {
  const asked = parameters.get('window') ?? defaultWindow
  if (/^[1-9]\d?h$/.test(asked)) return asked
  const days = Number.parseInt(asked, 10)
  return `${Math.min(Number.isNaN(days) ? 30 : days, impactDaysMax)}d`
}

/** What every read of the errors takes of the address: its days, as far as they are covered, and its filters. */
export function useErrorQuery() {
  const { siteId, parameters } = usePlace()
  const { from, to, timezone, ...query } = rangeQueryOf(siteId, parameters)
  return { ...query, window: errorWindow(parameters) }
}
