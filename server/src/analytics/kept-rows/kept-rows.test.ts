import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import { createComputeWorker } from '../sequences/compute-worker.ts'
import { selectStored } from '../store.ts'
import { type FiguresQuestion, tallyFigures } from '../tally/figures.ts'
import { overviewRead } from '../tally/overview-read.ts'
import { merge, plain, questionOf, type Stored, startMs, stored, storeIn } from '../testing/stored-events.ts'
import { createKeptRows, type ReadKept } from './kept-rows.ts'

let world: World
let events: Events
/** The statements that asked for rows. */
const asked: string[] = []
beforeAll(async () => {
  world = await startWorld()
  const own = world.product.deps.events
  events = {
    ...own,
    bytes: (sql, params) => {
      if (sql.includes('row_session')) asked.push(sql)
      return own.bytes(sql, params)
    },
  }
})
afterAll(() => world?.close())

const worker = createComputeWorker(0)
afterAll(() => worker.close())

const day = (fromHour: number, toHour: number) => ({
  fromMs: startMs + fromHour * hourMs,
  toMs: startMs + toHour * hourMs,
  timezone: 'UTC',
  nowMs: startMs + 400 * hourMs,
})
/** Parts of days and whole ones, with a gap. */
const periods = { previous: day(-10, 40), current: day(46, 110) }
const starts = [46, 70, 94].map((hour) => startMs + hour * hourMs)

const question = (workspaceId: string, hasMerges: boolean, includeBots: boolean): FiguresQuestion => ({
  ...questionOf(workspaceId, null, hasMerges, includeBots),
  periods,
  starts,
})

async function ask(readKept: ReadKept, { filter, breakdownRows }: FiguresQuestion) {
  const spans = [periods.previous, periods.current].map(({ fromMs, toMs }) => ({ fromMs, toMs }))
  const options = { currentMs: periods.current.fromMs, starts, breakdownRows, counted: periods.current }
  return readKept(overviewRead, filter, spans, options)
}

const atDays = stored.chain((row) =>
  fc.integer({ min: -1, max: 5 }).map((days): Stored => ({ ...row, ms: row.ms + days * dayMs })),
)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      rows: fc.array(atDays, { minLength: 1, maxLength: 12 }),
    }),
  },
  fc.record({ kind: fc.constant('forget' as const), country: fc.constantFrom('', 'DE', 'AT') }),
  fc.record({ kind: fc.constant('merge' as const), original: fc.constantFrom('p1', 'p2', 'p3') }),
  fc.record({ kind: fc.constantFrom('tidy', 'elsewhere', 'anew', 'read' as const) }),
)

let histories = 0

/** What is counted here is compared with the store's own statements in `tally/figures.test.ts`. */
test('kept rows answer what the store answers, whatever happens between two questions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 8 }),
      fc.boolean(),
      async (steps, includeBots) => {
        histories += 1
        const workspaceId = `kept_${histories}`
        let readKept = createKeptRows({ events, now: Date.now }, worker).read
        let hasMerges = false
        for (const [index, one] of steps.entries()) {
          if (one.kind === 'store') await storeIn(events, workspaceId, one.rows, `${index}-`)
          if (one.kind === 'elsewhere')
            await storeIn(
              events,
              `${workspaceId}x`,
              fc.sample(atDays, { numRuns: 2, seed: index }),
              `${index}-`,
            )
          if (one.kind === 'tidy') await events.command('OPTIMIZE TABLE events FINAL')
          if (one.kind === 'anew') readKept = createKeptRows({ events, now: Date.now }, worker).read
          if (one.kind === 'forget') {
            await events.command(
              `ALTER TABLE events DELETE WHERE workspace_id = '${workspaceId}' AND country = '${one.country}'
             SETTINGS mutations_sync = 2`,
            )
          }
          if (one.kind === 'merge') {
            await merge(events, workspaceId, one.original, 'p9')
            hasMerges = true
          }
          const wanted = question(workspaceId, hasMerges, includeBots)
          const kept = await ask(readKept, wanted)
          const counted = await selectStored(events, wanted.filter, periods.current)
          expect(kept?.stored).toEqual(counted)
          expect(kept && plain(kept.figures)).toEqual(plain(await tallyFigures(events, worker, wanted)))
        }
      },
    ),
    { numRuns: runs(8) },
  )
}, 240_000)
