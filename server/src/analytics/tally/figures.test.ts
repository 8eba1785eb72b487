import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import { createComputeWorker } from '../sequences/compute-worker.ts'
import {
  filters,
  plain,
  questionOf,
  type Stored,
  startMs,
  starts,
  store,
  stored,
} from '../testing/stored-events.ts'
import { createFigures, type FiguresQuestion, selectFigures, tallyFigures } from './figures.ts'

let world: World
let events: Events
beforeAll(async () => {
  world = await startWorld()
  events = world.product.deps.events
})
afterAll(() => world?.close())

/** Some zones once began their days within a quarter of an hour. */
const oddStarts = starts.map((start, index) => (index === 0 ? start : start + 7 * minuteMs))

/** In a thread of its own from the first byte on. */
const worker = createComputeWorker(0)
afterAll(() => worker.close())

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
      fc.constantFrom(starts, oddStarts),
      async (rows, moved, given, includeBots, intervals) => {
        const workspaceId = await store(events, rows, moved)
        const asked = questionOf(workspaceId, given, moved.length > 0, includeBots)
        const question: FiguresQuestion = { ...asked, starts: intervals }
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
  const workspaceId = await store(
    events,
    [at(4, server), at(5, {}), at(6, { source: 'bing' }), at(7, server)],
    [],
  )
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
  const notKept = { computeWorker: worker, readKept: async () => null }
  const readFigures = createFigures({ events: heard, now: () => nowMs }, notKept, few)
  const row = fc.sample(stored, { numRuns: 20, seed: 1 })
  const question = questionOf(await store(events, row, []), null, false, true)
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
