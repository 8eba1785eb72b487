import type { DimensionName } from '@assay/contract'
import { eventOrder } from '../event-order.ts'
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

/** Taken from the event that says the country, so that all three are one place. */
const partsOfPlace: ReadonlySet<string> = new Set<RowDimension>(['region', 'city'])

/** What a page of a visit is taken from. */
const pages = { entryPage: 'argMinIf', exitPage: 'argMaxIf' } as const
export type VisitPage = keyof typeof pages

/**
 * What a whole visit is, as an aggregate over its events. It came from where its first event did that has a channel,
 * which events of a back end have not; what describes the visitor is the first value that is set.
 */
export function visitValue(name: DimensionName): string {
  if (name === 'entryPage' || name === 'exitPage') {
    return `${pages[name]}(path, ${eventOrder('path')}, name = '$pageview')`
  }
  const value = columnSql(name)
  if (partsOfPlace.has(name)) {
    const country = columnSql('country')
    return `argMinIf(${value}, ${eventOrder(country)}, ${country} != '')`
  }
  return arrivals.has(name)
    ? `argMin(${value}, ${eventOrder(value, "channel = ''")})`
    : `argMinIf(${value}, ${eventOrder(value)}, ${value} != '')`
}
