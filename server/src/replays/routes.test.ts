import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type CallInput,
  createSite,
  deleteReplay,
  getReplay,
  getSubjectRequest,
  identify,
  listReplayEvents,
  listReplays,
  recordConsent,
  recordReplay,
  replayLimits,
  requestExport,
  updateSite,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { dayMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  world = await startWorld({ now: () => Date.now() + aheadMs })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

type Sent = CallInput<typeof recordReplay>['body']

/** A chunk of three events that end now, by a visitor of its own. */
function chunk(changes: Partial<Sent> = {}): Sent {
  const nowMs = Date.now() + aheadMs
  const times = [nowMs - 2_000, nowMs - 1_000, nowMs]
  return {
    replay_id: newId('replay'),
    chunk_id: newId('chunk'),
    session_id: newId('session'),
    anonymous_id: newId('visitor'),
    sent_at: nowMs,
    events: times.map((timestamp) => ({ type: 3, timestamp, data: { source: 1 } })),
    ...changes,
  }
}

async function send(
  at: TestWorkspace,
  body: Sent,
  headers: Record<string, string> = {},
  key = at.keys.public,
) {
  return at.call(recordReplay, { body }, { key, headers })
}

async function stored(at: TestWorkspace, changes: Partial<Sent> = {}): Promise<Sent> {
  const body = chunk(changes)
  const answer = await send(at, body)
  expect(answer.body).toEqual({ stored: true, reason: null })
  return body
}

const read = (at: TestWorkspace, id: string) => at.call(getReplay, { params: { id } })
const listed = async (at: TestWorkspace, query: Record<string, string> = {}) =>
  (await at.call(listReplays, { query })).body.data.map(({ id }) => id)

describe('a recorded visit', () => {
  test('is stored once chunk by chunk, and read as it was recorded, in order, whatever the order of arrival', async () => {
    const first = chunk()
    const nowMs = Date.now()
    const second = {
      ...first,
      chunk_id: newId('chunk'),
      user_id: 'ada',
      events: [{ type: 3, timestamp: nowMs + 500, data: { texts: ['\u0000 ü 漢'] }, delay: 3 }],
    }
    expect((await send(shop, second)).body.stored).toBe(true)
    expect((await send(shop, first)).body.stored).toBe(true)
    expect((await send(shop, first)).body.stored).toBe(true)
    const { body } = await read(shop, first.replay_id)
    expect(body).toMatchObject({
      id: first.replay_id,
      site_id: shop.siteId,
      session_id: first.session_id,
      anonymous_id: first.anonymous_id,
      user_id: 'ada',
      chunks: 2,
      events: 4,
    })
    const page = { params: { id: first.replay_id } }
    const one = (await shop.call(listReplayEvents, { ...page, query: { limit: 1 } })).body
    const cursor = one.next_cursor ?? ''
    const two = (await shop.call(listReplayEvents, { ...page, query: { limit: 1, cursor } })).body
    expect([one.data, two.data]).toEqual([first.events, second.events])
    expect(two.next_cursor).toBeNull()
  })

  test('comes packed or plain, with the key in the body as a beacon has it, and lies packed in the store', async () => {
    const body = chunk({ write_key: shop.keys.public })
    const packed = await fetch(`${world.product.url}/v1/replay`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(body)),
    })
    expect([packed.status, await packed.json()]).toEqual([202, { stored: true, reason: null }])
    const [row] = await world.product.deps.control.query<{ events: Uint8Array }>(
      'SELECT events FROM replay_chunks WHERE workspace_id = $1 AND replay_id = $2',
      [shop.workspaceId, body.replay_id],
    )
    expect(JSON.parse(gunzipSync(row?.events ?? '').toString())).toEqual(body.events)
  })

  test('is placed by our clock where that of the visitor is wrong, and never in the future', async () => {
    const body = chunk()
    const hourMs = 3_600_000
    const late = body.events.map((event) => ({ ...event, timestamp: event.timestamp + hourMs }))
    await send(shop, { ...body, sent_at: body.sent_at + hourMs, events: late })
    const { started_at, ended_at } = (await read(shop, body.replay_id)).body
    const offMs = (text: string, ms: number | undefined) => Math.abs(Date.parse(text) - Number(ms))
    // Wide, since a slow machine takes its time between the chunk and its arrival.
    expect(offMs(started_at, body.events[0]?.timestamp)).toBeLessThan(60_000)
    expect(Date.parse(ended_at)).toBeLessThanOrEqual(Date.now())
  })

  test('that is too large is refused, and one that is long enough takes no more', async () => {
    const text = 'x'.repeat(replayLimits.chunkCharactersMax)
    const large = chunk({ events: [{ type: 3, timestamp: Date.now(), data: { text } }] })
    expect((await send(shop, large)).status).toBe(413)
    const nothing = chunk({ events: [] })
    expect((await send(shop, nothing)).status).toBe(422)
    const body = await stored(shop)
    await world.product.deps.control.query('UPDATE replays SET chunks = $2 WHERE id = $1', [
      body.replay_id,
      replayLimits.chunksMax,
    ])
    const more = await send(shop, { ...body, chunk_id: newId('chunk') })
    expect(more.body).toEqual({ stored: false, reason: 'replay_full' })
  })
})

test('a site on which too much was recorded in a day takes no more until the next', async () => {
  const ours = await world.newWorkspace()
  await stored(ours)
  const { control } = world.product.deps
  await control.query('UPDATE replay_days SET bytes = $2 WHERE site_id = $1', [
    ours.siteId,
    replayLimits.siteBytesPerDayMax,
  ])
  expect((await send(ours, chunk())).body).toEqual({ stored: false, reason: 'site_full' })
  expect((await send(shop, chunk())).body).toEqual({ stored: true, reason: null })
})

describe('nothing is stored', () => {
  test('of a person who denies analytics, from that moment on', async () => {
    const body = await stored(shop)
    const { anonymous_id } = body
    const categories = { analytics_storage: 'denied' } as const
    await shop.call(recordConsent, { body: { anonymous_id, categories } }, { key: shop.keys.secret })
    const after = await send(shop, { ...body, chunk_id: newId('chunk') })
    expect(after.body).toEqual({ stored: false, reason: 'consent_denied' })
    expect((await read(shop, body.replay_id)).body.chunks).toBe(1)
  })

  test('where a regime requires consent that was not given', async () => {
    const strict = await world.newWorkspace()
    const params = { id: strict.siteId }
    await strict.call(updateSite, { params, body: { consentRegime: 'gdpr', onDenied: 'anonymous' } })
    expect((await send(strict, chunk())).body).toEqual({ stored: false, reason: 'consent_denied' })
    expect(await listed(strict)).toEqual([])
  })

  test('of a person who was erased', async () => {
    const ours = await world.newWorkspace()
    const { people, control } = world.product.deps
    const user_id = newId('user')
    await control.query(
      'INSERT INTO identity_suppressions (workspace_id, original_id, created_at) VALUES ($1, $2, now())',
      [ours.workspaceId, people.originalId(ours.workspaceId, { type: 'user_id', value: user_id })],
    )
    expect((await send(ours, chunk({ user_id }))).body).toEqual({ stored: false, reason: 'suppressed' })
    expect(await listed(ours)).toEqual([])
  })

  test('with a test key', async () => {
    const answer = await send(shop, chunk(), {}, shop.keys.test)
    expect(answer.body).toEqual({ stored: false, reason: 'test_key' })
  })

  test('of a visit to another site under the same id', async () => {
    const other = { name: 'Other', domain: 'other.example' }
    const { id: otherSite } = (await shop.call(createSite, { body: other })).body
    const body = await stored(shop)
    await world.product.deps.control.query('UPDATE replays SET site_id = $2 WHERE id = $1', [
      body.replay_id,
      otherSite,
    ])
    expect((await send(shop, { ...body, chunk_id: newId('chunk') })).status).toBe(409)
  })
})

describe('the list', () => {
  test('has the newest first, page by page, by site, by session and by person, merged ones included', async () => {
    const ours = await world.newWorkspace()
    const nowMs = Date.now()
    const at = (ms: number) => ({ events: [{ type: 3, timestamp: ms, data: null }], sent_at: nowMs })
    const anonymous_id = newId('visitor')
    const a = await stored(ours, { ...at(nowMs - 30_000), anonymous_id })
    const b = await stored(ours, at(nowMs - 20_000))
    const c = await stored(ours, { ...at(nowMs - 10_000), user_id: 'grace' })
    expect(await listed(ours)).toEqual([c.replay_id, b.replay_id, a.replay_id])
    const first = (await ours.call(listReplays, { query: { limit: 2 } })).body
    expect(first.data.map(({ id }) => id)).toEqual([c.replay_id, b.replay_id])
    expect(await listed(ours, { cursor: first.next_cursor ?? '' })).toEqual([a.replay_id])
    expect(await listed(ours, { session_id: b.session_id })).toEqual([b.replay_id])
    expect(await listed(ours, { site_id: ours.siteId })).toHaveLength(3)
    const known = { anonymous_id, user_id: 'grace' }
    const { person_id } = (await ours.call(identify, { body: known }, { key: ours.keys.secret })).body
    expect(await listed(ours, { person_id })).toEqual([c.replay_id, a.replay_id])
    expect((await ours.call(listReplays, { query: { cursor: 'nonsense' } })).status).toBe(422)
  })

  test('shows nothing of another workspace, which cannot read, delete or add to it either', async () => {
    const ours = await world.newWorkspace()
    const theirs = await stored(shop)
    const params = { id: theirs.replay_id }
    expect(await listed(ours)).toEqual([])
    expect((await read(ours, params.id)).status).toBe(404)
    expect((await ours.call(listReplayEvents, { params, query: {} })).status).toBe(404)
    expect((await ours.call(deleteReplay, { params })).status).toBe(404)
    await stored(ours, { ...theirs, chunk_id: newId('chunk') })
    expect((await read(shop, params.id)).body.chunks).toBe(1)
  })
})

describe('a replay goes for good', () => {
  const chunksOf = async (id: string) =>
    (await world.product.deps.control.query('SELECT id FROM replay_chunks WHERE replay_id = $1', [id])).length

  test('when it is deleted', async () => {
    const { replay_id: id } = await stored(shop)
    expect((await shop.call(deleteReplay, { params: { id } })).status).toBe(204)
    expect((await read(shop, id)).status).toBe(404)
    expect(await chunksOf(id)).toBe(0)
  })

  test('when any person in it is erased, and only then', async () => {
    const user_id = newId('user')
    const body = await stored(shop)
    await send(shop, { ...body, chunk_id: newId('chunk'), user_id })
    const others = await stored(shop)
    const { people, replays } = world.product.deps
    const originalId = people.originalId(shop.workspaceId, { type: 'user_id', value: user_id })
    expect(await replays.forget(shop.workspaceId, [originalId])).toBe(1)
    expect([await chunksOf(body.replay_id), await chunksOf(others.replay_id)]).toEqual([0, 1])
    expect((await read(shop, others.replay_id)).status).toBe(200)
  })

  test('is in the export of whom it shows as long as it is there', async () => {
    const user_id = newId('user')
    const body = await stored(shop, { user_id })
    const { people, replays } = world.product.deps
    const originalId = people.originalId(shop.workspaceId, { type: 'user_id', value: user_id })
    const held: unknown[] = []
    for await (const row of replays.holdings(shop.workspaceId, [originalId])) held.push(row)
    expect(held).toMatchObject([{ id: body.replay_id, user_id, recorded: body.events }])

    const identifiers = [{ type: 'user_id', value: user_id }]
    const asked = await shop.call(requestExport, { body: { identifiers, regime: 'gdpr' } })
    const status = async () =>
      (await shop.call(getSubjectRequest, { params: { id: asked.body.id } })).body.status
    await untilTrue('the export', async () => (await status()) === 'completed', 60_000)
  })

  test('after the days that it was promised for, and is not shown a moment longer', async () => {
    const { replay_id: id } = await stored(shop)
    const { expires_at } = (await read(shop, id)).body
    expect(Math.round((Date.parse(expires_at) - Date.now()) / dayMs)).toBe(30)
    aheadMs = 30 * dayMs + 60_000
    const { replay_id: fresh } = await stored(shop)
    expect((await read(shop, id)).status).toBe(404)
    expect(await chunksOf(id)).toBe(1)
    await world.product.deps.replays.forgetOld(Date.now() + aheadMs)
    expect([await chunksOf(id), await chunksOf(fresh)]).toEqual([0, 1])
    aheadMs = 0
  })
})
