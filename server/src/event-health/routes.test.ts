import {
  acknowledgeAnomaly,
  checkDuplicate,
  createContract,
  getConversionMismatch,
  getCoverage,
  getEventHealth,
  getHealthSettings,
  getUsage,
  listAnomalies,
  listEventHealth,
  muteAnomaly,
  setHealthSettings,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../platform/units.ts'
import { raise, startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { noticesOf, subscribeToNotices } from '../testing/notices.ts'
import { selectLatency } from './stores/trend-store.ts'
import { defaultSettings } from './watch/findings.ts'
import { tooMuchQuarantined } from './watch/quarantine-share.ts'

const clock = { ms: Date.UTC(2026, 8, 15, 12, 20) }
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const sentAt = (msAgo: number) => ({ ts: new Date(clock.ms - msAgo).toISOString() })
const at = (msAgo: number) => ({ ...sentAt(msAgo), historical: true })

async function send(events: readonly object[], workspace = shop): Promise<void> {
  const outcomes = ['accept', 'warn', 'quarantine', 'reject'] as const
  await workspace.send(events, { key: workspace.keys.secret, outcomes })
}

/** What five weeks of traffic leave behind: counts by hour, more by day than by night. */
async function tell(hours: number, level: (hour: number) => number, toMs: number, name: string, code = '') {
  const rows = Array.from({ length: hours }, (_, index) => {
    const ms = toMs - (hours - index) * hourMs
    return {
      workspace_id: shop.workspaceId,
      site_id: shop.siteId,
      hour: new Date(ms).toISOString().slice(0, 19).replace('T', ' '),
      name,
      outcome: code === '' ? 'accept' : 'reject',
      code,
      events: level(new Date(ms).getUTCHours()),
      duplicates: 0,
    }
  })
  await world.product.deps.events.insertRows('verdicts', rows)
}

const usual = (hour: number) => 100 + 10 * (hour % 12)
const anomalies = async (query = {}) => (await shop.call(listAnomalies, { query })).body.data
const look = () => world.product.deps.health.watch.lookAt(shop.workspaceId)
/** The product checks every few minutes; what it saw before the counts were loaded does not matter. */
const unsee = () =>
  world.product.deps.control.query('DELETE FROM health_watches WHERE workspace_id = $1', [shop.workspaceId])

describe('health of events', () => {
  test('shows verdicts, repeats, latency and last seen of every event', async () => {
    const login = (id: string, properties: object) => ({
      event: '$login',
      event_id: id,
      user_id: 'u',
      ...sentAt(2 * hourMs),
      context: { app: { version: '1.4.0' }, library: { name: 'analytics-node', version: '2' } },
      properties,
    })
    const sound = Array.from({ length: 15 }, (_, index) => login(`login-${index}`, { method: 'x' }))
    const broken = Array.from({ length: 5 }, (_, index) => login(`broken-${index}`, {}))
    await send([...sound, ...broken, login('login-1', { method: 'x' })])
    const { body } = await shop.call(listEventHealth, { query: { window: '2d' } })
    const row = body.data.find(({ key }) => key === 'login')
    expect(row).toMatchObject({
      name: '$login',
      volume: 20,
      expected: null,
      accept_rate: 0.75,
      reject_rate: 0.25,
      status: 'failing',
    })
    expect(row?.duplicate_rate).toBeCloseTo(1 / 21, 9)
    expect(row?.p95_latency_ms).toBeCloseTo(2 * hourMs, -4)
    expect(body.summary.failing).toBe(1)
  })

  test('does not take what was brought in later for slow', async () => {
    const other = await world.newWorkspace()
    const dozen = (event: string, time: object, properties: object) =>
      Array.from({ length: 12 }, (_, index) => ({ event, user_id: `u${index}`, ...time, properties }))
    await send(
      [
        ...dozen('$login', at(5 * hourMs), { method: 'x' }),
        ...dozen('$purchase', sentAt(2 * hourMs), { amount: 9, currency: 'EUR' }),
      ],
      other,
    )
    const { body } = await other.call(listEventHealth, { query: {} })
    const latencyOf = (name: string) => body.data.find((row) => row.name === name)?.p95_latency_ms
    expect(latencyOf('$login')).toBeNull()
    expect(latencyOf('$purchase')).toBeCloseTo(2 * hourMs, -4)
    const scope = { workspaceId: other.workspaceId, siteIds: [other.siteId] }
    const span = { fromMs: clock.ms - dayMs, toMs: clock.ms }
    const timed = await selectLatency(world.product.deps.events, scope, span)
    expect(timed.map(({ p95_ms }) => Math.round(p95_ms / hourMs))).toEqual([2])
  })

  test('is summed up as what the workspace used in a month, with what it keeps and may send', async () => {
    const { body } = await shop.call(getUsage, { query: {} })
    const events = { accept: 15, warn: 0, quarantine: 0, reject: 5, duplicates: 1 }
    expect(body).toMatchObject({ events, sites: [{ site_id: shop.siteId, events }] })
    expect(body.month).toEqual({ from: '2026-09-01T00:00:00.000Z', to: '2026-10-01T00:00:00.000Z' })
    expect(body.days).toHaveLength(30)
    expect(body.days[14]).toEqual({ day: '2026-09-15', events: 20 })
    expect(body.storage).toMatchObject({ events: 15, held: 0 })
    expect(body.storage.bytes).toBeGreaterThan(0)
    expect(body.storage.oldest_event_at).toBe(new Date(clock.ms - 2 * hourMs).toISOString())
    expect(body.limits.held_days).toBe(30)
    expect((await shop.call(getUsage, { query: { month: '2026-08' } })).body.sites).toEqual([])
    expect((await shop.call(getUsage, { query: { month: '2026-13' } })).status).toBe(422)
    const other = await world.newWorkspace()
    expect((await other.call(getUsage, { query: {} })).body.storage).toEqual({
      events: 0,
      held: 0,
      bytes: 0,
      oldest_event_at: null,
    })
  })

  test('shows one event with its issues and by release, SDK, source and contract version', async () => {
    const { body } = await shop.call(getEventHealth, { params: { key: 'login' }, query: { window: '2d' } })
    expect(body).toMatchObject({ issues: { required_missing: 5 }, status: 'failing' })
    expect(body.trends.release).toMatchObject([{ value: '1.4.0', events: 15, share: 1 }])
    expect(body.trends.sdk).toMatchObject([{ value: 'analytics-node 2' }])
    expect(body.trends.source[0]?.value).toBe('server batch')
    expect(body.series.reduce((sum, { volume }) => sum + volume, 0)).toBe(20)
    const missing = await shop.call(getEventHealth, { params: { key: 'no_such' }, query: {} })
    expect(missing.status).toBe(404)
  })

  test('scores coverage by surface, with what is missing and what was lost', async () => {
    await shop.call(createContract, {
      body: { key: 'never_sent', status: 'published', surfaces: ['server'] },
    })
    await send([
      { event: 'sdk_loss', user_id: 'u', ...at(hourMs), properties: { reason: 'offline', count: 3 } },
    ])
    const { body } = await shop.call(getCoverage, { query: { site_id: shop.siteId } })
    const server = body.data.find(({ surface }) => surface === 'server')
    expect(server).toMatchObject({ missing: ['never_sent'], loss: { offline: 3 } })
    expect(server?.score).toBeGreaterThan(40)
    expect(server?.score).toBeLessThan(100)
    expect(body.data.find(({ surface }) => surface === 'ios')).toMatchObject({ score: null, expected: [] })
  })

  test('reconciles orders over their sources', async () => {
    const properties = { amount: 20, currency: 'EUR', order_id: 'order-told' }
    await send([{ event: '$purchase', user_id: 'u', ...at(hourMs), properties }])
    const { body } = await shop.call(getConversionMismatch, { query: { window: '2d' } })
    expect(body).toMatchObject({ orders: 1, consistent: 1, is_mismatch: false, findings: {}, data: [] })
    const query = { finding: 'currency_differs' as const }
    expect((await shop.call(getConversionMismatch, { query })).body.data).toEqual([])
  })

  test('says whether two records, stored or given, look like one', async () => {
    const stored = await shop.call(checkDuplicate, { body: { a: 'login-1', b: 'login-2' } })
    expect(stored.body).toMatchObject({ duplicate: true, verdict: 'duplicate' })
    const given = { event: '$purchase', properties: { order_id: 'x', amount: 3 } }
    const other = { ...given, properties: { order_id: 'y', amount: 3 } }
    const different = await shop.call(checkDuplicate, { body: { a: given, b: other } })
    expect(different.body).toMatchObject({
      duplicate: false,
      reasons: expect.arrayContaining(['the orders are different']),
    })
    expect((await shop.call(checkDuplicate, { body: { a: 'login-1', b: 'no-such-id' } })).status).toBe(404)
  })
})

describe('an event of which nothing gets through', () => {
  test('is failing however few there are, and was seen when the last one came', async () => {
    const other = await world.newWorkspace()
    const held = Array.from({ length: 3 }, () => ({
      event: '$purchase',
      user_id: 'u',
      properties: { amount: 5, currency: 'XXXX' },
    }))
    await send(held, other)
    const { body } = await other.call(listEventHealth, { query: {} })
    const row = body.data.find(({ key }) => key === 'purchase')
    expect(row).toMatchObject({ volume: 3, quarantine_rate: 1, status: 'failing' })
    expect(row?.last_seen_at).toBe(new Date(clock.ms).toISOString())
    expect(body.summary).toMatchObject({ failing: 1, healthy: 0 })
    const params = { key: 'purchase' }
    const one = (await other.call(getEventHealth, { params, query: {} })).body
    expect(one).toMatchObject({ status: 'failing', last_seen_at: row?.last_seen_at })
  })
})

describe('a stored event and a record', () => {
  const properties = { method: 'magic', plan: 'gold', step: 2 }
  const check = async (b: ReturnType<typeof record>) =>
    (await shop.call(checkDuplicate, { body: { a: 'kept-1', b } })).body
  const record = (who: object) => ({
    event: '$login',
    ...sentAt(3 * hourMs),
    source: 'server batch',
    properties,
    ...who,
  })

  beforeAll(async () => {
    const event = { event: '$login', event_id: 'kept-1', user_id: 'ada', anonymous_id: 'ada-phone' }
    await send([{ ...event, ...sentAt(3 * hourMs), properties }])
  })

  test('of the same user and content are duplicates, by whatever the record calls the person', async () => {
    const answer = await check(record({ user_id: ' ada ' }))
    expect(answer).toMatchObject({ duplicate: true, parts: { identity: 1 } })
    expect(answer.reasons).toContain('the person is the same')
    const people = world.product.deps.people
    const ours = people.originalId(shop.workspaceId, { type: 'user_id', value: 'ada' })
    expect((await check(record({ person_id: ours }))).parts.identity).toBe(1)
    expect((await check(record({ anonymous_id: 'ada-phone' }))).parts.identity).toBe(1)
  })

  test('of others, of no one, or of an id that only looks alike, are not the same person', async () => {
    for (const who of [{ user_id: 'grace' }, {}, { person_id: 'ada' }, { user_id: 'null' }]) {
      expect((await check(record(who))).parts.identity, JSON.stringify(who)).toBe(0)
    }
    const ours = world.product.deps.people.originalId(shop.workspaceId, { type: 'user_id', value: 'ada' })
    // A user whose name is an id of ours is another person.
    expect((await check(record({ user_id: ours }))).parts.identity).toBe(0)
  })
})

describe('anomalies', () => {
  const begin = Date.UTC(2026, 8, 15, 9)
  beforeAll(async () => {
    await subscribeToNotices(shop, ['anomaly.opened', 'anomaly.closed', 'quarantine.threshold'])
    await tell(35 * 24, usual, begin, 'heartbeat')
    await tell(35 * 24, usual, begin, 'checkout_seen')
    // Since nine o'clock nothing came of the one, and the other breaks its contract.
    await tell(3, usual, begin + 3 * hourMs, 'checkout_seen', 'type_mismatch')
    // And since this morning amounts are in cents.
    const paid = (msAgo: number, factor: number) =>
      Array.from({ length: 110 }, (_, index) => ({
        event: '$purchase',
        user_id: 'u',
        ...at(msAgo + index * 1_000),
        properties: { amount: (20 + (index % 10)) * factor, currency: 'EUR' },
      }))
    await send([...paid(10 * dayMs, 1), ...paid(5 * dayMs, 1), ...paid(4 * hourMs, 100)])
    await unsee()
  })

  test('are opened once, however often they are checked', async () => {
    await look()
    expect(await look()).toBe(false)
    await untilTrue('four anomalies', async () => (await anomalies()).length === 4)
    const found = await anomalies()
    expect(found.map(({ type, event_key, issue }) => [type, event_key, issue]).sort()).toEqual([
      ['schema', 'checkout_seen', 'type_mismatch'],
      ['schema', 'purchase', 'property_number_shift:amount'],
      ['volume', 'heartbeat', null],
      // None for days, and then so many.
      ['volume', 'purchase', null],
    ])
    const silent = found.find(({ type, event_key }) => type === 'volume' && event_key === 'heartbeat')
    expect(silent).toMatchObject({
      observed: 0,
      severity: 'critical',
      status: 'open',
      is_alert: true,
      ended_at: null,
    })
    expect(Date.parse(silent?.started_at ?? '')).toBeLessThanOrEqual(begin + hourMs)
    // Another node that checks the same hour again has nothing new to report.
    await unsee()
    await look()
    const told = await noticesOf(world, shop, 'anomaly.opened')
    expect(told.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort())
    expect(told).toContainEqual(expect.objectContaining({ event_key: 'heartbeat', severity: 'critical' }))
  })

  test('are acknowledged and muted, and belong to one workspace', async () => {
    const [first] = await anomalies({ type: 'schema' })
    const params = { id: first?.id ?? '' }
    const taken = await shop.call(acknowledgeAnomaly, { params, body: { note: 'Fixing it' } })
    expect(taken.body).toMatchObject({ status: 'acknowledged', note: 'Fixing it' })
    const muted = await shop.call(muteAnomaly, { params, body: { days: 3 } })
    expect(muted.body).toMatchObject({ status: 'muted', note: 'Fixing it' })
    expect(muted.body.muted_until).toBe(new Date(clock.ms + 3 * dayMs).toISOString())
    const other = await world.newWorkspace()
    expect((await other.call(acknowledgeAnomaly, { params, body: {} })).status).toBe(404)
    expect((await shop.call(listAnomalies, { query: { event: 'heartbeat' } })).body.data).toHaveLength(1)
  })

  test('of other settings are simulated before they are kept', async () => {
    // Nothing can fall by twice of what is expected.
    const change = { score_alone: 40, score_twice: 30, change_least: 2, alerts_per_week: 0 }
    const tried = await shop.call(setHealthSettings, { body: { ...change, dry_run: true } })
    expect(tried.status).toBe(200)
    expect(tried.body).toMatchObject({
      before: { incidents: 4, alerts: 4 },
      after: { incidents: 0, alerts: 0 },
    })
    expect((await shop.call(getHealthSettings, {})).body).toMatchObject({
      score_alone: 8,
      alerts_per_week: 20,
    })
    const wrong = await shop.call(setHealthSettings, { body: { score_alone: 4, score_twice: 5 } })
    expect(wrong.status).toBe(422)
    const kept = await shop.call(setHealthSettings, { body: { alerts_per_week: 0 } })
    expect([kept.status, kept.body]).toMatchObject([201, { alerts_per_week: 0, score_alone: 8 }])
  })

  test('are closed when it is over, and later ones keep to the budget', async () => {
    await tell(38, usual, begin + 41 * hourMs, 'heartbeat')
    await tell(35 * 24, usual, begin + 39 * hourMs, 'other_beat')
    clock.ms = begin + 41 * hourMs + 20 * 60_000
    await unsee()
    await look()
    const over = () => anomalies({ event: 'heartbeat', status: 'closed' })
    await untilTrue('the end of the silence', async () => (await over()).length === 1)
    const closed = await over()
    expect(
      (await shop.call(acknowledgeAnomaly, { params: { id: closed[0]?.id ?? '' }, body: {} })).status,
    ).toBe(409)
    const [later] = await anomalies({ event: 'other_beat' })
    expect(later).toMatchObject({ type: 'volume', is_alert: false, status: 'open' })
    await unsee()
    await look()
    const ended = await noticesOf(world, shop, 'anomaly.closed')
    expect(ended.map(({ event_key, status }) => [event_key, status]).sort()).toEqual([
      ['checkout_seen', 'closed'],
      ['heartbeat', 'closed'],
      ['purchase', 'closed'],
    ])
    // Beyond the budget no notice is sent.
    expect(await noticesOf(world, shop, 'anomaly.opened')).toHaveLength(4)
  })
})

describe('a quarantine that fills', () => {
  const hold = (name: string, held: number, sound: number) =>
    world.product.deps.events.insertRows(
      'verdicts',
      [
        { outcome: 'quarantine', code: 'unknown_event', events: held },
        { outcome: 'accept', code: '', events: sound },
      ].map((row) => ({
        workspace_id: shop.workspaceId,
        site_id: shop.siteId,
        hour: new Date(Math.floor(clock.ms / hourMs) * hourMs).toISOString().slice(0, 19).replace('T', ' '),
        name,
        duplicates: 0,
        ...row,
      })),
    )
  const watch = () => world.product.deps.health.watchQuarantine(raise)
  const told = async () =>
    (await noticesOf(world, shop, 'quarantine.threshold')).map(({ event_key, held, share }) => [
      event_key,
      held,
      share,
    ])

  test('is reported once for each event, however often it is checked, and again when it fills again', async () => {
    await hold('odd_name', 30, 70)
    await hold('few_held', 19, 1)
    await hold('small_share', 30, 300)
    await Promise.all([watch(), watch()])
    await watch()
    expect(await told()).toEqual([['odd_name', 30, 0.3]])
    clock.ms += 3 * hourMs
    await watch()
    await hold('odd_name', 40, 60)
    await watch()
    expect(await told()).toEqual([
      ['odd_name', 30, 0.3],
      ['odd_name', 40, 0.4],
    ])
  })

  test('names the site where no single event is to blame', () => {
    const names = Array.from({ length: 30 }, (_, index) => ({ name: `n${index}`, held: 2, arrived: 2 }))
    const all = { name: '', held: 60, arrived: 200 }
    const counts = [...names, all].map((one) => ({ ...one, siteId: 's' }))
    expect(tooMuchQuarantined(counts, defaultSettings)).toEqual([{ ...all, siteId: 's' }])
    const blamed = { siteId: 's', name: 'n', held: 50, arrived: 60 }
    expect(tooMuchQuarantined([...counts, blamed], defaultSettings)).toEqual([blamed])
  })
})
