import {
  type Backfill,
  type BackfillPreview,
  createDefinition,
  createMapping,
  deleteMapping,
  getBackfill,
  getCatalog,
  getOverview,
  getReceipt,
  getTimeline,
  listBackfills,
  overlaidEventsMax,
  releaseQuarantined,
  resolveIdentity,
  standingBackfillsMax,
  startBackfill,
  type TimelineEvent,
  updateMapping,
  withdrawBackfill,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import { startWorld, type TestWorkspace, undated, untilTrue, type World } from '../../testing/harness.ts'
import { findRule } from '../mappings/mappings.ts'
import { createBackfills } from './backfills.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1e6, segmentAgeMsMax: 60_000 } })
})
afterAll(() => world?.close())

const ago = (days: number, ms = 0) => new Date(Date.now() - days * dayMs + ms).toISOString()

type Wire = { event?: string; event_id?: string; ts?: string; properties?: object }

async function send(shop: TestWorkspace, ...events: Wire[]): Promise<string[]> {
  const wire = events.map((event) => ({ event: 'shop_order', user_id: 'u1', historical: true, ...event }))
  const results = await shop.send(wire, { outcomes: ['accept', 'warn', 'quarantine', 'reject'] })
  return results.map(({ outcome }) => outcome)
}

const order = (total: number, orderId?: string) => ({
  total,
  currency: 'EUR',
  ...(orderId !== undefined && { order_id: orderId }),
})

/** A shop that knows its own event by a contract, and then a rule that says what it means. */
async function shopWithRule(...events: Wire[]): Promise<{ shop: TestWorkspace; mappingId: string }> {
  const shop = await world.newWorkspace({ preset: 'strict' })
  await shop.call(createDefinition, { body: { name: 'shop_order' } })
  if (events.length > 0) await send(shop, ...events)
  return { shop, mappingId: await addRule(shop) }
}

async function addRule(shop: TestWorkspace): Promise<string> {
  const body = {
    siteId: shop.siteId,
    source: 'shop_order',
    target: '$purchase',
    propertyMap: { total: 'amount' },
  }
  return (await shop.call(createMapping, { body })).body.id
}

async function start(shop: TestWorkspace, id: string, range = { from: ago(10) }): Promise<Backfill> {
  const { status, body } = await shop.call(startBackfill, { params: { id }, body: range })
  expect(status).toBe(202)
  if ('dryRun' in body) throw new Error('a job was asked for')
  return body
}

async function lay(shop: TestWorkspace, id: string, range = { from: ago(10) }): Promise<Backfill> {
  const started = await start(shop, id, range)
  return done(shop, started.id)
}

async function done(shop: TestWorkspace, id: string): Promise<Backfill> {
  const read = async () => (await shop.call(getBackfill, { params: { id } })).body
  await untilTrue('the back-fill', async () => (await read()).status === 'done', 60_000)
  return read()
}

async function preview(shop: TestWorkspace, id: string): Promise<BackfillPreview> {
  const answer = await shop.call(startBackfill, { params: { id }, body: { from: ago(10), dryRun: true } })
  expect(answer.status).toBe(200)
  if (!('dryRun' in answer.body)) throw new Error('a dry run was asked for')
  return answer.body
}

async function reads(shop: TestWorkspace) {
  const query = { siteId: shop.siteId, window: '20d', includeBots: true }
  const overview = (await shop.call(getOverview, { query })).body
  const catalog = (await shop.call(getCatalog, { query: { limit: 200 } })).body.data
  return { overview: { ...undated(overview), period: null, previous: null, series: null }, catalog }
}

/** A fingerprint of the stored rows. */
async function storedRows(shop: TestWorkspace) {
  return world.product.deps.events.query(
    `SELECT count() AS rows, groupBitXor(cityHash64(*)) AS hash FROM events WHERE workspace_id = {workspaceId:String}`,
    { workspaceId: shop.workspaceId },
  )
}

const volumeOf = (catalog: Awaited<ReturnType<typeof reads>>['catalog'], name: string) =>
  catalog.find((event) => event.name === name)?.volume

/** All pages of what a user did, as it is called now. */
async function timelineOf(shop: TestWorkspace, user_id: string) {
  const identifiers = [{ type: 'user_id', value: user_id }]
  const { body } = await shop.call(resolveIdentity, { body: { identifiers, read_only: true } })
  const params = { id: String(body.person_id) }
  return async (query: { event?: string; limit?: number }): Promise<TimelineEvent[]> => {
    const events: TimelineEvent[] = []
    let cursor: string | null | undefined
    do {
      const page = await shop.call(getTimeline, { params, query: { ...query, ...(cursor && { cursor }) } })
      events.push(...page.body.data)
      cursor = page.body.next_cursor
    } while (cursor)
    return events
  }
}

describe('a back-fill', () => {
  test('changes what reads and receipts say, not what is stored, and its withdrawal takes all of it back', async () => {
    const { shop, mappingId } = await shopWithRule(
      { event_id: 'b1', ts: ago(3), properties: order(10, 'o1') },
      { event_id: 'b2', ts: ago(2), properties: order(20, 'o1') },
      { event: 'Shop Order', event_id: 'b3', ts: ago(2), properties: { total: '5.5', currency: 'EUR' } },
      { event_id: 'b4', ts: ago(1), properties: { total: 1 } },
    )
    const before = { ...(await reads(shop)), rows: await storedRows(shop) }
    const receipt = async (event_id: string) => (await shop.call(getReceipt, { params: { event_id } })).body
    const firstReceipt = await receipt('b3')
    const timeline = await timelineOf(shop, 'u1')
    const firstTimeline = await timeline({})
    const seen = await preview(shop, mappingId)
    expect(seen).toMatchObject({
      matched: 4,
      judged: 4,
      events: 3,
      renamed: 3,
      refused: 1,
      repeatedOrders: 1,
      codes: { mapping_incomplete: 1 },
    })
    expect(seen.samples).toMatchObject([
      { eventId: 'b4', name: 'shop_order', outcome: 'quarantine', issues: [{ code: 'mapping_incomplete' }] },
      { eventId: 'b1', outcome: 'accept', amount: 10, currency: 'EUR', orderId: 'o1' },
      { eventId: 'b2' },
      { eventId: 'b3', outcome: 'warn', amount: 5.5, issues: [{ code: 'type_coerced' }] },
    ])
    expect(await reads(shop)).toEqual({ overview: before.overview, catalog: before.catalog })

    const readOverlays = await lay(shop, mappingId)
    expect(readOverlays).toMatchObject({
      progress: 1,
      matched: 4,
      events: 3,
      refused: 1,
      target: '$purchase',
    })
    const after = await reads(shop)
    expect(after.overview.metrics).toMatchObject({ events: 3, conversions: 2, revenue: 15.5 })
    expect(after.overview.breakdowns.events).toMatchObject([
      { key: '$purchase', events: 2 },
      { key: 'shop_order', events: 1 },
    ])
    expect([volumeOf(after.catalog, '$purchase'), volumeOf(after.catalog, 'shop_order')]).toEqual([3, 1])
    expect(await receipt('b3')).toEqual({
      ...firstReceipt,
      read_as: { name: '$purchase', rule: mappingId, backfill_id: readOverlays.id, counted: true },
    })
    expect((await receipt('b2')).read_as).toMatchObject({ counted: false })
    expect((await receipt('b4')).read_as).toBeNull()
    expect(await storedRows(shop)).toEqual(before.rows)
    const named = (events: readonly TimelineEvent[]) =>
      events.map(({ event_id, name }) => `${event_id} ${name}`)
    const asNamedNow = ['b4 shop_order', 'b3 $purchase', 'b2 $purchase', 'b1 $purchase']
    expect(named(await timeline({})).toSorted()).toEqual(asNamedNow.toSorted())
    expect(named(await timeline({ event: '$purchase', limit: 2 })).toSorted()).toEqual(
      asNamedNow.slice(1).toSorted(),
    )
    expect(named(await timeline({ event: 'shop_order', limit: 1 }))).toEqual(['b4 shop_order'])

    const withdrawn = await shop.call(withdrawBackfill, { params: { id: readOverlays.id } })
    expect(withdrawn.body).toMatchObject({ status: 'withdrawn', finishedAt: expect.any(String) })
    expect({ ...(await reads(shop)), rows: await storedRows(shop) }).toEqual(before)
    expect(await receipt('b3')).toEqual(firstReceipt)
    expect(await timeline({})).toEqual(firstTimeline)
    const again = await shop.call(withdrawBackfill, { params: { id: readOverlays.id } })
    expect(again.body).toEqual(withdrawn.body)
  })

  test('counts an order once, also with purchases that are stored as such or come later', async () => {
    const { shop, mappingId } = await shopWithRule(
      { event_id: 'c1', ts: ago(5), properties: order(10, 'o1') },
      { event_id: 'c2', ts: ago(5), properties: order(20, 'o2') },
    )
    const stored = (id: string, orderId: string, days: number) => ({
      event: '$purchase',
      event_id: id,
      ts: ago(days),
      properties: { amount: 100, currency: 'EUR', order_id: orderId },
    })
    await send(shop, stored('c3', 'o1', 4), stored('c4', 'o3', 4))
    expect((await reads(shop)).overview.metrics).toMatchObject({ revenue: 200, conversions: 2 })
    await lay(shop, mappingId)
    expect((await reads(shop)).overview.metrics).toMatchObject({ revenue: 130, conversions: 3 })
    await send(shop, stored('c5', 'o2', 3), stored('c6', 'o5', 3))
    expect((await reads(shop)).overview.metrics).toMatchObject({ revenue: 230, conversions: 4 })
  })

  test('stays as it was made when its rule is edited or deleted; the newest has the last word until it goes', async () => {
    const { shop, mappingId } = await shopWithRule(
      { event_id: 'd1', ts: ago(3), properties: { ...order(10), method: 'x' } },
      { event_id: 'd2', ts: ago(1), properties: { ...order(20), method: 'x' } },
    )
    const purchases = await lay(shop, mappingId)
    await shop.call(updateMapping, { params: { id: mappingId }, body: { target: '$signup' } })
    const signups = await lay(shop, mappingId, { from: ago(2) })
    const names = async () =>
      (await reads(shop)).overview.breakdowns.events.map(({ key, events }) => `${key} ${events}`)
    expect(await names()).toEqual(['$purchase 1', '$signup 1'])
    await shop.call(deleteMapping, { params: { id: mappingId }, query: {} })
    expect(await names()).toEqual(['$purchase 1', '$signup 1'])
    await shop.call(withdrawBackfill, { params: { id: signups.id } })
    expect(await names()).toEqual(['$purchase 2'])
    const { data } = (await shop.call(listBackfills, { query: { siteId: shop.siteId } })).body
    expect(data).toMatchObject([
      { id: signups.id, status: 'withdrawn', target: '$signup' },
      { id: purchases.id, status: 'done', target: '$purchase' },
    ])
    await shop.call(withdrawBackfill, { params: { id: purchases.id } })
    expect(await names()).toEqual(['shop_order 2'])
  })

  test('leaves quarantined events alone, and covers those that were released under their old name', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const arrived = [
      { event: 'Shop Order', event_id: 'h1', ts: ago(2), properties: order(10) },
      { event: 'Shop Order', event_id: 'h2', ts: ago(2), properties: order(20) },
    ]
    expect(await send(shop, ...arrived)).toEqual(['quarantine', 'quarantine'])
    await shop.call(createDefinition, { body: { name: 'shop_order' } })
    const before = (await reads(shop)).catalog
    expect(volumeOf(before, 'Shop Order')).toBe(2)
    await shop.call(releaseQuarantined, { body: { ids: ['qtn_h1'] } }, { key: shop.keys.secret })
    await shop.settle()
    const readOverlays = await lay(shop, await addRule(shop))
    expect(readOverlays).toMatchObject({ matched: 1, events: 1 })
    const after = await reads(shop)
    expect(after.overview.metrics).toMatchObject({ events: 1, revenue: 10 })
    expect([volumeOf(after.catalog, 'Shop Order'), volumeOf(after.catalog, '$purchase')]).toEqual([1, 1])
    await shop.call(withdrawBackfill, { params: { id: readOverlays.id } })
    expect((await reads(shop)).catalog).toEqual(before)
  })
})

describe('a back-fill is refused', () => {
  test('with a range that is none, and for a rule or site that is not there', async () => {
    const { shop, mappingId } = await shopWithRule()
    const ask = async (id: string, body: { from: string; to?: string; siteId?: string }) =>
      (await shop.call(startBackfill, { params: { id }, body })).status
    expect(await ask(mappingId, { from: 'yesterday' })).toBe(422)
    expect(await ask(mappingId, { from: '2026-02-02', to: '2026-02-01' })).toBe(422)
    expect(await ask(mappingId, { from: '2199-01-01' })).toBe(422)
    expect(await ask('map_none', { from: ago(1) })).toBe(404)
    expect(await ask('map_seed_user_login', { from: ago(1) })).toBe(422)
    const other = await world.newWorkspace({ preset: 'strict' })
    expect(await ask(mappingId, { from: ago(1), siteId: other.siteId })).toBe(404)
    expect(
      (await other.call(startBackfill, { params: { id: mappingId }, body: { from: ago(1) } })).status,
    ).toBe(404)
    expect((await other.call(listBackfills, { query: { siteId: shop.siteId } })).status).toBe(404)
    for (const route of [getBackfill, withdrawBackfill]) {
      expect((await other.call(route, { params: { id: 'bfl_none' } })).status).toBe(404)
    }
  })

  test('for a rule that does not act on new events', async () => {
    const { shop, mappingId } = await shopWithRule()
    const { siteId } = shop
    const ask = async (id: string) => {
      const answer = await shop.call(startBackfill, { params: { id }, body: { siteId, from: ago(1) } })
      return [answer.status, answer.problem.detail]
    }
    await shop.call(updateMapping, { params: { id: mappingId }, body: { enabled: false } })
    expect(await ask(mappingId)).toEqual([409, expect.stringContaining('disabled')])
    await shop.call(createDefinition, { body: { name: 'user_login' } })
    expect(await ask('map_seed_user_login')).toEqual([409, expect.stringContaining('contract user_login')])
    const own = { siteId, source: 'user_login', target: '$signup' }
    const { id } = (await shop.call(createMapping, { body: own })).body
    expect(await ask('map_seed_user_login')).toEqual([409, expect.stringContaining(id)])
  })

  test('beyond the number of back-fills and events that a site may have', async () => {
    const { shop, mappingId } = await shopWithRule({ ts: ago(1), properties: order(1) })
    const stand = (matched: number, count: number) =>
      world.product.deps.control.query(
        `INSERT INTO mapping_backfills (id, workspace_id, site_id, mapping_id, source, target, property_map, from_at,
                                        to_at, status, sent_names, matched, created_at)
         SELECT $1 || n, $2, $3, 'm', 's', '$purchase', '{}', now(), now(), 'done', '[]', $4, now()
         FROM generate_series(1, $5::int) AS n`,
        [newId('bfl'), shop.workspaceId, shop.siteId, matched, count],
      )
    const ask = async () => {
      const answer = await shop.call(startBackfill, { params: { id: mappingId }, body: { from: ago(2) } })
      return [answer.status, answer.problem.detail]
    }
    await stand(overlaidEventsMax, 1)
    expect(await ask()).toEqual([409, expect.stringContaining('1000001')])
    await stand(0, standingBackfillsMax - 1)
    expect(await ask()).toEqual([409, expect.stringContaining('100 back-fills at most')])
  })
})

describe('a back-fill that is cut short', () => {
  function node(nodeId: string) {
    const { config, control, events, registry, overlays, now, newId: makeId, writer } = world.product.deps
    return createBackfills({
      config,
      control,
      events,
      registry,
      overlays,
      now,
      newId: makeId,
      nodeId,
      flush: (timeoutMs) => writer.flush(timeoutMs),
      failures: { report: () => {} },
      pageRows: 3,
    })
  }

  test('continues where it was after a restart, and is left alone by other nodes while one runs it', async () => {
    const { control, requireSite } = world.product.deps
    const events = Array.from({ length: 8 }, (_, index) => ({
      event_id: `r${index}`,
      ts: ago(3, index),
      properties: order(1, `o${index}`),
    }))
    const { shop, mappingId } = await shopWithRule(...events)
    const rule = await findRule(control, shop.workspaceId, mappingId, undefined)
    const site = await requireSite(shop.workspaceId, shop.siteId)
    const first = node('first')
    const { id } = await first.start(site, rule, { from: ago(10) })
    await first.close()
    const read = async () => (await shop.call(getBackfill, { params: { id } })).body
    expect(await read()).toMatchObject({ status: 'running', progress: 3 / 8, events: 3 })
    expect((await reads(shop)).overview.metrics.conversions).toBe(0)

    // As if the process had died after the page was written and before that was noted: the page is written again.
    await control.query(
      `UPDATE mapping_backfills SET cursor_ms = 0, cursor_id = '', judged = 0, events = 0, renamed = 0 WHERE id = $1`,
      [id],
    )
    const other = node('other')
    other.resume()
    await other.close()
    expect(await read()).toMatchObject({ status: 'running', progress: 0 })

    const again = node('first')
    again.resume()
    const readOverlays = await done(shop, id)
    await again.close()
    expect(readOverlays).toMatchObject({ progress: 1, matched: 8, events: 8 })
    expect((await reads(shop)).overview.metrics).toMatchObject({ events: 8, conversions: 8, revenue: 8 })
  })

  test('is taken over once its node is gone for long, and can be withdrawn before it is done', async () => {
    const { control, requireSite } = world.product.deps
    const events = Array.from({ length: 4 }, (_, index) => ({ ts: ago(3, index), properties: order(1) }))
    const { shop, mappingId } = await shopWithRule(...events)
    const rule = await findRule(control, shop.workspaceId, mappingId, undefined)
    const site = await requireSite(shop.workspaceId, shop.siteId)
    const gone = node('gone')
    const [taken, dropped] = [
      await gone.start(site, rule, { from: ago(10) }),
      await gone.start(site, rule, { from: ago(10) }),
    ]
    await gone.close()
    await control.query(`UPDATE mapping_backfills SET claimed_until = now() WHERE claimed_by = 'gone'`)
    const withdrawn = await shop.call(withdrawBackfill, { params: { id: dropped.id } })
    expect(withdrawn.body.status).toBe('withdrawn')
    expect(await done(shop, taken.id)).toMatchObject({ events: 4 })
    expect((await reads(shop)).overview.metrics).toMatchObject({ events: 4, conversions: 4, revenue: 4 })
  })
})

describe('history', () => {
  const historyEvents = 20_000

  /** Straight into the tables, as the loader would: HTTP is not part of this test. */
  async function fill(shop: TestWorkspace): Promise<void> {
    const { events } = world.product.deps
    const values = {
      workspaceId: shop.workspaceId,
      siteId: shop.siteId,
      rows: historyEvents,
      startMs: Date.now() - 9 * dayMs,
    }
    await events.command(
      `INSERT INTO events (workspace_id, site_id, ts, received_at, event_id, name, sent_name, contract_version,
                           outcome, person_id, person_key, user_id, session_id, session_key, endpoint, source, device,
                           country, counted, properties)
       SELECT {workspaceId:String}, {siteId:String},
              fromUnixTimestamp64Milli({startMs:Int64} + number * 7000, 'UTC') AS at, at,
              concat('evt_', hex(cityHash64(number))), 'shop_order', 'shop_order', '1-0-0', 'accept',
              concat('p', toString(number % 5000)), cityHash64(number % 5000),
              concat('u', toString(number % 5000)), concat('s', toString(intDiv(number, 4))), cityHash64(intDiv(number, 4)),
              'track', 'direct', 'desktop', 'DE', 1,
              concat('{"total":', toString(number % 100), '.5,"currency":"EUR","order_id":"o', toString(number), '"}')
       FROM numbers({rows:UInt64})`,
      values,
    )
    await events.command(
      `INSERT INTO verdicts (workspace_id, site_id, hour, name, outcome, code, events, duplicates)
       SELECT workspace_id, site_id, toStartOfHour(ts) AS hour, name, outcome, '', count(), 0 FROM events
       WHERE workspace_id = {workspaceId:String} GROUP BY workspace_id, site_id, hour, name, outcome`,
      values,
    )
  }

  test('of twenty thousand events is renamed in every read, and comes back as it was', async () => {
    const { shop, mappingId } = await shopWithRule()
    await fill(shop)
    const times: Record<string, number> = {}
    const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
      const start = performance.now()
      const result = await act()
      times[what] = Math.round(performance.now() - start)
      return result
    }
    const before = await timed('reads of stored events', () => reads(shop))
    expect(before.overview.metrics).toMatchObject({ events: historyEvents, conversions: 0, revenue: 0 })
    const rows = await storedRows(shop)
    const seen = await timed('dry run', () => preview(shop, mappingId))
    expect(seen).toMatchObject({
      matched: historyEvents,
      events: historyEvents,
      refused: 0,
      repeatedOrders: 0,
    })
    const readOverlays = await timed('back-fill', () => lay(shop, mappingId))
    expect(readOverlays).toMatchObject({ events: historyEvents, renamed: historyEvents })
    const after = await timed('reads with the overlay', () => reads(shop))
    // The amounts are 0.5 to 99.5, two hundred times each.
    expect(after.overview.metrics).toMatchObject({ conversions: historyEvents, revenue: 1_000_000 })
    expect(after.overview.breakdowns.events).toMatchObject([{ key: '$purchase', events: historyEvents }])
    expect(volumeOf(after.catalog, '$purchase')).toBe(historyEvents)
    expect(volumeOf(after.catalog, 'shop_order')).toBe(0)
    expect(after.overview.metrics.visitors).toBe(before.overview.metrics.visitors)
    await timed('withdrawal', () => shop.call(withdrawBackfill, { params: { id: readOverlays.id } }))
    expect(await reads(shop)).toEqual(before)
    expect(await storedRows(shop)).toEqual(rows)
    console.info(`A history of ${historyEvents} events, in ms: ${JSON.stringify(times)}`)
  }, 240_000)
})
