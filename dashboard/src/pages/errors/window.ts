import { impactDaysMax } from '@assay/contract'
import { type Place, usePlace } from '../../shell/place.ts'
import { defaultWindow, rangeQueryOf } from '../../shell/range.ts'

const dayMs = 86_400_000

/** Errors are read over ninety days at most: of a longer range, its last ones. */
function errorPeriod(parameters: URLSearchParams): { window: string } | { from: string; to: string } {
  const [from, to] = [parameters.get('from') ?? '', parameters.get('to') ?? '']
  if (from !== '' && to !== '') return { from: coveredFrom(from, to), to }
  const asked = parameters.get('window') ?? defaultWindow
  if (/^[1-9]\d?h$/.test(asked)) return { window: asked }
  const days = Number.parseInt(asked, 10)
  return { window: `${Math.min(Number.isNaN(days) ? 30 : days, impactDaysMax)}d` }
}

/** Both are dates; the last one is included. */
function coveredFrom(from: string, to: string): string {
  const lastMs = Date.parse(to)
  if (Number.isNaN(lastMs)) return from
  const earliest = new Date(lastMs - (impactDaysMax - 1) * dayMs).toISOString().slice(0, 10)
  return from > earliest ? from : earliest
}

/** Whether less is read than the range says. */
export function isCut(parameters: URLSearchParams): boolean {
  const read = errorPeriod(parameters)
  if ('from' in read) return read.from !== parameters.get('from')
  return read.window !== (parameters.get('window') ?? defaultWindow)
}

/** What every read of the errors takes of the address: its days, as far as they are covered, and its filters. */
export function errorQueryOf({ siteId, parameters }: Pick<Place, 'siteId' | 'parameters'>) {
  const { from, to, window, ...query } = rangeQueryOf(siteId, parameters)
  return { ...query, ...errorPeriod(parameters) }
}

export const useErrorQuery = () => errorQueryOf(usePlace())
