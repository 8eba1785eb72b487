import {
  batch,
  discardDeadLetter,
  getDeadLetter,
  getReceipt,
  listDeadLetters,
  loadDeadLetter,
  loadDeadLetters,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { logLine, refusedBy } from '../../testing/log-lines.ts'
import { readPending } from '../dedup/pending-ids.ts'
import { createIngest } from '../ingest.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

async function storedIds({ workspaceId }: TestWorkspace): Promise<string[]> {
  const rows = await world.product.deps.events.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE workspace_id = {workspaceId:String} ORDER BY event_id',
    { workspaceId },
  )
  return rows.map((row) => row.event_id)
}

/** Of one event's name: events that counted, and repeats. */
async function countsOf({ workspaceId }: TestWorkspace, name: string): Promise<readonly [number, number]> {
  const [row] = await world.product.deps.events.query<{ events: string; duplicates: string }>(
    `SELECT toString(sum(events)) AS events, toString(sum(duplicates)) AS duplicates FROM verdicts
     WHERE workspace_id = {workspaceId:String} AND name = {name:String}`,
    { workspaceId, name },
  )
  return [Number(row?.events ?? 0), Number(row?.duplicates ?? 0)]
}

async function verdictsOf({ workspaceId }: TestWorkspace): Promise<number> {
  const [row] = await world.product.deps.events.query<{ events: string }>(
    'SELECT toString(sum(events)) AS events FROM verdicts WHERE workspace_id = {workspaceId:String}',
    { workspaceId },
  )
  return Number(row?.events ?? 0)
}

/** With the id by which the product finds the event again. */
function line(shop: TestWorkspace, eventId: string, more: Readonly<Record<string, unknown>> = {}): string {
  const { hi, lo } = world.product.deps.ingest.hashId(shop.workspaceId, 'event', eventId)
  return logLine(shop, eventId, { id_hi: hi, id_lo: lo, ...more })
}

/** Acknowledged, from the point of view of the log. */
async function append(shop: TestWorkspace, lines: readonly string[]): Promise<void> {
  await world.product.deps.log.append(lines.join(''), lines.length)
  await shop.settle()
}

async function lettersOf(shop: TestWorkspace) {
  return (await shop.call(listDeadLetters, { query: { state: 'waiting' } })).body.data
}

async function oneLetter(shop: TestWorkspace, eventId: string): Promise<string> {
  const letter = (await lettersOf(shop)).find(({ event_id }) => event_id === eventId)
  expect(letter).toBeDefined()
  return letter?.id ?? ''
}

const login = (event_id: string) => ({ event: '$login', event_id, user_id: 'u', properties: { method: 'x' } })

test('a trait of a backslash and the letters u0000, or of any other text, holds up nothing', async () => {
  const shop = await world.newWorkspace()
  const nickname = String.raw`\u0000`
  const traits = { nickname, nul: 'a\u0000b', half: '\ud800', '\ud800': 1, '\ud801': 2 }
  const odd = { type: 'identify', user_id: 'odd', anonymous_id: 'odd-device', messageId: 'odd-1', traits }
  const sent = await shop.call(batch, { body: { batch: [odd] } }, { key: shop.keys.public })
  expect(sent.body.summary).toMatchObject({ reject: 0 })
  await shop.call(track, { body: login('after-odd') })
  await shop.settle()
  expect(await storedIds(shop)).toEqual(['after-odd', 'odd-1'])
  const rows = await world.product.deps.control.query<{ key: string; value: unknown }>(
    'SELECT key, value FROM person_traits WHERE workspace_id = $1',
    [shop.workspaceId],
  )
  const kept = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  expect(kept).toMatchObject({ nickname, nul: 'ab', half: '\ufffd', '\ufffd': 2 })
  expect((await fetch(`${world.product.url}/readyz`)).status).toBe(200)
  expect(await lettersOf(shop)).toEqual([])
})

describe('lines that a store refuses', () => {
  let shop: TestWorkspace
  beforeAll(async () => {
    shop = await world.newWorkspace()
    await append(shop, [
      line(shop, 'good-1'),
      line(shop, 'bad-time', refusedBy.staging),
      line(shop, 'good-2'),
      line(shop, 'bad-person', refusedBy.identity),
      `{"workspace_id":"${shop.workspaceId}","site_id":"${shop.siteId}","event_id":"torn\n`,
      line(shop, 'good-3'),
    ])
  }, 120_000)

  test('are dead letters with their reason, and all others of their segment are loaded once', async () => {
    // What is refused behind the storage of the event says so: the event itself is there, once.
    expect(await storedIds(shop)).toEqual(['bad-person', 'good-1', 'good-2', 'good-3'])
    expect(await verdictsOf(shop)).toBe(4)
    const letters = await lettersOf(shop)
    const shown = letters.map(({ event_id, step, stored }) => [event_id, step, stored])
    expect(shown.sort((left, right) => (String(left) < String(right) ? -1 : 1))).toEqual([
      [null, 'read', false],
      ['bad-person', 'identity', true],
      ['bad-time', 'staging', false],
    ])
    for (const letter of letters) {
      expect(letter).toMatchObject({ state: 'waiting', site_id: shop.siteId, decided_at: null })
      expect(letter.reason).not.toBe('')
      expect(letter.reason).not.toMatch(/\/events\/|While executing/)
    }
    const read = await shop.call(getDeadLetter, { params: { id: await oneLetter(shop, 'bad-time') } })
    expect(read.body.event).toMatchObject({
      event: '$login',
      event_id: 'bad-time',
      properties: { method: 'x' },
    })
    expect(Buffer.from(read.body.line, 'base64').toString()).toContain('"ts":"yesterday"')
  })

  test('are said so by their receipt, by the metrics and by readiness, which stays ready', async () => {
    const waiting = await shop.call(getReceipt, { params: { event_id: 'bad-time' } })
    expect(waiting.body).toMatchObject({
      state: 'dead_letter',
      dead_letter: { state: 'waiting', step: 'staging' },
    })
    const stored = await shop.call(getReceipt, { params: { event_id: 'bad-person' } })
    expect(stored.body).toMatchObject({ state: 'stored', dead_letter: { step: 'identity' } })
    expect((await shop.call(getReceipt, { params: { event_id: 'good-1' } })).body.dead_letter).toBeNull()
    const metrics = await (await fetch(`${world.product.url}/metrics`)).text()
    expect(metrics).toMatch(/assay_dead_letters_waiting [1-9]/)
    expect(metrics).toMatch(/assay_failures_total\{part="dead letters"\} [1-9]/)
    const ready = await fetch(`${world.product.url}/readyz`)
    expect(ready.status).toBe(200)
    expect(Object(await ready.json()).failing).toContainEqual({
      part: 'dead letters',
      since: expect.any(String),
      kind: expect.any(String),
    })
  })

  test('are known by their ids at the next start, so that what their sender sends again is a repeat', async () => {
    const { ingest, log, deadLetters } = world.product.deps
    const { hi, lo } = ingest.hashId(shop.workspaceId, 'event', 'bad-time')
    const { ids } = await readPending(log, deadLetters.lines())
    expect(ids.hi.some((word, place) => word === hi >>> 0 && ids.lo[place] === lo >>> 0)).toBe(true)
  })

  test('wait again when they are loaded as they were and refused again', async () => {
    const id = await oneLetter(shop, 'bad-time')
    const loaded = await shop.call(loadDeadLetter, { params: { id }, body: {} })
    expect(loaded.body).toMatchObject({ id, state: 'loaded', event_id: 'bad-time', outcome: null })
    await shop.settle()
    expect(await oneLetter(shop, 'bad-time')).toBe(id)
  })

  test('pass the gate when they are repaired, keep id and time, and are counted once', async () => {
    const id = await oneLetter(shop, 'bad-time')
    const event = { ...login('another-id'), ts: '2001-01-01T00:00:00Z' }
    const refused = await shop.call(loadDeadLetter, { params: { id }, body: { event: { user_id: 'u' } } })
    expect([refused.status, refused.problem.type.split('/').at(-1)]).toEqual([422, 'contract-violation'])
    const loaded = await shop.call(loadDeadLetter, { params: { id }, body: { event } })
    expect(loaded.body).toMatchObject({ id, event_id: 'bad-time', outcome: 'accept' })
    expect((await shop.call(loadDeadLetter, { params: { id }, body: { event } })).status).toBe(409)
    await shop.settle()
    expect((await storedIds(shop)).filter((one) => one === 'bad-time')).toHaveLength(1)
    const receipt = await shop.call(getReceipt, { params: { event_id: 'bad-time' } })
    expect(receipt.body).toMatchObject({ state: 'stored', dead_letter: { state: 'loaded' } })
  })

  test('that are stored already are made up for and counted no second time', async () => {
    const id = await oneLetter(shop, 'bad-person')
    const before = await verdictsOf(shop)
    const event = { event: '$identify', user_id: 'repaired', properties: { plan: 'pro' } }
    expect((await shop.call(loadDeadLetter, { params: { id }, body: { event } })).status).toBe(200)
    await shop.settle()
    expect((await storedIds(shop)).filter((one) => one === 'bad-person')).toHaveLength(1)
    expect(await verdictsOf(shop)).toBe(before)
    const traits = await world.product.deps.control.query(
      "SELECT 1 FROM person_traits WHERE workspace_id = $1 AND key = 'plan'",
      [shop.workspaceId],
    )
    expect(traits).toHaveLength(1)
  })

  test('can be discarded, and one that cannot be read is not loaded as it was', async () => {
    const [torn] = await lettersOf(shop)
    const params = { id: torn?.id ?? '' }
    expect((await shop.call(loadDeadLetter, { params, body: {} })).status).toBe(409)
    expect((await shop.call(discardDeadLetter, { params })).body).toMatchObject({ state: 'discarded' })
    expect((await shop.call(discardDeadLetter, { params })).status).toBe(409)
    expect(await lettersOf(shop)).toEqual([])
    const all = await shop.call(listDeadLetters, { query: { limit: 2 } })
    expect(all.body.data).toHaveLength(2)
    const cursor = all.body.next_cursor ?? ''
    const rest = await shop.call(listDeadLetters, { query: { limit: 2, cursor } })
    expect(new Set([...all.body.data, ...rest.body.data].map(({ id }) => id)).size).toBe(3)
    expect((await shop.call(listDeadLetters, { query: { cursor: 'x' } })).status).toBe(422)
  })
})

/** The stores refuse it now and take it later: what waits is made sound. */
async function mend(shop: TestWorkspace, eventId: string): Promise<void> {
  const sound = line(shop, eventId).trimEnd()
  await world.product.deps.control.query(
    `UPDATE dead_letters SET line = convert_to(
       jsonb_set($3::jsonb, '{received_at}', convert_from(line, 'UTF8')::jsonb -> 'received_at')::text, 'UTF8')
     WHERE workspace_id = $1 AND event_id = $2`,
    [shop.workspaceId, eventId, sound],
  )
}

describe('an event that one node set aside and that is sent again to another', () => {
  test('is stored once and its verdict counted once, whatever is loaded first', async () => {
    const shop = await world.newWorkspace()
    const { deps } = world.product
    // A node that began before knows nothing of what is set aside here.
    const here = deps.ingest
    const there = await createIngest({ ...deps, isClosed: () => false })
    await append(shop, [line(shop, 'sent-again', refusedBy.staging)])
    deps.ingest = there
    expect((await shop.call(track, { body: login('sent-again') })).body).toMatchObject({ duplicate: false })
    await shop.settle()
    deps.ingest = here
    expect(await countsOf(shop, '$login')).toEqual([1, 0])
    const params = { id: await oneLetter(shop, 'sent-again') }
    const loaded = await shop.call(loadDeadLetter, { params, body: { event: login('sent-again') } })
    expect(loaded.status).toBe(200)
    await shop.settle()
    expect(await storedIds(shop)).toEqual(['sent-again'])
    expect(await countsOf(shop, '$login')).toEqual([1, 1])
  })

  test('and is set aside there as well is stored once when both letters are loaded together', async () => {
    const shop = await world.newWorkspace()
    const now = Date.now()
    await append(shop, [line(shop, 'both', { ...refusedBy.staging, received_at: now - 5 })])
    await append(shop, [line(shop, 'both', refusedBy.staging), line(shop, 'alone', refusedBy.staging)])
    expect(await lettersOf(shop)).toHaveLength(3)
    for (const eventId of ['both', 'alone']) await mend(shop, eventId)
    const loaded = await shop.call(loadDeadLetters, { body: { filter: {} } })
    expect(loaded.body).toEqual({ loaded: 3, more: false })
    await shop.settle()
    expect(await lettersOf(shop)).toEqual([])
    expect(await storedIds(shop)).toEqual(['alone', 'both'])
    expect(await countsOf(shop, '$login')).toEqual([2, 1])
  })
})

test('an event that comes to two nodes is counted once, and once as a repeat, whichever loads first', async () => {
  const { deps } = world.product
  const here = deps.ingest
  for (const isOtherFirst of [false, true]) {
    const shop = await world.newWorkspace()
    const there = await createIngest({ ...deps, isClosed: () => false })
    for (const node of isOtherFirst ? [there, here] : [here, there]) {
      deps.ingest = node
      await shop.call(batch, { body: { batch: [login('twice'), login(`once-${node === here}`)] } })
      await shop.settle()
    }
    deps.ingest = here
    expect(await storedIds(shop)).toEqual(['once-false', 'once-true', 'twice'])
    expect(await countsOf(shop, '$login')).toEqual([3, 1])
  }
})

test('dead letters belong to one workspace, and are loaded together by a filter', async () => {
  const [shop, other] = [await world.newWorkspace(), await world.newWorkspace()]
  await append(shop, [line(shop, 'mine', refusedBy.staging), line(shop, 'mine-too', refusedBy.staging)])
  const params = { id: await oneLetter(shop, 'mine') }
  expect(await lettersOf(other)).toEqual([])
  for (const answer of [
    await other.call(getDeadLetter, { params }),
    await other.call(loadDeadLetter, { params, body: {} }),
    await other.call(discardDeadLetter, { params }),
  ]) {
    expect(answer.status).toBe(404)
  }
  const none = await other.call(loadDeadLetters, { body: { filter: {} } })
  expect(none.body).toEqual({ loaded: 0, more: false })
  const filter = { step: 'staging' }
  expect((await shop.call(loadDeadLetters, { body: { filter } })).body).toEqual({ loaded: 2, more: false })
  await shop.settle()
  expect(await lettersOf(shop)).toHaveLength(2)
})
