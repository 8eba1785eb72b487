import { createServer, type Server } from 'node:http'
import {
  batch,
  createContract,
  createDestination,
  deleteDestination,
  getDestination,
  type Input,
  identify,
  listDestinations,
  listDispatches,
  mergePeople,
  type NoticeType,
  publishContract,
  recordConsent,
  replayDispatches,
  requestExport,
  reverseMerge,
  rotateDestinationSecret,
  testDestination,
  updateDestination,
  updateSite,
} from '@assay/contract'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDelivery } from '../http/outbound-address.ts'
import { newId } from '../platform/clock.ts'
import { eraseEverywhere } from '../testing/erasure.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { recordLog } from '../testing/recorded-log.ts'
import { insertDispatches } from './dispatch-store.ts'
import { boundQueue } from './queue-bounds.ts'
import { createSending } from './sender.ts'

let aheadMs = 0
let world: World

beforeAll(async () => {
  world = await startWorld({
    now: () => Date.now() + aheadMs,
    config: { allowPrivateCallbacks: true, ingestEventsPerSecond: 1e6 },
  })
})
afterAll(() => world?.close())

type Got = {
  headers: Record<string, string>
  text: string
  body: { type: string; data: Record<string, unknown> }
}
type Receiver = { url: string; got: Got[]; answer: (got: Got) => number | Promise<number>; server: Server }

const receivers: Receiver[] = []
afterEach(() => {
  aheadMs = 0
  for (const { server } of receivers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A customer's own server: records requests and answers as configured. */
async function openReceiver(answer: Receiver['answer'] = () => 204): Promise<Receiver> {
  const receiver: Receiver = { url: '', got: [], answer, server: createServer() }
  receiver.server.on('request', async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const got: Got = { headers: Object(request.headers), text, body: JSON.parse(text) }
    const status = await receiver.answer(got)
    if (status >= 200 && status < 300) receiver.got.push(got)
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve))
  const address = receiver.server.address()
  receiver.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`
  receivers.push(receiver)
  return receiver
}

async function connect(
  ours: TestWorkspace,
  { url }: { url: string },
  more: Partial<Input<typeof createDestination>['body']> = { events: ['*'] },
) {
  const { status, body } = await ours.call(createDestination, { body: { name: 'Ours', url, ...more } })
  expect(status).toBe(201)
  return body
}

const login = (user_id: string, more: object = {}) => ({
  event: '$login',
  user_id,
  properties: { method: 'x' },
  ...more,
})
const idsAt = ({ got }: Receiver) => got.map(({ body }) => body.data.event_id)
const shown = async (ours: TestWorkspace, id: string) =>
  (await ours.call(getDestination, { params: { id } })).body

describe('events', () => {
  test('that were accepted or warned about are sent once, signed; quarantined and rejected ones never', async () => {
    const ours = await world.newWorkspace({ preset: 'strict' })
    const receiver = await openReceiver()
    const { id, secret } = await connect(ours, receiver)
    const warned = login('u1', { event_id: 'warned', ts: 'not a time' })
    const held = { event: 'never_registered', event_id: 'held', user_id: 'u1', properties: {} }
    const rejected = { event: '$login', event_id: 'rejected', user_id: 'u1', properties: 'none' }
    const answer = await ours.call(batch, {
      body: { batch: [login('u1', { event_id: 'first' }), warned, held, rejected] },
    })
    const outcomes = answer.body.results.map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['accept', 'warn', 'quarantine', 'reject'])
    await ours.settle()
    await untilTrue('the events to arrive', () => receiver.got.length >= 2)
    await ours.send([login('u1', { event_id: 'first' }), login('u1', { event_id: 'last' })])
    await untilTrue('the last to arrive', () => idsAt(receiver).includes('last'))
    expect(idsAt(receiver)).toEqual(['first', 'warned', 'last'])
    const [first] = receiver.got
    expect(() => new Webhook(secret).verify(first?.text ?? '', first?.headers ?? {})).not.toThrow()
    expect(first?.body).toMatchObject({
      type: 'event',
      data: { event: '$login', outcome: 'accept', user_id: 'u1', properties: { method: 'x' } },
    })
    await untilTrue('all to be written down as delivered', async () => (await shown(ours, id)).pending === 0)
    const { data } = (await ours.call(listDispatches, { params: { id }, query: { limit: 1 } })).body
    expect(data).toMatchObject([{ kind: 'event', type: '$login', status: 'delivered', response_status: 204 }])
  })

  test('go only where their name and site are wanted', async () => {
    const ours = await world.newWorkspace()
    const [named, all] = [await openReceiver(), await openReceiver()]
    await connect(ours, named, { events: ['$signup'], site_id: ours.siteId })
    await connect(ours, all)
    const signup = { event: '$signup', event_id: 's', user_id: 'u', properties: { method: 'x' } }
    await ours.send([login('u', { event_id: 'l' }), signup])
    await untilTrue('both to arrive', () => all.got.length === 2 && named.got.length === 1)
    expect(idsAt(named)).toEqual(['s'])
    const elsewhere = await ours.call(createDestination, {
      body: { name: 'x', url: all.url, site_id: 'site_of_others' },
    })
    expect(elsewhere.status).toBe(404)
  })

  test('go only while their person grants the purposes', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    await connect(ours, receiver, { events: ['*'], purposes: ['ad_user_data'] })
    await ours.call(updateSite, { params: { id: ours.siteId }, body: { consentRegime: 'ccpa' } })
    const say = (choice: 'granted' | 'denied') =>
      ours.call(recordConsent, {
        body: { user_id: 'u', regime: 'ccpa', categories: { ad_user_data: choice } },
      })
    await ours.send([login('u', { event_id: 'before' })])
    expect((await say('denied')).status).toBe(201)
    await ours.send([login('u', { event_id: 'denied' }), login('other', { event_id: 'others' })])
    expect((await say('granted')).status).toBe(201)
    await ours.send([login('u', { event_id: 'after' })])
    await untilTrue('the last to arrive', () => idsAt(receiver).includes('after'))
    expect(idsAt(receiver).sort()).toEqual(['after', 'before', 'others'])
  })

  test('of who denied do not go, whichever identifier the event names', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    await connect(ours, receiver, { events: ['*'], purposes: ['ad_user_data'] })
    const categories = { ad_user_data: 'denied' } as const
    const click = { event: '$click', properties: { element: 'x' } }
    for (const member of ['person_id', 'user_id', 'anonymous_id'] as const) {
      // The last one looks like an id that the server makes for visitors without one.
      const value = member === 'anonymous_id' ? 'vis_denied' : `denied-${member}`
      expect((await ours.call(recordConsent, { body: { [member]: value, categories } })).status).toBe(201)
      await ours.send([{ ...click, [member]: ` ${value} `, event_id: `denied ${member}` }])
    }
    await ours.send([{ ...click, person_id: 'somebody', event_id: 'free' }])
    await untilTrue('the last to arrive', () => idsAt(receiver).includes('free'))
    expect(idsAt(receiver)).toEqual(['free'])
  })

  test('of a segment that is loaded again go out once', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    const { id } = await connect(ours, receiver)
    const base = {
      workspace_id: ours.workspaceId,
      site_id: ours.siteId,
      ts: Date.now(),
      received_at: Date.now(),
    }
    // With a character that Postgres refuses, which anyone can send.
    const line = { ...base, event_id: 'again\u0000', outcome: 'accept', name: '$login' }
    const segment = async function* () {
      yield JSON.stringify(line)
    }
    await world.product.deps.outgoing.forward(segment())
    await world.product.deps.outgoing.forward(segment())
    await untilTrue('it to arrive', () => receiver.got.length > 0)
    const { data } = (await ours.call(listDispatches, { params: { id }, query: {} })).body
    expect(data).toHaveLength(1)
  })
})

describe('a receiver', () => {
  test('that fails gets the events of a person in order, later, while others continue', async () => {
    const ours = await world.newWorkspace()
    let isMended = false
    const receiver = await openReceiver(({ body }) => (body.data.user_id === 'ada' && !isMended ? 500 : 200))
    const { id } = await connect(ours, receiver)
    const events = ['ada', 'bob', 'ada', 'bob', 'ada'].map((user, n) =>
      login(user, { event_id: `${user}${n}` }),
    )
    await ours.send(events)
    await untilTrue('the others to arrive', () => receiver.got.length === 2)
    expect(idsAt(receiver)).toEqual(['bob1', 'bob3'])
    expect((await shown(ours, id)).pending).toBe(3)
    isMended = true
    aheadMs += 6_000
    await untilTrue('the rest to arrive', () => receiver.got.length === 5)
    expect(idsAt(receiver).slice(2)).toEqual(['ada0', 'ada2', 'ada4'])
  })

  test('that never answers does not delay others', async () => {
    const ours = await world.newWorkspace()
    const stuck = await openReceiver(() => new Promise<number>(() => {}))
    const sound = await openReceiver()
    await connect(ours, stuck)
    await connect(ours, sound)
    await ours.send(Array.from({ length: 20 }, (_, n) => login(`u${n}`, { event_id: `e${n}` })))
    await untilTrue('all to arrive', () => sound.got.length === 20)
    expect(stuck.got).toEqual([])
  })

  test('is given up after a day, and replay sends again', async () => {
    const ours = await world.newWorkspace()
    let isUp = false
    const receiver = await openReceiver(() => (isUp ? 200 : 503))
    const { id } = await connect(ours, receiver)
    await ours.send([login('u', { event_id: 'late' })])
    await untilTrue('the first failure', async () => (await shown(ours, id)).failing_since !== null)
    aheadMs += 25 * 3_600_000
    await untilTrue('it to be given up', async () => (await shown(ours, id)).dead === 1)
    const { data } = (await ours.call(listDispatches, { params: { id }, query: { status: 'dead' } })).body
    expect(data).toMatchObject([{ response_status: 503, error: 'The receiver responded with 503.' }])
    isUp = true
    expect((await ours.call(replayDispatches, { params: { id }, body: {} })).body).toEqual({ replayed: 1 })
    await untilTrue('it to arrive', () => receiver.got.length === 1)
    await untilTrue('all to be well', async () => (await shown(ours, id)).failing_since === null)
    const absent = { params: { id }, body: { delivery_id: 'msg_unknown' } }
    expect((await ours.call(replayDispatches, absent)).status).toBe(404)
  })

  test('that says it is gone is sent nothing more until it is made active again', async () => {
    const ours = await world.newWorkspace()
    let isGone = true
    const receiver = await openReceiver(() => (isGone ? 410 : 200))
    const { id } = await connect(ours, receiver)
    await ours.send([login('u', { event_id: 'one' })])
    await untilTrue('it to be known as gone', async () => (await shown(ours, id)).status === 'gone')
    isGone = false
    await ours.call(updateDestination, { params: { id }, body: { status: 'active' } })
    aheadMs += 6_000
    await untilTrue('it to arrive', () => receiver.got.length === 1)
  })

  test('can be tried, rotated, paused and deleted', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    const { id, secret } = await connect(ours, receiver, { notices: ['contract.published'] })
    const params = { id }
    const tried = await ours.call(testDestination, { params })
    expect(tried.body).toMatchObject({ kind: 'test', status: 'delivered', response_status: 204 })
    const rotated = await ours.call(rotateDestinationSecret, { params, body: {} })
    expect(rotated.body.secrets_in_force).toBe(2)
    await ours.call(testDestination, { params })
    const last = receiver.got.at(-1)
    for (const one of [secret, rotated.body.secret])
      expect(() => new Webhook(one).verify(last?.text ?? '', last?.headers ?? {})).not.toThrow()
    receiver.answer = () => 500
    const refused = (await ours.call(testDestination, { params })).body
    expect(refused).toMatchObject({ status: 'dead', response_status: 500 })
    await ours.call(updateDestination, { params, body: { status: 'paused', events: ['*'] } })
    await ours.send([login('u')])
    const { data } = (await ours.call(listDestinations, {})).body
    expect(data).toMatchObject([{ id, status: 'paused', pending: 0, events: ['*'] }])
    expect((await ours.call(deleteDestination, { params })).status).toBe(204)
    expect((await ours.call(getDestination, { params })).status).toBe(404)
  })

  test('inside the operator’s own network is refused where that is not allowed', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    const { id } = await connect(ours, receiver)
    const { control, outgoing, now } = world.product.deps
    const shared = { control, destinations: outgoing.destinations, now, newId }
    const sending = createSending({ ...shared, deliver: createDelivery(false) })
    const target = await outgoing.destinations.own(ours.workspaceId, id)
    expect(await sending.test(target)).toMatchObject({ status: 'dead', error: /leads inside/ })
    expect(receiver.got).toEqual([])
  })
})

describe('notices', () => {
  const all: NoticeType[] = [
    'contract.published',
    'identity.merged',
    'identity.reversed',
    'dsr.status_changed',
  ]

  test('report contracts, merges, reversals and requests, each once', async () => {
    const ours = await world.newWorkspace()
    const receiver = await openReceiver()
    await connect(ours, receiver, { notices: all })
    await ours.call(createContract, { body: { key: 'order_packed' } })
    await ours.call(publishContract, { params: { key: 'order_packed' }, body: {} })
    const bind = async (anonymous_id: string, user_id: string) =>
      (await ours.call(identify, { body: { anonymous_id, user_id } })).body.person_id
    const [one, other] = [await bind('d1', 'u1'), await bind('d2', 'u2')]
    const merge = { survivor_id: one, absorbed_id: other, reason: 'same' }
    const merged = await ours.call(mergePeople, { body: { ...merge, dry_run: true } })
    expect(merged.status).toBeLessThan(300)
    const entry = (await ours.call(mergePeople, { body: merge })).body
    const entryId = 'id' in entry ? String(entry.id) : ''
    await ours.call(reverseMerge, { params: { id: entryId }, body: { reason: 'not the same' } })
    await ours.call(requestExport, { body: { person_id: one, regime: 'gdpr' } })
    const typesAt = () => receiver.got.map(({ body }) => body.type)
    const isDone = ({ body }: Got) => body.type === 'dsr.status_changed' && body.data.status === 'completed'
    await untilTrue('the request to be done', () => receiver.got.some(isDone))
    await untilTrue('all to arrive', () => all.every((type) => typesAt().includes(type)))
    const published = receiver.got.filter(({ body }) => body.type === 'contract.published')
    expect(published.map(({ body }) => body.data)).toEqual([{ key: 'order_packed', version: '1-0-0' }])
    const byHand = receiver.got.filter(({ body }) => body.data.ledger_entry_id === entryId)
    expect(byHand).toMatchObject([{ body: { type: 'identity.merged', data: { absorbed_id: other } } }])
    expect(typesAt().filter((type) => type === 'identity.reversed')).toHaveLength(1)
    expect(JSON.stringify(receiver.got.filter(isDone))).not.toContain(one)
  })
})

describe('a queue', () => {
  type Kept = { id: string; queuedMs: number; status: 'pending' | 'dead' | 'delivered' }
  type Act = { kind: 'add' | 'deliver' | 'replay'; count: number } | { kind: 'wait'; hours: number }
  const bounds = { queueMax: 5, queueHours: 48 }
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      kind: fc.constantFrom('deliver' as const, 'replay' as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 60 }) }),
  )

  /** What must be there afterwards, from the oldest to the newest. */
  function bounded(kept: readonly Kept[], nowMs: number): Kept[] {
    const timely = kept.map((one): Kept => {
      const isLate = one.status === 'pending' && one.queuedMs < nowMs - bounds.queueHours * 3_600_000
      return isLate ? { ...one, status: 'dead' } : one
    })
    const newest = (list: readonly Kept[], status: Kept['status']) =>
      new Set(list.filter((one) => one.status === status).slice(-bounds.queueMax))
    const waiting = newest(timely, 'pending')
    const all = timely.map(
      (one): Kept => (one.status === 'pending' && !waiting.has(one) ? { ...one, status: 'dead' } : one),
    )
    const parts = [newest(all, 'pending'), newest(all, 'dead'), newest(all, 'delivered')]
    return all.filter((one) => parts.some((part) => part.has(one)))
  }

  test('holds the newest that its bound allows, gives up the oldest, and forgets the oldest of those', async () => {
    const ours = await world.newWorkspace()
    const { control } = world.product.deps
    const { id } = await connect(ours, { url: 'http://127.0.0.1:9/hook' })
    await ours.call(updateDestination, { params: { id }, body: { status: 'paused' } })
    const { logger, entries } = recordLog()
    const rowsOf = () =>
      control.query<{ id: string; status: string; error: string | null }>(
        'SELECT id, status, error FROM dispatches WHERE destination_id = $1 ORDER BY position',
        [id],
      )
    const change = (ids: readonly string[], status: string, queuedMs: number) =>
      control.query('UPDATE dispatches SET status = $2, queued_at = $3 WHERE id = ANY($1::text[])', [
        ids,
        status,
        new Date(queuedMs),
      ])
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
        await control.query('DELETE FROM dispatches WHERE destination_id = $1', [id])
        let kept: Kept[] = []
        // Not in the past: the product keeps to its own bounds meanwhile.
        let nowMs = Date.now()
        for (const one of acts) {
          if (one.kind === 'wait') nowMs += one.hours * 3_600_000
          else if (one.kind === 'add') {
            const rows = Array.from({ length: one.count }, () => newId('msg'))
            await insertDispatches(
              control,
              rows.map((row) => dispatchOf(ours.workspaceId, id, row)),
              { at: new Date(nowMs), until: new Date(nowMs) },
            )
            kept.push(...rows.map((row): Kept => ({ id: row, queuedMs: nowMs, status: 'pending' })))
          } else {
            const [from, to] = one.kind === 'deliver' ? ['pending', 'delivered'] : ['dead', 'pending']
            const moved = kept.filter(({ status }) => status === from).slice(0, one.count)
            for (const each of moved)
              Object.assign(each, { status: to, ...(to === 'pending' && { queuedMs: nowMs }) })
            await change(
              moved.map((each) => each.id),
              to ?? '',
              nowMs,
            )
          }
          await boundQueue({ control, bounds, now: () => nowMs, logger }, id)
          kept = bounded(kept, nowMs)
          const rows = await rowsOf()
          expect(rows.map((row) => [row.id, row.status])).toEqual(kept.map((each) => [each.id, each.status]))
          expect(rows.every(({ status, error }) => status !== 'dead' || error !== null)).toBe(true)
        }
      }),
      { numRuns: 25 },
    )
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.every(({ level, destination }) => level === 'warn' && destination === id)).toBe(true)
  })

  const dispatchOf = (workspace_id: string, destination_id: string, id: string) => ({
    id,
    workspace_id,
    destination_id,
    subject: `event ${id}`,
    kind: 'event' as const,
    type: '$login',
    person_id: '',
    body: '{}',
  })
})

test('a person who is forgotten is in no queue any more', async () => {
  const ours = await world.newWorkspace()
  const receiver = await openReceiver(() => 500)
  await connect(ours, receiver)
  const { person_id } = (
    await ours.call(identify, { body: { anonymous_id: 'd', user_id: 'gone', event_id: 'said' } })
  ).body
  await ours.send([login('gone', { event_id: 'theirs' }), login('stays', { event_id: 'stays' })])
  const { control, people } = world.product.deps
  const queued = async () => {
    const rows = await control.query<{ subject: string }>(
      'SELECT subject FROM dispatches WHERE workspace_id = $1',
      [ours.workspaceId],
    )
    return rows.map(({ subject }) => subject).filter((subject) => subject !== 'event none')
  }
  expect((await queued()).sort()).toEqual(['event said', 'event stays', 'event theirs'])
  const originalIds = [person_id, people.originalId(ours.workspaceId, { type: 'user_id', value: 'gone' })]
  await eraseEverywhere(world.product, { workspaceId: ours.workspaceId, originalIds })
  expect(await queued()).toEqual(['event stays'])
})
