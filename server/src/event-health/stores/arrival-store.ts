import type { Count, Events } from '../../store/events.ts'
import { type HealthScope, hour, mine, p95, type Span, time } from './measures.ts'

export type ArrivalRow = {
  name: string
  arrived: Count
  accepted: Count
  warned: Count
  held: Count
  rejected: Count
  repeats: Count
  lately: Count
  before: Count[]
}

type ArrivalOptions = {
  /** How many spans before are looked at, and by how many weeks each lies further back. */
  spans: number
  weeksApart: number
  rows: number
  name: string | null
}

/** Arrivals of a span by name, those of its last day, and those of the same span some weeks before. */
export function selectArrivals(
  events: Events,
  scope: HealthScope,
  span: Span,
  { spans, weeksApart, rows, name }: ArrivalOptions,
): Promise<ArrivalRow[]> {
  const within = (weeks: number) =>
    `hour >= ${hour('fromMs')} - INTERVAL ${weeks} WEEK AND hour < ${hour('toMs')} - INTERVAL ${weeks} WEEK`
  const sum = (outcome: string) => `sumIf(events, ${within(0)} AND outcome = '${outcome}')`
  const before = Array.from(
    { length: spans },
    (_, index) => `sumIf(events, ${within((index + 1) * weeksApart)})`,
  )
  return events.query<ArrivalRow>(
    `SELECT name, sumIf(events, ${within(0)}) AS arrived, ${sum('accept')} AS accepted, ${sum('warn')} AS warned,
            ${sum('quarantine')} AS held, ${sum('reject')} AS rejected, sumIf(duplicates, ${within(0)}) AS repeats,
            sumIf(events, hour >= ${hour('toMs')} - INTERVAL 1 DAY) AS lately, [${before.join(', ')}] AS before
     FROM verdicts
     WHERE ${mine} AND name != '' AND hour >= ${hour('fromMs')} - INTERVAL ${spans * weeksApart} WEEK
       AND hour < ${hour('toMs')} ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name ORDER BY arrived DESC, name LIMIT {rows:UInt32}`,
    { ...scope, ...span, rows, ...(name !== null && { name }) },
  )
}

export type StoredRow = { name: string; p95_ms: number | null; last_ms: Count }

/** When the last quarantined event of each name happened. */
export function selectQuarantinedLast(
  events: Events,
  scope: HealthScope,
  span: Span,
  name: string | null,
): Promise<Pick<StoredRow, 'name' | 'last_ms'>[]> {
  return events.query<Pick<StoredRow, 'name' | 'last_ms'>>(
    `SELECT name, toUnixTimestamp64Milli(max(ts)) AS last_ms
     FROM quarantine WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
       AND received_at >= ${time('fromMs')} - INTERVAL 1 DAY
       ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name`,
    { ...scope, ...span, ...(name !== null && { name }) },
  )
}

/** How long stored events took to arrive, and when the last one happened. */
export function selectStored(
  events: Events,
  scope: HealthScope,
  span: Span,
  name: string | null,
): Promise<StoredRow[]> {
  return events.query<StoredRow>(
    `SELECT name, ${p95} AS p95_ms, toUnixTimestamp64Milli(max(ts)) AS last_ms
     FROM events WHERE ${mine} AND ts >= ${time('fromMs')} AND ts < ${time('toMs')}
       ${name === null ? '' : 'AND name = {name:String}'}
     GROUP BY name`,
    { ...scope, ...span, ...(name !== null && { name }) },
  )
}
