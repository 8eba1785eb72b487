import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeptRows, type ReadKept } from '../../analytics/kept-rows/kept-rows.ts'
import { createComputeWorker } from '../../analytics/sequences/compute-worker.ts'
import { rowBounds } from '../../analytics/tally/row-bounds.ts'
import { dayMs } from '../../platform/units.ts'
import { type StruckVisit, tallyVisits } from '../../testing/error-tally.ts'
import { drawVisits, randomOf, strike } from '../../testing/error-traffic.ts'
import { raise, startWorld, type World } from '../../testing/harness.ts'
import { groupsOfSessionMax } from './landmark.ts'
import { selectSessionTally } from './landmark-store.ts'
import { orderValues } from './order-value.ts'
import type { ImpactScope } from './session-store.ts'
import { estimatesOf, type SessionTally } from './session-tally.ts'
import { dayWalksPlace } from './sessions/day-walks.ts'
import type { TalliedOrders } from './sessions/session-rows.ts'
import { readSessionTally } from './sessions/session-tallies.ts'
import { selectOrderCells, selectValueLimits } from './value-store.ts'

const fromMs = Date.UTC(2026, 9, 1)
const toMs = fromMs + 30 * dayMs
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const pages = ['/', '/product/42', '/cart', '/checkout/pay']

/** Visits with two harmless groups of errors on pages of any stage; each sample has distinct devices. */
function drawStruck(seed: number): StruckVisit[] {
  const random = randomOf(seed)
  return drawVisits(random, 250, { goesOn: seed % 2 === 0 }).map((visit) => ({
    ...visit,
    device: `${visit.device} ${seed}`,
    isReturning: false,
    errors: [
      { groupId: 'Alpha', ms: strike(visit, random, { by: 'visit', chance: 0.3 }) },
      { groupId: 'Alpha', ms: strike(visit, random, { by: 'visit time', chance: 0.2 }) },
      { groupId: 'Beta', ms: strike(visit, random, { by: 'step', chance: 0.1 }) },
    ].flatMap(({ groupId, ms }) =>
      ms === null ? [] : [{ groupId, ms, stage: random() < 0.2 ? Math.floor(random() * 4) : 0 }],
    ),
  }))
}

const startOf = (index: number) => fromMs + dayMs + index * 900_000

/** Straight into the table: the gate has no part in this. */
async function store(siteId: string, visits: readonly StruckVisit[]): Promise<void> {
  const rows = visits.flatMap((visit, index) => {
    const startMs = startOf(index)
    const row = (name: string, ms: number, stage: number, rest: object) => ({
      workspace_id: 'wsp_drawn',
      site_id: siteId,
      ts: new Date(startMs + ms).toISOString().slice(0, -1),
      name,
      counted: 1,
      session_key: `${index + 1}`,
      person_key: `${index + 1}`,
      device: visit.device,
      path: pages[stage],
      ...rest,
    })
    return [
      ...visit.steps.map(({ ms, stage, isPurchase }) =>
        isPurchase
          ? row('$purchase', ms, stage, { amount: '50', currency: 'EUR' })
          : row('$pageview', ms, stage, {}),
      ),
      ...visit.errors.map(({ groupId, ms, stage }) =>
        row('error', ms, stage, { properties: JSON.stringify({ message: groupId }) }),
      ),
    ]
  })
  const numbered = rows.map((row, index) => ({ ...row, event_id: `${siteId}-${index}` }))
  await world.product.deps.events.insertRows('events', numbered)
}

function scopeOf(siteId: string): ImpactScope {
  const readOverlays = { overlay: null, superseded: null, hasMerges: false }
  return {
    filter: { workspaceId: 'wsp_drawn', siteId, includeBots: false, readOverlays },
    previousFromMs: fromMs - 30 * dayMs,
    previousToMs: fromMs,
    fromMs,
    toMs,
    money: { currency: 'EUR', rates: [] },
    only: null,
  }
}

type ReadTally = (siteId: string, periods?: Partial<ImpactScope>) => Promise<TalliedOrders>

const worker = createComputeWorker(0)
const folder = mkdtempSync(join(tmpdir(), 'assay-sums-'))
afterAll(async () => {
  await worker.close()
  rmSync(folder, { recursive: true, force: true })
})

/** More than any day of the sites that are drawn has, and less than all of their days together. */
const summedMin = 5_000

/** As on a site with too many events for the memory: of its days only what is counted is kept. */
async function readSummed(...[{ events }, ...asked]: Parameters<typeof readSessionTally>) {
  const read: string[] = []
  const heard: typeof events = {
    ...events,
    bytes: (sql, params) => {
      if (sql.includes('row_session')) read.push(sql)
      return events.bytes(sql, params)
    },
  }
  const open = () => {
    const files = { folder, onFailure: raise }
    const kept = createKeptRows({ events: heard, now: Date.now }, worker, {
      ...rowBounds,
      rowsMax: summedMin,
      files,
    })
    kept.countDays(dayWalksPlace)
    return kept
  }
  const first = open()
  await readSessionTally({ events: heard, readKept: first.read }, ...asked)
  await first.save()
  const statements = read.length
  let isKept = false
  const readKept: ReadKept = async (...wanted) => {
    const answer = await open().read(...wanted)
    isKept = answer !== null
    return answer
  }
  const found = await readSessionTally({ events: heard, readKept }, ...asked)
  // Its file has all that is counted; a day that is too large for the memory is left to the store.
  expect([isKept, read.length]).toEqual([!asked[0].filter.siteId.startsWith('site_long'), statements])
  return found
}

/** The store's own statement, rows that are kept in memory, and sums of days. */
const ways: [string, string, typeof readSessionTally][] = [
  [
    'in the store',
    'store',
    async ({ events }, scope, map, limits) => {
      const own = limits ?? (await selectValueLimits(events, scope))
      const tallied = await selectSessionTally(events, scope, await map, own)
      return { tallied, orders: await selectOrderCells(events, scope, own) }
    },
  ],
  ['of kept rows', 'rows', readSessionTally],
  ['of sums of days', 'sums', readSummed],
]

async function readTallyBy(
  read: typeof readSessionTally,
  siteId: string,
  periods: Partial<ImpactScope> = {},
): Promise<TalliedOrders> {
  const { events, readKept } = world.product.deps
  const keys = await events.query<{ key: string; title: string }>(
    `SELECT DISTINCT lower(leftPad(hex(error_key), 16, '0')) AS key, toString(error_title) AS title FROM events
     WHERE site_id = {siteId:String} AND name = 'error' AND workspace_id = 'wsp_drawn'`,
    { siteId },
  )
  return read(
    { events, readKept },
    { ...scopeOf(siteId), ...periods },
    { keys: keys.map(({ key }) => key), groups: keys.map(({ title }) => title) },
    { high: 0, medium: 0 },
  )
}

/** Rows by what they are of; sums of quotients differ in the last digits by the order in which they are added. */
function comparable({ moments, hits }: SessionTally) {
  const rounded = (sums: object) =>
    Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, Number(value.toFixed(9))]))
  const places = moments.map(({ groupId, stratum, cell, moments: sums, onward }) => [
    `${groupId}/${stratum}/${cell}/${onward?.cell}`,
    { ...rounded(sums), before: onward?.steps },
  ])
  const struck = hits.map(({ groupId, stratum, cell, sessions, converted }) => [
    `${groupId}/${stratum}/${cell}`,
    { sessions, converted },
  ])
  return { moments: Object.fromEntries(places), hits: Object.fromEntries(struck) }
}

describe.each(ways)('the tally of sessions %s', (_, suffix, way) => {
  const readTally: ReadTally = (...asked) => readTallyBy(way, ...asked)

  test('equals the one that is made visit by visit, and so do the estimates', async () => {
    const visits = Array.from({ length: 10 }, (_, index) => drawStruck(index + 1)).flat()
    await store(`site_drawn_${suffix}`, visits)
    const [{ tallied: found }, expected] = [await readTally(`site_drawn_${suffix}`), tallyVisits(visits)]
    expect(comparable(found)).toEqual(comparable(expected))
    const values = orderValues([
      { segment: 'new_visitor', cohort: '', orders: 100, sum: 5_000, squares: 250_000 },
    ])
    const [ofStore, ofModel] = [found, expected].map((tally) => estimatesOf(tally, true, values))
    expect([...(ofModel?.keys() ?? [])].sort()).toEqual(['Alpha', 'Beta'])
    for (const [group, { loss, interval, evidence }] of ofModel ?? []) {
      expect(ofStore?.get(group)?.loss).toBeCloseTo(loss, 6)
      expect(ofStore?.get(group)?.interval.high).toBeCloseTo(interval.high, 6)
      expect(ofStore?.get(group)?.evidence).toBe(evidence)
    }
    const previous = {
      previousFromMs: fromMs,
      previousToMs: fromMs + 10 * dayMs,
      fromMs: fromMs + 20 * dayMs,
    }
    const { tallied: apart } = await readTally(`site_drawn_${suffix}`, previous)
    const starts = visits.map((_, index) => startOf(index))
    const between = starts.filter((ms) => ms >= previous.previousToMs && ms < previous.fromMs)
    expect(between).not.toHaveLength(0)
    expect(apart.sessions).toBe(visits.length - between.length)
  }, 120_000)

  test('takes the first errors of a session that meets thousands, of thousands of steps', async () => {
    const [sessions, steps, errors] = [30, 3_000, 1_500]
    await world.product.deps.events.command(
      `INSERT INTO events
         (workspace_id, site_id, ts, name, counted, session_key, person_key, path, properties, event_id)
       SELECT 'wsp_drawn', 'site_long_${suffix}', fromUnixTimestamp64Milli({startMs:Int64} + place * 10),
              if(place < {steps:UInt32}, '$pageview', 'error'), 1, session + 1, session + 1, '/',
              if(place < {steps:UInt32}, '', concat('{"message": "Kind ', toString(place), 'x"}')),
              concat('long-', toString(number))
       FROM (SELECT number, number % {places:UInt32} AS place, intDiv(number, {places:UInt32}) AS session
             FROM numbers({rows:UInt32}))`,
      { startMs: fromMs + dayMs, steps, places: steps + errors, rows: sessions * (steps + errors) },
    )
    const { hits, sessions: seen } = (await readTally(`site_long_${suffix}`)).tallied
    expect(seen).toBe(sessions)
    expect(new Set(hits.map(({ groupId }) => groupId)).size).toBe(groupsOfSessionMax)
    expect(hits.reduce((total, one) => total + one.sessions, 0)).toBe(sessions * groupsOfSessionMax)
  }, 120_000)

  test('takes a customer with thousands of orders in thousands of sessions', async () => {
    const sessions = 12_000
    const { events } = world.product.deps
    await events.command(
      `INSERT INTO events
         (workspace_id, site_id, ts, name, counted, session_key, person_key, path, properties, amount, currency,
          order_id, event_id)
       SELECT 'wsp_drawn', 'site_customer_${suffix}', fromUnixTimestamp64Milli({startMs:Int64} + session * 60000 + place * 1000),
              ['$pageview', 'error', '$purchase'][place + 1], 1, session + 1, 7, '/',
              if(place = 1, '{"message": "Always"}', ''), if(place = 2, 1, NULL), 'EUR',
              if(place = 2, concat('o', toString(session)), ''), concat('customer-', toString(number))
       FROM (SELECT number, number % 3 AS place, intDiv(number, 3) AS session FROM numbers({rows:UInt32}))`,
      { startMs: fromMs + dayMs, rows: 3 * sessions },
    )
    const { tallied, orders: cells } = await readTally(`site_customer_${suffix}`)
    const { hits, sessions: seen } = tallied
    expect(seen).toBe(sessions)
    const hitsOf = (segment: string) =>
      hits.filter((one) => one.segment === segment).reduce((total, one) => total + one.sessions, 0)
    expect([hitsOf('new_visitor'), hitsOf('high_ltv')]).toEqual([1, sessions - 1])
    expect(cells.reduce((total, { orders, sum }) => total + orders + sum, 0)).toBe(2 * sessions)
    expect(cells.find(({ segment }) => segment === 'new_visitor')?.orders).toBe(1)
  }, 120_000)
})
