import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import type { Events, QueryParams } from '../../store/events.ts'
import { raise, startWorld, type World } from '../../testing/harness.ts'
import { runs } from '../../testing/runs.ts'
import { overviewRead } from '../rollups/overview-read.ts'
import { createComputeWorker } from '../sequences/compute-worker.ts'
import { selectStored } from '../store.ts'
import { type FiguresQuestion, tallyFigures } from '../tally/figures.ts'
import { rowBounds } from '../tally/row-bounds.ts'
import {
  merge,
  plain,
  questionOf,
  rowFilters,
  type Stored,
  startMs,
  stored,
  storeIn,
} from '../testing/stored-events.ts'
import { createKeptRows, type ReadKept } from './kept-rows.ts'

let world: World
let events: Events
/** The times of the statements that asked for rows. */
const asked: QueryParams[] = []
beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  const own = world.product.deps.events
  events = {
    ...own,
    bytes: (sql, params) => {
      if (sql.includes('row_session')) asked.push(params ?? {})
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

const question = (
  workspaceId: string,
  hasMerges: boolean,
  includeBots: boolean,
  given: unknown = null,
): FiguresQuestion => ({
  ...questionOf(workspaceId, given, hasMerges, includeBots),
  periods,
  starts,
})

async function ask(readKept: ReadKept, { filter, breakdownRows, periods, starts }: FiguresQuestion) {
  const spans = [periods.previous, periods.current].map(({ fromMs, toMs }) => ({ fromMs, toMs }))
  const [previous, current] = spans
  if (previous === undefined || current === undefined) throw new Error('there are two')
  return readKept(overviewRead, filter, spans, { previous, current, starts, breakdownRows })
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
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
  fc.record({ kind: fc.constant('forget' as const), country: fc.constantFrom('', 'DE', 'AT') }),
  fc.record({ kind: fc.constant('merge' as const), original: fc.constantFrom('p1', 'p2', 'p3') }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('tidy', 'elsewhere', 'kill', 'stop' as const) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const someRows = (seed: number) => fc.sample(stored, { numRuns: 20, seed })

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-rows-'))
  folders.push(folder)
  return { folder, onFailure: raise }
}

let workspaces = 0
const newWorkspace = () => {
  workspaces += 1
  return `kept_${workspaces}`
}

/** What happens to the events of a workspace besides questions. */
async function happen(workspaceId: string, one: Step, index: number): Promise<void> {
  if (one.kind === 'store') await storeIn(events, workspaceId, one.rows, `${index}-`)
  if (one.kind === 'elsewhere') {
    const others = fc.sample(atDays, { numRuns: 2, seed: index })
    await storeIn(events, `${workspaceId}x`, others, `${index}-`)
  }
  if (one.kind === 'tidy') await events.command('OPTIMIZE TABLE events FINAL')
  if (one.kind === 'merge') await merge(events, workspaceId, one.original, 'p9')
  if (one.kind !== 'forget') return
  await events.command(
    `ALTER TABLE events DELETE WHERE workspace_id = '${workspaceId}' AND country = '${one.country}'
     SETTINGS mutations_sync = 2`,
  )
}

/** Rows of all days, or where there are more than a few events only sums of those that lie in a period as a whole. */
const kinds = fc.constantFrom(rowBounds, { ...rowBounds, rowsMax: 10 })

/** What is counted here is compared with the store's own statements in `tally/figures.test.ts`. */
test('kept rows answer what the store answers, whatever happens between two questions', async () => {
  const history = fc.array(step, { minLength: 4, maxLength: 12 })
  // Nothing is kept of a table that has no events at all.
  await storeIn(events, newWorkspace(), someRows(4), 'a')
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), rowFilters, kinds, async (steps, includeBots, given, bounds) => {
      const workspaceId = newWorkspace()
      const files = newFiles()
      const open = () => createKeptRows({ events, now: Date.now }, worker, { ...bounds, files })
      let { read, save } = open()
      const asks = [{ kind: 'ask' as const }, ...steps, { kind: 'ask' as const }]
      for (const [index, one] of asks.entries()) {
        await happen(workspaceId, one, index)
        // One that was killed leaves the file of the last one that was stopped.
        if (one.kind === 'stop') await save()
        if (one.kind === 'stop' || one.kind === 'kill') ({ read, save } = open())
        if (one.kind !== 'ask') continue
        const hasMerges = asks.slice(0, index).some(({ kind }) => kind === 'merge')
        // Whichever comes first reads the days.
        for (const filters of index % 2 === 0 ? [null, given] : [given, null]) {
          const wanted = question(workspaceId, hasMerges, includeBots, filters)
          const kept = await ask(read, wanted)
          if (kept === null && bounds !== rowBounds) continue
          expect(kept?.stored).toEqual(await selectStored(events, wanted.filter, periods.current))
          expect(kept && plain(kept.figures)).toEqual(plain(await tallyFigures(events, worker, wanted)))
        }
      }
    }),
    { numRuns: runs(10) },
  )
}, 240_000)

/** The days that were read for a question. */
async function daysRead(read: ReadKept, wanted: FiguresQuestion): Promise<number> {
  asked.length = 0
  await ask(read, wanted)
  return asked.reduce((sum, { fromMs, toMs }) => sum + (Number(toMs) - Number(fromMs)) / dayMs, 0)
}

/** A merge with what is there already would touch all its days. */
async function withoutMerges(work: () => Promise<void>): Promise<void> {
  await events.command('SYSTEM STOP MERGES events')
  try {
    await work()
  } finally {
    await events.command('SYSTEM START MERGES events')
  }
}

test('only days that changed are read again, and all of them after a workspace was forgotten', async () => {
  const { read, forget } = createKeptRows({ events, now: Date.now }, worker)
  const workspaceId = newWorkspace()
  const wanted = question(workspaceId, false, false)
  await withoutMerges(async () => {
    await storeIn(events, workspaceId, someRows(1), 'a')
    expect(await daysRead(read, wanted)).toBe(6)
    expect(await daysRead(read, wanted)).toBe(0)
    await storeIn(events, workspaceId, someRows(2), 'b')
    expect(await daysRead(read, wanted)).toBe(1)
  })
  await events.command('OPTIMIZE TABLE events FINAL')
  expect(await daysRead(read, wanted)).toBe(0)
  await forget(`${workspaceId}x`)
  expect(await daysRead(read, wanted)).toBe(0)
  await forget(workspaceId)
  expect(await daysRead(read, wanted)).toBe(6)
})

/** The files of a folder, below it. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

test('after a stop only days that changed are read, and all where the file is not whole or forgotten', async () => {
  const files = newFiles()
  const open = () => createKeptRows({ events, now: Date.now }, worker, { ...rowBounds, files })
  const workspaceId = newWorkspace()
  const wanted = question(workspaceId, false, false)
  await withoutMerges(async () => {
    await storeIn(events, workspaceId, someRows(1), 'a')
    const first = open()
    expect(await daysRead(first.read, wanted)).toBe(6)
    await first.save()
    const second = open()
    expect(await daysRead(second.read, wanted)).toBe(0)
    await storeIn(events, workspaceId, someRows(2), 'b')
    expect(await daysRead(second.read, wanted)).toBe(1)
    await second.save()
  })
  const [path = ''] = filesIn(files.folder)
  expect(await daysRead(open().read, wanted)).toBe(0)
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, whole.length - 1))
  expect(await daysRead(open().read, wanted)).toBe(6)
  writeFileSync(path, whole)
  const last = open()
  expect(await last.countFiles(workspaceId)).toBe(1)
  await last.forget(`${workspaceId}x`)
  expect(await last.countFiles(workspaceId)).toBe(1)
  await last.forget(workspaceId)
  expect(filesIn(files.folder)).toEqual([])
  expect(await daysRead(last.read, wanted)).toBe(6)
  // What is forgotten is not written by a stop.
  await last.forget(workspaceId)
  await last.save()
  expect(filesIn(files.folder)).toEqual([])
})

test('files of sites that are not asked for any more go, and those that were half written', async () => {
  const files = newFiles()
  const open = () => createKeptRows({ events, now: Date.now }, worker, { ...rowBounds, files })
  const [one, other] = [newWorkspace(), newWorkspace()]
  for (const workspaceId of [one, other]) {
    await storeIn(events, workspaceId, someRows(3), 'a')
    const { read, save } = open()
    await ask(read, question(workspaceId, false, false))
    await save()
  }
  expect(filesIn(files.folder)).toHaveLength(2)
  const [path = '', left = ''] = filesIn(files.folder)
  utimesSync(path, new Date(), new Date(Date.now() - 8 * dayMs))
  writeFileSync(`${left}.new`, 'x')
  await open().save()
  expect(filesIn(files.folder)).toEqual([left])
})

/** One millisecond after the other. */
const largeDay = (ms: number, rows: number) =>
  fc.sample(stored, { numRuns: rows, seed: 5 }).map((row, index): Stored => ({ ...row, ms: ms + index }))
const atHour = (hour: number) => startMs + hour * hourMs

test('events of another site, and an event of long ago, leave the other days as they are', async () => {
  const workspaceId = newWorkspace()
  const wanted = question(workspaceId, false, true)
  const { read } = createKeptRows({ events, now: Date.now }, worker)
  const rows = [-9, 0, 24, 48, 72, 100].flatMap((hour) => largeDay(atHour(hour), 2))
  await withoutMerges(async () => {
    await storeIn(events, workspaceId, rows, 'a')
    expect(await daysRead(read, wanted)).toBe(6)
    await storeIn(events, `${workspaceId}x`, rows, 'b')
    expect(await daysRead(read, wanted)).toBe(0)
    await storeIn(events, workspaceId, [...largeDay(atHour(1), 1), ...largeDay(atHour(101), 1)], 'c')
    expect(await daysRead(read, wanted)).toBe(2)
  })
})

test('no more is kept than fits, and what is too large for the memory is left to the store', async () => {
  const [one, other] = [newWorkspace(), newWorkspace()]
  for (const workspaceId of [one, other]) await storeIn(events, workspaceId, someRows(3), 'a')
  const [first, second] = [one, other].map((workspaceId) => question(workspaceId, false, false))
  if (first === undefined || second === undefined) throw new Error('there are two')
  const small = createKeptRows({ events, now: Date.now }, worker, { ...rowBounds, keptMax: 1 }).read
  expect([await daysRead(small, first), await daysRead(small, second)]).toEqual([6, 6])
  expect([await daysRead(small, first), await daysRead(small, second)]).toEqual([6, 6])
  const none = createKeptRows({ events, now: Date.now }, worker, { rowsMax: 3, bytesMax: 1_000_000 }).read
  expect(await ask(none, first)).toBeNull()
})

test('of a site with too many events sums of whole days are kept, and rows where they are needed', async () => {
  const workspaceId = newWorkspace()
  const days = [...largeDay(atHour(5), 9), ...largeDay(atHour(71), 9), ...largeDay(atHour(47), 2)]
  await storeIn(events, workspaceId, days, 'a')
  const wanted = question(workspaceId, true, true)
  const { read } = createKeptRows({ events, now: Date.now }, worker, { ...rowBounds, rowsMax: 12 })
  const equalsStore = async () => {
    const kept = await ask(read, wanted)
    expect(kept && plain(kept.figures)).toEqual(plain(await tallyFigures(events, worker, wanted)))
    expect(kept?.stored).toEqual(await selectStored(events, wanted.filter, periods.current))
  }
  expect(await daysRead(read, wanted)).toBe(6)
  await equalsStore()
  expect(await daysRead(read, wanted)).toBe(0)
  // A visit of one summed day continues in the other, and its first value comes late.
  await storeIn(events, workspaceId, largeDay(atHour(48), 3), 'b')
  expect(await daysRead(read, wanted)).toBe(1)
  await equalsStore()
  // Filters need the rows of all days, which are too many.
  const filtered = question(workspaceId, true, true, [['is', 'country', ['DE']]])
  expect(await ask(read, filtered)).toBeNull()
  const ofOneDay = { ...filtered, periods: { previous: day(46, 47), current: day(48, 52) } }
  expect(await ask(read, ofOneDay)).not.toBeNull()
  const tooLarge = createKeptRows({ events, now: Date.now }, worker, { ...rowBounds, rowsMax: 8 }).read
  expect(await ask(tooLarge, wanted)).toBeNull()
})

test('what is read of a large site ends when its workspace is forgotten, and the store answers', async () => {
  const workspaceId = newWorkspace()
  const rows = [-9, 0, 24, 48, 72, 100].flatMap((hour) => largeDay(atHour(hour), 2))
  await storeIn(events, workspaceId, rows, 'a')
  const wanted = question(workspaceId, false, true)
  const reading = Promise.withResolvers<void>()
  const isForgotten = Promise.withResolvers<void>()
  const slow = {
    ...events,
    bytes: async (sql: string, params?: QueryParams) => {
      reading.resolve()
      await isForgotten.promise
      return events.bytes(sql, params)
    },
  }
  // A batch for each day.
  const { read, forget } = createKeptRows({ events: slow, now: Date.now }, worker, {
    ...rowBounds,
    rowsMax: 2,
  })
  const few = { ...wanted, periods: { previous: day(0, 24), current: day(24, 96) } }
  asked.length = 0
  const answers = [ask(read, few), ask(read, few)]
  await reading.promise
  const forgotten = forget(workspaceId)
  isForgotten.resolve()
  expect(await Promise.all(answers)).toEqual([null, null])
  await forgotten
  expect(asked).toHaveLength(1)
  expect(await ask(read, few)).not.toBeNull()
})

test('a letter that is folded in several ways, many placeholders and many values are left to the store', async () => {
  const { read } = createKeptRows({ events, now: Date.now }, worker)
  const workspaceId = newWorkspace()
  const [row] = someRows(1)
  if (row === undefined) throw new Error('there is one')
  const kelvin = { ...row, path: '/\u212a', session: 's1', is_bot: 0, ms: startMs + 47 * hourMs }
  await storeIn(events, workspaceId, [kelvin], 'a')
  const contains = (value: string) => question(workspaceId, false, true, [['contains', 'page', [value]]])
  expect(await ask(read, contains('k'))).toBeNull()
  const stars = question(workspaceId, false, true, [['is', 'page', ['*a'.repeat(21)]]])
  expect(await ask(read, stars)).toBeNull()
  const many = ['contains', 'page', Array.from({ length: 21 }, (_, index) => `x${index}`)]
  expect(await ask(read, question(workspaceId, false, true, [many]))).toBeNull()
  expect(await ask(read, question(workspaceId, false, true, [['isSet', 'page']]))).not.toBeNull()
})
