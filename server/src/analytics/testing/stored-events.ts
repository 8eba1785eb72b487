import { readFilters } from '@assay/contract'
import fc from 'fast-check'
import { hourMs } from '../../platform/units.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import type { OverviewFigures } from '../rollups/overview-rollups.ts'

export const startMs = Date.UTC(2026, 5, 1)
const period = (fromHour: number, toHour: number) => ({
  fromMs: startMs + fromHour * hourMs,
  toMs: startMs + toHour * hourMs,
  timezone: 'UTC',
  nowMs: startMs + 100 * hourMs,
})
/** With an hour between them that is in neither. */
const periods = { previous: period(0, 3), current: period(4, 8) }
export const starts = [4, 5, 6, 7].map((hour) => startMs + hour * hourMs)

/** What a test stores of an event. */
export type Stored = Record<
  'session' | 'person' | 'name' | 'path' | 'channel' | 'source' | 'country' | 'device' | 'currency',
  string
> &
  Record<'ms' | 'arrival' | 'is_bot' | 'counted', number> & { amount: string | null }

/** Few values of everything, so that events meet in sessions, people, times and arrivals. */
export const stored: fc.Arbitrary<Stored> = fc.record({
  session: fc.constantFrom('', 's1', 's2', 's3'),
  person: fc.constantFrom('', 'p1', 'p2', 'p3', 'p4'),
  ms: fc.integer({ min: 0, max: 16 }).map((half) => startMs + half * (hourMs / 2)),
  arrival: fc.constantFrom(1, 2, 9_007_199_254_740_990),
  name: fc.constantFrom('$pageview', '$click', '$purchase', '$refund', 'page_leave', '$signup'),
  path: fc.constantFrom('', '/', '/a', '/\u{1f600}', '/\uffee'),
  channel: fc.constantFrom('', 'Direct', 'Email'),
  source: fc.constantFrom('', 'google', 'bing'),
  country: fc.constantFrom('', 'DE', 'AT'),
  device: fc.constantFrom('', 'mobile', 'desktop'),
  amount: fc.constantFrom(null, '0', '12.5', '99999999999999.9999'),
  currency: fc.constantFrom('', 'EUR', 'USD'),
  is_bot: fc.constantFrom(0, 0, 0, 1),
  counted: fc.constantFrom(1, 1, 1, 0),
})

export const filters = fc.constantFrom(
  null,
  [['is', 'country', ['DE']]],
  [['is', 'event', ['$pageview']]],
  [['is', 'entryPage', ['/a']]],
  [['did', { event: '$purchase' }]],
  [
    [
      'or',
      [
        ['is', 'source', ['google']],
        ['isNot', 'device', ['mobile']],
      ],
    ],
  ],
)
/** Conditions that rows can answer, and one of them of every kind. */
const comparison = fc.constantFrom(
  ['is', 'country', ['de', 'AT']],
  ['isNot', 'device', ['mobile']],
  ['is', 'page', ['/a', '/:one', '/\u{1f600}']],
  ['is', 'event', ['$pageview', '$purchase']],
  ['isSet', 'source'],
  ['contains', 'page', ['A', '//']],
  ['notContains', 'event', ['VIEW']],
  ['startsWith', 'source', ['Go', 'x']],
  ['isNotSet', 'channel'],
)
export const rowFilters: fc.Arbitrary<unknown[]> = fc.array(
  fc.oneof(
    comparison,
    comparison.map((one) => ['not', one]),
    fc.array(comparison, { minLength: 2, maxLength: 3 }).map((of) => ['or', of]),
    fc.array(comparison, { minLength: 2, maxLength: 2 }).map((of) => ['not', ['and', of]]),
  ),
  { minLength: 1, maxLength: 2 },
)

const goal = readFilters([['is', 'page', ['/a']]])

let workspaces = 0

/** A workspace of their own. */
export async function store(
  events: Events,
  rows: readonly Stored[],
  merges: readonly [string, string][],
): Promise<string> {
  workspaces += 1
  const workspaceId = `ws_${workspaces}`
  await storeIn(events, workspaceId, rows, 'e')
  for (const [original, current] of merges) await merge(events, workspaceId, original, current)
  return workspaceId
}

/** Ids begin with the prefix. */
export async function storeIn(
  events: Events,
  workspaceId: string,
  rows: readonly Stored[],
  prefix: string,
): Promise<void> {
  const quoted = (text: string) => `'${text}'`
  const list = rows.map(
    ({ session, person, ms, path, name, amount, channel, source, country, device, ...row }, index) =>
      `('${workspaceId}', 'site', fromUnixTimestamp64Milli(toInt64(${ms})), '${prefix}${index}', ${row.arrival},
        '${name}', cityHash64('${session}'), cityHash64('${person}'), '${path}',
        ${[channel, source, country, device].map(quoted).join(', ')},
        ${amount === null ? 'NULL' : `toDecimal64('${amount}', 4)`}, '${row.currency}', ${row.is_bot}, ${row.counted})`,
  )
  await events.command(
    `INSERT INTO events (workspace_id, site_id, ts, event_id, arrival, name, session_key, person_key, path, channel,
       source, country, device, amount, currency, is_bot, counted) VALUES ${list.join(', ')}`,
  )
}

export async function merge(
  events: Events,
  workspaceId: string,
  original: string,
  current: string,
): Promise<void> {
  await events.command(
    `INSERT INTO person_mapping (workspace_id, original_id, original_key, person_id, person_key, seq)
     SELECT '${workspaceId}', '${original}', cityHash64('${original}'), '${current}', cityHash64('${current}'), 1`,
  )
}

/** In one form: the store gives numbers as text, rows without order, and columns that only its reader needs. */
export function plain({ totals, revenue, series, breakdowns }: OverviewFigures) {
  const numbers = (row: object) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !['is_current', 'left_out'].includes(name))
        .map(([name, value]) => [name, ['key', 'currency'].includes(name) ? value : Number(value)]),
    )
  const sorted = (rows: readonly object[]) =>
    rows.map((row) => JSON.stringify(numbers(row), Object.keys(numbers(row)).sort())).sort()
  return {
    totals: [numbers(totals.current), numbers(totals.previous)],
    revenue: [sorted(revenue.current), sorted(revenue.previous)],
    series: sorted(series),
    breakdowns: Object.fromEntries(
      Object.entries(breakdowns).map(([name, rows]) => [name, rows.map(numbers)]),
    ),
  }
}

export function questionOf(workspaceId: string, given: unknown, hasMerges: boolean, includeBots: boolean) {
  const filter: EventFilter = {
    workspaceId,
    siteId: 'site',
    includeBots,
    goals: { goal },
    ...(given !== null && {
      filters: { conditions: readFilters(given), audiences: {}, windowStart: () => startMs },
    }),
    readOverlays: { overlay: null, superseded: null, hasMerges },
  }
  return { filter, periods, starts, breakdownRows: 20 }
}
