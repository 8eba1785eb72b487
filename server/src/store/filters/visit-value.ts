import type { DimensionName } from '@assay/contract'
import { columnSql, type RowDimension } from './dimension-sql.ts'

/** Where a visit came from. */
const arrivals: ReadonlySet<string> = new Set<RowDimension>([
  'channel',
  'source',
  'referrer',
  'utm.source',
  'utm.medium',
  'utm.campaign',
  'utm.term',
  'utm.content',
  'clickId',
])

const order = '(ts, arrival, event_id)'

/**
 * What a whole visit is, as an aggregate over its events. It came from where its first event did that has a channel,
 * which events of a back end have not; what describes the visitor is the first value that is set.
 */
export function visitValue(name: DimensionName): string {
  if (name === 'entryPage') return `argMinIf(path, ${order}, name = '$pageview')`
  if (name === 'exitPage') return `argMaxIf(path, ${order}, name = '$pageview')`
  const value = columnSql(name)
  return arrivals.has(name)
    ? `argMin(${value}, (channel = '', ts, arrival, event_id))`
    : `argMinIf(${value}, ${order}, ${value} != '')`
}
