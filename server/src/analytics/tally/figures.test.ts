import { readFilters } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourMs } from '../../platform/units.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import { createComputeWorker } from '../sequences/compute-worker.ts'
import { createFigures, type FiguresQuestion, selectFigures, tallyFigures } from './figures.ts'
import type { OverviewFigures } from './overview-tally.ts'

let world: World
let events: Events
beforeAll(async () => {
  world = await startWorld()
  events = world.product.deps.events
})
afterAll(() => world?.close())

/** In a thread of its own from the first byte on. */
const worker = createComputeWorker(0)
afterAll(() => worker.close())

const startMs = Date.UTC(2026, 5, 1)
const period = (fromHour: number, toHour: number) => ({
  fromMs: startMs + fromHour * hourMs,
  toMs: startMs + toHour * hourMs,
  timezone: 'UTC',
  nowMs: startMs + 100 * hourMs,
})
/** With an hour between them that is in neither. */
const periods = { previous: period(0, 3), current: period(4, 8) }
const starts = [4, 5, 6, 7].map((hour) => startMs + hour * hourMs)

/** Few values of everything, so that events meet in sessions, people, times and arrivals. */
const stored = fc.record({
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
type Stored = typeof stored extends fc.Arbitrary<infer Row> ? Row : never

const filters = fc.constantFrom(
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
const goal = readFilters([['is', 'page', ['/a']]])

let workspaces = 0

async function store(rows: readonly Stored[], merges: readonly [string, string][]): Promise<string> {
  workspaces += 1
  const workspaceId = `ws_${workspaces}`
  const quoted = (text: string) => `'${text}'`
  const list = rows.map(
    ({ session, person, ms, path, name, amount, ...row }, index) =>
      `('${workspaceId}', 'site', fromUnixTimestamp64Milli(toInt64(${ms})), 'e${index}', ${row.arrival}, '${name}',
        cityHash64('${session}'), cityHash64('${person}'), '${path}', ${[row.channel, row.source, row.country, row.device].map(quoted).join(', ')},
        ${amount === null ? 'NULL' : `toDecimal64('${amount}', 4)`}, '${row.currency}', ${row.is_bot}, ${row.counted})`,
  )
  await events.command(
    `INSERT INTO events (workspace_id, site_id, ts, event_id, arrival, name, session_key, person_key, path, channel,
       source, country, device, amount, currency, is_bot, counted) VALUES ${list.join(', ')}`,
  )
  for (const [original, current] of merges) {
    await events.command(
      `INSERT INTO person_mapping (workspace_id, original_id, original_key, person_id, person_key, seq)
       SELECT '${workspaceId}', '${original}', cityHash64('${original}'), '${current}', cityHash64('${current}'), 1`,
    )
  }
  return workspaceId
}

/** In one form: the store gives numbers as text, rows without order, and columns that only its reader needs. */
function plain({ totals, revenue, series, breakdowns }: OverviewFigures) {
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

function questionOf(workspaceId: string, given: unknown, hasMerges: boolean, includeBots: boolean) {
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

test('counted here, any overview is what the statements of the store count', async () => {
  const merges = fc.constantFrom<[string, string][]>(
    [],
    [['p1', 'p2']],
    [
      ['p1', 'p9'],
      ['p3', 'p9'],
    ],
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { minLength: 1, maxLength: 60 }),
      merges,
      filters,
      fc.boolean(),
      async (rows, moved, given, includeBots) => {
        const workspaceId = await store(rows, moved)
        const question: FiguresQuestion = questionOf(workspaceId, given, moved.length > 0, includeBots)
        const [counted, selected] = await Promise.all([
          tallyFigures(events, worker, question),
          selectFigures(events, question),
        ])
        expect(plain(counted)).toEqual(plain(selected))
      },
    ),
    { numRuns: runs(20) },
  )
}, 180_000)

test('a visit keeps the source it came from when its server reports a purchase', async () => {
  const at = (hour: number, row: Partial<Stored>): Stored => ({
    session: 's1',
    person: 'p1',
    ms: startMs + hour * hourMs,
    arrival: 1,
    name: '$pageview',
    path: '/',
    channel: 'Email',
    source: 'google',
    country: 'DE',
    device: 'mobile',
    amount: null,
    currency: '',
    is_bot: 0,
    counted: 1,
    ...row,
  })
  const server = { name: '$purchase', path: '', channel: '', source: '', country: '', device: '' } as const
  const workspaceId = await store([at(4, server), at(5, {}), at(6, { source: 'bing' }), at(7, server)], [])
  const question = questionOf(workspaceId, null, false, false)
  const row = { visitors: 1, sessions: 1, events: 4 }
  for (const figures of [
    await selectFigures(events, question),
    await tallyFigures(events, worker, question),
  ]) {
    const { sources, countries } = figures.breakdowns
    expect(sources).toMatchObject([{ key: 'google', ...row }])
    expect(countries).toMatchObject([{ key: 'DE', ...row }])
  }
})

test('a site with too many events is counted by the store, and not tried again for a while', async () => {
  let nowMs = 0
  const asked: string[] = []
  const heard: Events = {
    ...events,
    bytes: (sql, params) => {
      asked.push(sql)
      return events.bytes(sql, params)
    },
  }
  const few = { rowsMax: 1, bytesMax: 1_000_000 }
  const readFigures = createFigures({ events: heard, now: () => nowMs }, worker, few)
  const row = fc.sample(stored, { numRuns: 20, seed: 1 })
  const question = questionOf(await store(row, []), null, false, true)
  const expected = plain(await selectFigures(events, question))
  for (const [atMs, tries] of [
    [0, 1],
    [60_000, 1],
    [3_600_000, 2],
  ] as const) {
    nowMs = atMs
    expect(plain(await readFigures(question))).toEqual(expected)
    expect(asked).toHaveLength(tries)
  }
})
