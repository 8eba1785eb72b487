import type { SqlTableName } from '@assay/contract'
import { passiveEvents } from '../analytics/passive-events.ts'
import {
  conversionSql,
  type EventFilter,
  eventsOf,
  hasSession,
  type TimeRange,
} from '../store/event-filter.ts'
import { eventOrder } from '../store/event-order.ts'
import type { QueryParams } from '../store/events.ts'
import { columnSql, type RowDimension } from '../store/filters/dimension-sql.ts'
import { visitValue } from '../store/filters/visit-value.ts'

/**
 * A condition cannot go below a limit. Without one, the store would compare values of other sites before it leaves
 * them out, and an error or the time that it takes would show them.
 */
const barrier = 'LIMIT 18446744073709551615'

const arrivalColumns: Readonly<Record<string, RowDimension>> = {
  channel: 'channel',
  source: 'source',
  referrer: 'referrer',
  utm_source: 'utm.source',
  utm_medium: 'utm.medium',
  utm_campaign: 'utm.campaign',
  utm_term: 'utm.term',
  utm_content: 'utm.content',
  click_id: 'clickId',
}
const visitorColumns: Readonly<Record<string, RowDimension>> = {
  country: 'country',
  region: 'region',
  city: 'city',
  device: 'device',
  browser: 'browser',
  os: 'os',
  language: 'language',
  screen: 'screen',
}

// Not LowCardinality: functions look at whole dictionaries, in which values of other sites are.
const text = (sql: string) => `CAST(${sql} AS String)`
const idOf = (column: string) => `nullIf(${text(column)}, '')`
const timeOf = (column: string) => `toTimeZone(${column}, {timezone:String})`

const eventColumns: Readonly<Record<string, string>> = {
  time: timeOf('ts'),
  received_at: timeOf('received_at'),
  event_id: text('event_id'),
  event: text(columnSql('event')),
  person_id: idOf('person_id'),
  user_id: idOf('user_id'),
  anonymous_id: idOf('anonymous_id'),
  session_id: idOf('session_id'),
  page: text(columnSql('page')),
  title: text(columnSql('title')),
  hostname: text(columnSql('hostname')),
  url: text('url'),
  ...textsOf({ ...arrivalColumns, ...visitorColumns }, columnSql),
  amount: 'amount',
  currency: text('currency'),
  order_id: text('order_id'),
  release: text(columnSql('release')),
  sdk: text(columnSql('sdk')),
  surface: text(columnSql('surface')),
  verdict: text(columnSql('verdict')),
  is_bot: 'is_bot',
  properties: 'properties',
}

const sessionColumns = (isConversion: string): Readonly<Record<string, string>> => ({
  session_id: 'toNullable(any(session_id))',
  person_id: `nullIf(${text(`argMax(person_id, ${eventOrder('event_id')})`)}, '')`,
  started_at: timeOf('min(ts)'),
  ended_at: timeOf('max(ts)'),
  duration_ms: 'toUInt64(toUnixTimestamp64Milli(max(ts)) - toUnixTimestamp64Milli(min(ts)))',
  events: 'count()',
  pageviews: "countIf(name = '$pageview')",
  conversions: `countIf(${isConversion})`,
  is_bounce: `toUInt8(countIf(name NOT IN ${passiveEvents}) <= 1)`,
  entry_page: text(visitValue('entryPage')),
  exit_page: text(visitValue('exitPage')),
  hostname: text(visitValue('hostname')),
  ...textsOf({ ...arrivalColumns, ...visitorColumns }, visitValue),
})

function textsOf(
  columns: Readonly<Record<string, RowDimension>>,
  sqlOf: (name: RowDimension) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, text(sqlOf(column))]))
}

type Tables = { sql: (name: SqlTableName) => string; params: QueryParams }

/** The tables of a site and period as subqueries: events that count, as every report reads them. */
export function tablesOf(filter: EventFilter, range: TimeRange, timezone: string): Tables {
  const { from, where, params } = eventsOf(filter, range)
  const conversions = conversionSql(filter, range)
  // Within a subquery of their own, so that no column is taken for another of the same name.
  const subquery = (columns: Readonly<Record<string, string>>, rest: string) =>
    `(SELECT ${Object.keys(columns)
      .map((name) => `column_${name} AS ${name}`)
      .join(', ')} FROM (
        SELECT ${Object.entries(columns)
          .map(([name, sql]) => `${sql} AS column_${name}`)
          .join(', ')}
        FROM ${from} WHERE ${where}${rest} ${barrier}))`
  return {
    sql: (name) =>
      name === 'events'
        ? subquery(eventColumns, '')
        : subquery(sessionColumns(conversions.sql), ` AND ${hasSession} GROUP BY session_key`),
    params: { ...params, ...conversions.params, timezone },
  }
}
