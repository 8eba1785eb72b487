import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  batch,
  getOverview,
  getReceipt,
  group,
  importEvents,
  listRecentEvents,
  page,
  recentEventHours,
  recentEventsMax,
  screen,
  shortPaths,
  siteIngest,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { insertErrorSightings, insertEvents } from './loader/segment-store.ts'
import { clearStaging, createStaging, stageSegment } from './loader/staged-store.ts'
import { type OpenSessionRow, readOpenSessions } from './row/sessions/session-store.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace({ preset: 'strict' })
})
afterAll(() => world?.close())

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

const purchase = (members: object = {}, properties: object = {}) => ({
  event: '$purchase',
  user_id: 'u1',
  ...members,
  properties: { amount: 20, currency: 'EUR', ...properties },
})

async function metrics(workspace: TestWorkspace) {
  await workspace.settle()
  return (await workspace.call(getOverview, { query: { siteId: workspace.siteId, window: '40d' } })).body
    .metrics
}

describe('one event', () => {
  test('is acknowledged with its verdict and has a receipt at once', async () => {
    const sent = await shop.call(track, { body: purchase({ event_id: 'first' }) })
    expect(sent.status).toBe(202)
    expect(sent.body).toMatchObject({ event_id: 'first', outcome: 'accept', duplicate: false, issues: [] })
    const receipt = await shop.call(getReceipt, { params: { event_id: 'first' } })
    expect(receipt.body).toMatchObject({
      state: 'stored',
      outcome: 'accept',
      name: { sent: '$purchase', stored: '$purchase', rule: null },
      contract: { name: '$purchase', version: '1-0-0' },
      dedup: { counted: true, duplicate_of: null },
      person: { resolved_by: 'user_id' },
    })
    expect(sent.body.receipt_url).toBe(`${world.product.url}/v1/events/first/receipt`)
  })

  test('that breaks its contract is refused with every field named, and leaves no receipt', async () => {
    const body = { event: '$purchase', user_id: 'u1', event_id: 'refused', properties: { amount: 'much' } }
    const sent = await shop.call(track, { body })
    expect(sent.status).toBe(422)
    expect(sent.problem).toMatchObject({
      type: expect.stringContaining('/contract-violation'),
      event_id: 'refused',
    })
    const codes = Object.fromEntries((sent.problem.errors ?? []).map(({ field, code }) => [field, code]))
    expect(codes).toEqual({ amount: 'type_mismatch', currency: 'required_missing' })
    expect((await shop.call(getReceipt, { params: { event_id: 'refused' } })).status).toBe(404)
  })

  test('that is unknown is quarantined, and its receipt says so', async () => {
    const sent = await shop.call(track, { body: { event: 'sofa_rotated', event_id: 'held', user_id: 'u1' } })
    expect(sent).toMatchObject({
      status: 202,
      body: { outcome: 'quarantine', issues: [{ code: 'unknown_event' }] },
    })
    const receipt = await shop.call(getReceipt, { params: { event_id: 'held' } })
    expect(receipt.body).toMatchObject({
      state: 'held',
      outcome: 'quarantine',
      issues: [{ code: 'unknown_event' }],
    })
  })

  test('of another workspace has no receipt here', async () => {
    const other = await world.newWorkspace({ preset: 'strict' })
    await other.call(track, { body: purchase({ event_id: 'theirs' }) })
    const ours = await shop.call(getReceipt, { params: { event_id: 'theirs' } })
    const none = await shop.call(getReceipt, { params: { event_id: 'none_such' } })
    expect(ours.problem).toEqual({ ...none.problem, instance: ours.problem.instance })
  })
})

describe('the latest events', () => {
  test('are listed newest first with their verdicts, rejected ones too, and then only what came since', async () => {
    const own = await world.newWorkspace({ preset: 'strict' })
    const other = await world.newWorkspace({ preset: 'strict' })
    const look = async (more: object = {}) =>
      (await own.call(listRecentEvents, { query: { site_id: own.siteId, ...more } })).body
    const before = await look()
    expect(before.data).toEqual([])
    await own.call(track, { body: purchase({ event_id: 'seen-accepted' }) })
    await own.call(track, { body: purchase({ event_id: 'seen-rejected' }, { amount: undefined }) })
    await own.call(track, { body: { event: 'plan_picked', event_id: 'seen-held', user_id: 'u1' } })
    await own.call(track, { body: purchase({ event_id: 'seen-tested' }) }, { key: own.keys.test })
    await other.call(track, { body: purchase({ event_id: 'seen-elsewhere' }) })
    const { data, cursor } = await look({ after: before.cursor })
    expect(data.map(({ event_id, outcome }) => [event_id, outcome])).toEqual([
      ['seen-held', 'quarantine'],
      ['seen-rejected', 'reject'],
      ['seen-accepted', 'accept'],
    ])
    expect(data[1]).toMatchObject({ name: '$purchase', issues: [{ code: 'required_missing' }] })
    expect((await look({ outcome: 'reject' })).data).toHaveLength(1)
    expect((await look({ after: cursor })).data).toEqual([])
    // A place that another node, or an earlier start, has given out says nothing here.
    expect((await look({ after: 'run_of_another.99' })).data).toHaveLength(3)
    const many = Array.from({ length: recentEventsMax + 5 }, (_, index) =>
      purchase({ event_id: `seen-${index}` }, { order_id: `seen-order-${index}` }),
    )
    await own.call(batch, { body: { batch: many } })
    const latest = await look({ after: cursor })
    expect(latest.data).toHaveLength(recentEventsMax)
    expect(latest.data[0]?.event_id).toBe(`seen-${recentEventsMax + 4}`)
    await world.product.deps.ingest.forgetRecent(own.workspaceId)
    const afterwards = await look({ after: latest.cursor })
    expect(afterwards.data).toEqual([])
    // A page that watched starts again: its own list is of another stream now.
    expect(afterwards.cursor.split('.')[0]).not.toBe(latest.cursor.split('.')[0])
  })

  test('show page and properties, for a viewer without what says who someone is', async () => {
    const own = await world.newWorkspace({ preset: 'strict' })
    const viewer = await world.signIn('viewer', own)
    const page = { url: 'https://shop.example/cart?token=secret#top' }
    const properties = { order_id: 'o-1', email: 'ada@shop.example', note: 'x'.repeat(5_000) }
    const body = purchase({ event_id: 'with-page', context: { page } }, properties)
    await own.call(track, { body })
    await own.call(track, { body: { type: 'identify', user_id: 'u1', traits: { name: 'Ada' } } })
    await own.call(track, { body: purchase({ context: { page } }, { amount: undefined }) })
    const query = { site_id: own.siteId }
    const [rejected, identified, bought] = (await own.call(listRecentEvents, { query })).body.data
    expect(rejected).toMatchObject({ outcome: 'reject', path: '', properties: null })
    expect(identified).toMatchObject({ name: '$identify', properties: { name: 'Ada' } })
    expect(bought).toMatchObject({ path: '/cart', properties_truncated: true })
    expect(bought?.properties).toMatchObject({ amount: 20, order_id: 'o-1', email: 'ada@shop.example' })
    expect(String(bought?.properties?.note).length).toBeLessThan(600)
    const [, theirs, order] = (await viewer.call(listRecentEvents, { query })).body.data
    expect(theirs).toMatchObject({ name: '$identify', properties: null })
    expect(order?.properties).toMatchObject({ amount: 20, order_id: 'o-1' })
    expect(order?.properties).not.toHaveProperty('email')
  })

  test('are listed for a day, and then not in memory any more', async () => {
    const own = await world.newWorkspace({ preset: 'strict' })
    const { recent } = world.product.deps.ingest
    const look = (hours: number) =>
      recent.read(own.siteId, {
        after: undefined,
        outcome: undefined,
        seesPeople: true,
        nowMs: Date.now() + hours * 3_600_000,
      }).data
    await own.call(track, { body: purchase({ event_id: 'aged' }) })
    expect(
      [look(0), look(recentEventHours - 1), look(recentEventHours + 1)].map((seen) => seen.length),
    ).toEqual([1, 1, 0])
    recent.forgetOld(Date.now() + (recentEventHours - 1) * 3_600_000)
    expect(look(0)).toHaveLength(1)
    recent.forgetOld(Date.now() + (recentEventHours + 1) * 3_600_000)
    expect(look(0)).toEqual([])
    await own.call(track, { body: purchase({ event_id: 'after' }) })
    expect(look(0).map(({ event_id }) => event_id)).toEqual(['after'])
  })

  test('of another workspace are not listed', async () => {
    const other = await world.newWorkspace({ preset: 'strict' })
    const query = { site_id: other.siteId }
    expect((await shop.call(listRecentEvents, { query })).status).toBe(404)
  })
})

describe('the same event id', () => {
  test('ten times in parallel, singly and in batches, is counted once, and every repeat says so', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const single = purchase({ event_id: 'same' })
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => workspace.call(track, { body: single }).then(({ body }) => [body])),
      ...Array.from({ length: 4 }, () =>
        workspace.call(batch, { body: { batch: [single, single] } }).then(({ body }) => body.results),
      ),
    ])
    const results = answers.flat()
    expect(results).toHaveLength(14)
    expect(results.filter((result) => !result.duplicate)).toHaveLength(1)
    expect(new Set(results.map((result) => result.outcome))).toEqual(new Set(['accept']))
    expect(await metrics(workspace)).toMatchObject({ events: 1, revenue: 20, conversions: 1 })
  })

  test('in two workspaces is two events', async () => {
    const [one, two] = [await world.newWorkspace({ preset: 'strict' }), await world.newWorkspace()]
    for (const workspace of [one, two]) {
      expect((await workspace.call(track, { body: purchase({ event_id: 'shared' }) })).body.duplicate).toBe(
        false,
      )
    }
    expect(await metrics(two)).toMatchObject({ events: 1 })
  })

  test('of a quarantined event answers that it is in quarantine', async () => {
    const held = { event: 'chair_spun', event_id: 'held_twice', user_id: 'u1' }
    await shop.call(track, { body: held })
    const again = await shop.call(track, { body: held })
    expect(again.body).toMatchObject({ outcome: 'quarantine', duplicate: true })
  })

  test('of a rejected event is free: the repaired event is stored', async () => {
    const broken = { event: '$login', event_id: 'mended', user_id: 'u1', properties: {} }
    expect((await shop.call(track, { body: broken })).status).toBe(422)
    const mended = await shop.call(track, { body: { ...broken, properties: { method: 'x' } } })
    expect(mended.body).toMatchObject({ outcome: 'accept', duplicate: false })
  })

  test('is derived from the content when none is sent, so that a retry is seen as one', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const body = purchase({ ts: new Date().toISOString() })
    const first = await workspace.call(track, { body })
    const again = await workspace.call(track, { body })
    expect(again.body).toMatchObject({ event_id: first.body.event_id, duplicate: true })
    await workspace.call(track, { body: purchase() })
    await workspace.call(track, { body: purchase() })
    expect((await metrics(workspace)).events).toBe(3)
  })
})

describe('an order', () => {
  test('that browser and server both report counts once, as the server reports it', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const order = { order_id: 'o-1' }
    await workspace.call(
      track,
      { body: purchase({ event_id: 'browser' }, order) },
      { key: workspace.keys.public, headers: { 'user-agent': chrome } },
    )
    const server = await workspace.call(track, { body: purchase({ event_id: 'server' }, order) })
    expect(server.body).toMatchObject({ outcome: 'accept', duplicate: false })
    expect(await metrics(workspace)).toMatchObject({ events: 1, revenue: 20, conversions: 1 })
    const receiptOf = async (event_id: string) =>
      (await workspace.call(getReceipt, { params: { event_id } })).body.dedup
    expect(await receiptOf('server')).toMatchObject({ counted: true, supersedes: ['browser'] })
    expect(await receiptOf('browser')).toMatchObject({ counted: false, superseded_by: 'server' })
  })

  test('that a bot reports does not take the place of the real one', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const body = purchase({ event_id: 'bot' }, { order_id: 'o-9' })
    await workspace.call(
      track,
      { body },
      { key: workspace.keys.public, headers: { 'user-agent': 'Googlebot/2.1' } },
    )
    const server = await workspace.call(track, { body: purchase({ event_id: 'real' }, { order_id: 'o-9' }) })
    expect(server.body).toMatchObject({ duplicate: false })
    expect(await metrics(workspace)).toMatchObject({ events: 1, revenue: 20 })
  })

  test('may be refunded in parts', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    await workspace.call(track, { body: purchase({}, { order_id: 'o-2', amount: 50 }) })
    for (const amount of [5, 7.5]) {
      const body = {
        event: '$refund',
        user_id: 'u1',
        properties: { amount, currency: 'EUR', order_id: 'o-2' },
      }
      expect((await workspace.call(track, { body })).body.duplicate).toBe(false)
    }
    expect((await metrics(workspace)).revenue).toBe(37.5)
  })
})

describe('a batch', () => {
  test('has a result for each event, in order, and a rejected one carries its problem', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const events = [
      purchase({ event_id: 'a' }),
      { event: '$nope', user_id: 'u' },
      { event: 'lamp_lit', user_id: 'u' },
      7,
    ]
    const { status, body } = await workspace.call(batch, { body: { batch: events } })
    expect(status).toBe(200)
    expect(body.summary).toEqual({ accept: 1, warn: 0, quarantine: 1, reject: 2, duplicate: 0 })
    expect(body.results.map((result) => [result.index, result.outcome])).toEqual([
      [0, 'accept'],
      [1, 'reject'],
      [2, 'quarantine'],
      [3, 'reject'],
    ])
    expect(body.results[1]?.problem).toMatchObject({
      type: expect.stringContaining('/contract-violation'),
      status: 422,
    })
    expect(await metrics(workspace)).toMatchObject({ events: 1 })
  })

  test('that is strict is stored whole or not at all', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const headers = { prefer: 'respond-async, handling=strict' }
    const good = [purchase({ event_id: 's1' }), purchase({ event_id: 's2' })]
    const refused = await workspace.call(
      batch,
      { body: { batch: [...good, { event: '$login', user_id: 'u' }] } },
      { headers },
    )
    expect(refused.status).toBe(422)
    expect(refused.problem.errors?.[0]).toMatchObject({ field: 'batch[2].method', code: 'required_missing' })
    const accepted = await workspace.call(batch, { body: { batch: good } }, { headers })
    expect(accepted.body.summary).toMatchObject({ accept: 2, duplicate: 0 })
    expect(await metrics(workspace)).toMatchObject({ events: 2 })
  })

  test.each([{}, { batch: 'x' }, { batch: {} }, []])('%o has no sound envelope', async (body) => {
    // boundary: on purpose not what the route takes.
    expect((await shop.call(batch, { body: body as { batch: unknown[] } })).status).toBe(400)
  })
})

describe('the endpoints of the tracking specification', () => {
  const receiptOf = async (eventId: string) =>
    (await shop.call(getReceipt, { params: { event_id: eventId } })).body

  test('take a page, a screen and a group as the events that they mean', async () => {
    const calls = [
      [
        page,
        {
          messageId: 'endpoint-page',
          userId: 'u1',
          context: { page: { url: 'https://shop.example/a', title: 'A' } },
        },
      ],
      [screen, { messageId: 'endpoint-screen', anonymousId: 'a1', name: 'Home' }],
      [group, { messageId: 'endpoint-group', userId: 'u1', groupId: 'acme', traits: { seats: 5 } }],
    ] as const
    const names = []
    for (const [route, body] of calls) {
      const sent = await shop.call(route, { body })
      expect([sent.status, sent.body.event_id]).toEqual([202, body.messageId])
      names.push((await receiptOf(body.messageId)).name.stored)
    }
    expect(names).toEqual(['$pageview', '$pageview', 'group'])
  })

  test('take past events of any age at import, and hold them as too old elsewhere', async () => {
    const old = { event: '$search', user_id: 'u1', ts: '2020-03-01T00:00:00Z', properties: { query: 'q' } }
    const imported = await shop.call(importEvents, {
      body: { batch: [{ ...old, event_id: 'old-imported' }] },
    })
    expect(imported.body.summary).toMatchObject({ accept: 1, quarantine: 0 })
    expect((await receiptOf('old-imported')).time.ts).toMatch(/^2020-03-01/)
    const sent = await shop.call(batch, { body: { batch: [{ ...old, event_id: 'old-sent' }] } })
    expect(sent.body.summary).toMatchObject({ accept: 0, quarantine: 1 })
  })

  test('have a name of one letter each, for browsers', async () => {
    for (const [short, long] of shortPaths) {
      const refusals = await Promise.all(
        [short, long].map(async (path) => {
          const answer = await fetch(world.product.url + path, { method: 'POST', body: '{"writeKey":"no"}' })
          return [answer.status, answer.headers.get('www-authenticate')]
        }),
      )
      expect(refusals, short).toEqual([
        [401, 'Bearer'],
        [401, 'Bearer'],
      ])
    }
  })
})

describe('time', () => {
  test('is corrected by how far the sender’s clock is off', async () => {
    const now = Date.now()
    const body = purchase({
      event_id: 'skewed',
      ts: new Date(now - 3_600_000).toISOString(),
      sent_at: new Date(now - 3_590_000).toISOString(),
    })
    await shop.call(track, { body })
    const { body: receipt } = await shop.call(getReceipt, { params: { event_id: 'skewed' } })
    expect(Math.abs(Date.parse(receipt.time.ts) - (now - 10_000))).toBeLessThan(5_000)
    expect(receipt.time.correction_ms).toBeGreaterThan(3_500_000)
  })

  test.each([
    { key: 'public', days: 8, outcome: 'quarantine' },
    { key: 'public', days: 6, outcome: 'accept' },
    { key: 'secret', days: 8, outcome: 'accept' },
    { key: 'secret', days: 31, outcome: 'quarantine' },
  ] as const)('$days days ago by a $key key is $outcome', async ({ key, days, outcome }) => {
    const body = purchase({ ts: new Date(Date.now() - days * 86_400_000).toISOString() })
    expect((await shop.call(track, { body }, { key: shop.keys[key] })).body.outcome).toBe(outcome)
  })

  test('of an import may be long ago', async () => {
    const body = purchase({ ts: '2021-01-01T00:00:00Z', historical: true })
    expect((await shop.call(track, { body })).body.outcome).toBe('accept')
  })

  test('in the future is now, with a warning', async () => {
    const body = purchase({ event_id: 'future', ts: new Date(Date.now() + 3_600_000).toISOString() })
    expect((await shop.call(track, { body })).body).toMatchObject({
      outcome: 'warn',
      issues: [{ code: 'future_time' }],
    })
    const { body: receipt } = await shop.call(getReceipt, { params: { event_id: 'future' } })
    expect(Date.parse(receipt.time.ts)).toBeLessThan(Date.now() + 6 * 60_000)
  })
})

describe('an error', () => {
  test('is written down with its first and last time, however often its load is cut short', async () => {
    const { events } = world.product.deps
    const nowMs = Date.now()
    const { workspaceId, siteId } = await world.newWorkspace({ preset: 'strict' })
    const line = (eventId: string, name: string, ts: number, isBot: number) => ({
      ...{ workspace_id: workspaceId, site_id: siteId, event_id: eventId, name, ts, received_at: ts },
      ...{
        outcome: 'accept',
        is_bot: isBot,
        properties: JSON.stringify({ message: 'sold out', name: 'Error' }),
      },
    })
    const lines = [
      line('first', 'error', nowMs - 9_000, 0),
      line('last', 'error', nowMs - 2_000, 0),
      line('machine', 'error', nowMs - 1_000, 1),
      line('view', '$pageview', nowMs, 0),
    ]
    const path = join(mkdtempSync(join(tmpdir(), 'assay-errors-')), 'segment')
    writeFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const staging = 'staging_of_errors'
    await createStaging(events, staging)
    const load = { isShared: false, hasDecisions: false, hasLetters: false }
    await stageSegment(events, staging, path)
    await insertEvents(events, staging, { ...load, token: `${workspaceId}:1`, isAgain: false })
    for (const token of [`${workspaceId}:2`, `${workspaceId}:3`]) {
      await clearStaging(events, staging)
      await stageSegment(events, staging, path)
      await insertEvents(events, staging, { ...load, token, isAgain: true })
      await insertErrorSightings(events, staging)
    }
    const seen = await events.query(
      `SELECT error_type AS type, error_title AS title, toUnixTimestamp64Milli(min(first_ts)) - {now:Int64} AS first,
              toUnixTimestamp64Milli(max(last_ts)) - {now:Int64} AS last
       FROM error_sightings WHERE workspace_id = {workspaceId:String} GROUP BY error_key, error_type, error_title`,
      { workspaceId, now: nowMs },
    )
    const numbers = seen.map((row) => ({ ...row, first: Number(row.first), last: Number(row.last) }))
    expect(numbers).toEqual([{ type: 'Error', title: 'sold out', first: -9_000, last: -2_000 }])
    await events.command(`DROP TABLE ${staging}`)
  })
})

test('after more than can be remembered came in, a start takes up the sessions of the latest events', async () => {
  const workspace = await world.newWorkspace({ preset: 'strict' })
  for (const session of ['earliest', 'between', 'latest']) {
    await workspace.call(track, { body: purchase({ event_id: session, session_id: session }) })
    const answeredMs = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(answeredMs)
  }
  await workspace.settle()
  const since = Date.now() - 3_600_000
  const open = async (events: number) => {
    const most = { events, sessions: 200_000 }
    const rows: OpenSessionRow[] = []
    for await (const some of readOpenSessions(world.product.deps.events, since, most)) rows.push(...some)
    return rows.filter((row) => row.site_id === workspace.siteId).map((row) => row.session_id)
  }
  expect((await open(1_000_000)).toSorted()).toEqual(['between', 'earliest', 'latest'])
  // Other workspaces of the same store may have received something later, by clocks of their own.
  const [later] = await world.product.deps.events.query<{ events: string | number }>(
    `SELECT count() AS events FROM events WHERE received_at >= (
       SELECT max(received_at) FROM events WHERE workspace_id = {workspaceId:String})`,
    { workspaceId: workspace.workspaceId },
  )
  expect(await open(Number(later?.events))).toEqual(['latest'])
})

describe('/api/ingest', () => {
  const pageview = (url: string) => ({ type: 'pageview', url, title: url })
  const send = (members: object) =>
    shop.call(
      siteIngest,
      { body: { siteId: shop.siteId, token: shop.siteToken, events: [], ...members } },
      { key: null },
    )

  test('takes a page view without a title, with a warning', async () => {
    const { status, body } = await send({
      events: [{ type: 'pageview', url: '/pricing', ts: Math.floor(Date.now() / 1000) }],
    })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      accepted: 0,
      warned: 1,
      rejected: 0,
      results: [{ index: 0, outcome: 'warn' }],
    })
  })

  test('answers a wrong site and a wrong token alike', async () => {
    const other = await world.newWorkspace({ preset: 'strict' })
    const wrongToken = await send({ token: other.siteToken })
    const wrongSite = await send({ siteId: 'site_none' })
    expect(wrongToken.status).toBe(401)
    expect(wrongSite.problem).toEqual({ ...wrongToken.problem, instance: wrongSite.problem.instance })
  })

  test('counts visitors without cookies once a day, and keeps no address', async () => {
    const workspace = await world.newWorkspace({ preset: 'strict' })
    const body = { siteId: workspace.siteId, token: workspace.siteToken }
    for (const url of ['/a', '/b']) {
      await workspace.call(
        siteIngest,
        { body: { ...body, events: [pageview(url)] } },
        {
          key: null,
          headers: {
            'user-agent': chrome,
          },
        },
      )
    }
    expect(await metrics(workspace)).toMatchObject({ visitors: 1, sessions: 1, pageviews: 2 })
    const rows = await world.product.deps.events.query(
      "SELECT * FROM events WHERE workspace_id = {id:String} AND position(formatRow('JSONEachRow', *), '127.0.0.1') > 0",
      { id: workspace.workspaceId },
    )
    expect(rows).toEqual([])
  })
})
