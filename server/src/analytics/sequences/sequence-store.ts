import { type EventFilter, sequencesOf, type TimeRange } from '../../store/event-filter.ts'
import { tieNumber } from '../../store/event-order.ts'
import type { Events } from '../../store/events.ts'

/** Automatic events, or events that say nothing about the visitor's path. */
export const unseenNames: readonly string[] = [
  '$session_start',
  '$session_end',
  '$identify',
  'web_vital',
  'page_leave',
  'scroll_depth',
  'sdk_loss',
  'rage_click',
  'error',
  '$error',
]
export const unseenEvents = `(${unseenNames.map((name) => `'${name}'`).join(', ')})`

/** What a kind of event is about: the path of a page, the target of a click or submit. */
export const detail = "if(name = '$pageview', path, toString(target))"
const token = `cityHash64(name, ${detail})`

type TokenRow = { token: string; event_name: string; about: string; events: string | number }

/** The kinds of events, most common first. */
export function selectTokens(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  rows: number,
): Promise<TokenRow[]> {
  const { from, where, params } = sequencesOf(filter, range, 'session')
  return events.query<TokenRow>(
    `SELECT toString(${token}) AS token, any(toString(name)) AS event_name,
            any(${detail}) AS about, count() AS events
     FROM ${from} WHERE ${where} AND name NOT IN ${unseenEvents}
     GROUP BY ${token} ORDER BY events DESC, token LIMIT {rows:UInt32}`,
    { ...params, rows },
  )
}

/**
 * Three eight-byte numbers per event: session, time, kind; ordered by time, then by arrival, then by kind. Of one
 * session in `every`.
 */
export const stepBytes = 24

export function selectSteps(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  every: number,
): Promise<Buffer> {
  const { from, where, params } = sequencesOf(filter, range, 'session')
  const sample = every === 1 ? '' : ' AND session_key % {every:UInt32} = 0'
  return events.bytes(
    `SELECT session_key, toFloat64(toUnixTimestamp64Milli(ts)) AS ms, ${token} AS kind
     FROM ${from} WHERE ${where}${sample} AND name NOT IN ${unseenEvents}
     ORDER BY ts, arrival, ${tieNumber('toString(name)')}, ${tieNumber(detail)} FORMAT RowBinary`,
    { ...params, every },
  )
}
