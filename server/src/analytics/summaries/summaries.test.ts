import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { raise, startWorld, type World } from '../../testing/harness.ts'
import {
  type Death,
  dayStartMs,
  days,
  death,
  dying,
  event,
  forget,
  load,
  merge,
  places,
  prepareLoads,
  retain,
  type Shop,
  someone,
  writeSegment,
} from '../../testing/summary-history.ts'
import { readFigures } from '../figures.ts'
import { askedFigures, toOverview } from '../overview.ts'
import { hasSoundNumbers } from './build-store.ts'
import { buildLimits, buildSummaries } from './builder.ts'
import { readSummed } from './summed-figures.ts'

let world: World
const root = mkdtempSync(join(tmpdir(), 'assay-summaries-'))
beforeAll(async () => {
  world = await startWorld()
  await prepareLoads(world.product.deps.events)
})
afterAll(async () => {
  await world?.close()
  rmSync(root, { recursive: true, force: true })
})

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      sent: fc.array(event, { maxLength: 6 }),
      death,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('build' as const),
      days: fc.integer({ min: 1, max: 8 }),
      death,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), person: someone, into: someone }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      person: someone,
      mode: fc.constantFrom('erase' as const, 'anonymise' as const),
      death,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('retain' as const),
      day: fc.integer({ min: 0, max: 2 }),
      death,
    }),
  },
)
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

function build({ siteId, place }: Shop, events: Events, daysPerRun: number) {
  const { control } = world.product.deps
  const findSite = async (_: string, id: string) => (id === siteId ? place : null)
  // As if it were a few days after the last of them.
  const now = () => dayStartMs(place, days + 2)
  const limits = { ...buildLimits, eventsMin: 1e9, quietMs: 0, daysPerRun }
  return buildSummaries({ control, events, now, findSite }, limits, raise)
}

/** Does it with a store that may fail, and if it did, says so to be done again. */
async function attempt(work: (events: Events) => Promise<unknown>, died: Death): Promise<boolean> {
  const { events } = world.product.deps
  if (died === null) {
    await work(events)
    return true
  }
  return work(dying(events, died)).then(
    () => true,
    () => false,
  )
}

/** Resolves after each step that a reader may see: also between a death and the next attempt. */
async function act(shop: Shop, one: Action, check: () => Promise<void>): Promise<void> {
  const live = world.product.deps.events
  if (one.kind === 'merge') return merge(live, shop, one.person, one.into)
  const died = one.death
  const path = one.kind === 'load' ? writeSegment(root, shop, one.sent) : ''
  const work = (isAgain: boolean) => async (events: Events) => {
    if (one.kind === 'load') return load(live, events, one.sent.length, isAgain, path)
    if (one.kind === 'build') return build(shop, events, one.days)
    if (one.kind === 'forget') return forget(live, events, shop, one.person, one.mode)
    return retain(events, shop, one.day)
  }
  if (await attempt(work(false), died)) return
  await check()
  await attempt(work(true), null)
}

const moment = fc.record({
  day: fc.integer({ min: -1, max: days }),
  plusMs: fc.constantFrom(0, 0, 0, 5 * hourMs, 7 * hourMs + 1_234),
})
const question = fc.record({
  from: moment,
  to: moment,
  interval: fc.constantFrom('day' as const, 'day' as const, 'month' as const),
})
type Question = typeof question extends fc.Arbitrary<infer One> ? One : never

/** Whether days that are summed up were used. */
async function compare(shop: Shop, asked: Question, hasMerges: boolean): Promise<boolean> {
  const { events } = world.product.deps
  const { place, workspaceId, siteId } = shop
  const [one, other] = [asked.from, asked.to].map(({ day, plusMs }) => dayStartMs(place, day) + plusMs)
  const [fromMs = 0, toMs = 0] = [one ?? 0, other ?? 0].sort((a, b) => a - b)
  if (fromMs === toMs) return false
  const readOverlays = { overlay: null, superseded: null, hasMerges }
  const filter = { workspaceId, siteId, includeBots: false, readOverlays }
  const period = { fromMs, toMs, timezone: place.timezone, nowMs: dayStartMs(place, days + 2) }
  const figures = askedFigures(filter, period, asked.interval)
  const summed = await readSummed(events, figures)
  if (summed === null) return false
  const site = { id: siteId, events_removed_before: null }
  const money = { currency: 'EUR', rates: [] }
  const plain = await readFigures(events, figures)
  expect(toOverview(site, money, figures, summed)).toEqual(toOverview(site, money, figures, plain))
  return true
}

const wholeHistory: Question = {
  from: { day: 0, plusMs: 0 },
  to: { day: days, plusMs: 0 },
  interval: 'day',
}

test('an overview from sums of days is the one from the events, whatever changes them and wherever a process dies', async () => {
  let used = 0
  const property = fc.asyncProperty(
    places,
    fc.array(event, { minLength: 8, maxLength: 30 }),
    fc.array(action, { minLength: 3, maxLength: 6 }),
    fc.array(question, { minLength: 1, maxLength: 2 }),
    async (place, sent, actions, questions) => {
      const { events } = world.product.deps
      const shop: Shop = { ...(await world.newWorkspace({ timezone: place.timezone })), place }
      const { workspaceId, siteId } = shop
      await events.insertRows('summary_sites', [{ workspace_id: workspaceId, site_id: siteId }])
      await load(events, events, sent.length, false, writeSegment(root, shop, sent))
      await build(shop, events, days + 2)
      const check = async () => {
        const hasMerges = actions.some(({ kind }) => kind === 'merge')
        for (const one of [wholeHistory, ...questions]) {
          if (await compare(shop, one, hasMerges)) used += 1
        }
      }
      expect(await compare(shop, wholeHistory, false)).toBe(true)
      for (const one of actions) {
        await act(shop, one, check)
        await check()
      }
      await build(shop, events, days + 2)
      expect(await hasSoundNumbers(events, { workspaceId, siteId })).toBe(true)
      await check()
    },
  )
  await fc.assert(property, { numRuns: 6, endOnFailure: true })
  expect(used).toBeGreaterThan(20)
}, 600_000)
