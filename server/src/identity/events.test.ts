import {
  batch,
  getOverview,
  getPerson,
  getReceipt,
  getTimeline,
  listLedger,
  mergePeople,
  resolveIdentity,
  reverseMerge,
  verifyLedger,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World
let ours: TestWorkspace
let counter = 0

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const fresh = (name: string) => `${name}-${++counter}`
type Who = {
  anonymous_id?: string
  user_id?: string
  person_id?: string
  event?: string
  properties?: object
  event_id?: string
}

async function send(...events: Who[]): Promise<void> {
  const items = events.map((who) => ({ event: '$login', properties: { method: 'x' }, ...who }))
  await ours.send(items, { key: ours.keys.secret })
}

async function personOf(type: string, value: string): Promise<string> {
  const body = { identifiers: [{ type, value }], read_only: true }
  return String((await ours.call(resolveIdentity, { body })).body.person_id)
}

async function visitors(): Promise<number> {
  const query = { siteId: ours.siteId, window: '24h', includeBots: true }
  return (await ours.call(getOverview, { query })).body.metrics.visitors
}

describe('an event that names a user and a device', () => {
  beforeAll(async () => {
    ours = await world.newWorkspace()
  })

  test('ties them as an identify does, and reports follow', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    await send({ anonymous_id: a, event_id: `${a}-first` }, { user_id: u })
    expect(await visitors()).toBe(2)
    await send({ anonymous_id: a, user_id: u, event_id: `${a}-tie` })
    expect(await visitors()).toBe(1)
    const personId = await personOf('anonymous_id', a)
    expect(await personOf('user_id', u)).toBe(personId)
    const timeline = await ours.call(getTimeline, { params: { id: personId }, query: {} })
    expect(timeline.body.data).toHaveLength(3)
    const receipt = await ours.call(getReceipt, { params: { event_id: `${a}-tie` } })
    expect(receipt.body.person).toEqual({ person_id: personId, resolved_by: 'user_id' })
    const [entry] = (await ours.call(listLedger, { query: { person_id: personId } })).body.data
    expect(entry).toMatchObject({
      type: 'merge',
      step: 3,
      confidence: 'likely',
      actor: 'ingest',
      triggering_event_id: `${a}-tie`,
    })
    await send({ anonymous_id: a, user_id: u })
    expect((await ours.call(listLedger, { query: { person_id: personId } })).body.data).toHaveLength(1)
    const body = { reason: 'not hers' }
    await ours.call(reverseMerge, { params: { id: String(entry?.id) }, body })
    expect(await visitors()).toBe(2)
    await send({ anonymous_id: a, user_id: u })
    expect(await visitors()).toBe(2)
    expect(await personOf('user_id', u)).not.toBe(await personOf('anonymous_id', a))
  })

  test('and another user on the same device leave it to neither of them', async () => {
    const [device, u1, u2] = [fresh('device'), fresh('user'), fresh('user')]
    await send({ anonymous_id: device }, { anonymous_id: device, user_id: u1 })
    expect(await personOf('user_id', u1)).toBe(await personOf('anonymous_id', device))
    await send({ anonymous_id: device, user_id: u2 })
    const people = [
      await personOf('user_id', u1),
      await personOf('user_id', u2),
      await personOf('anonymous_id', device),
    ]
    expect(new Set(people).size).toBe(3)
    for (const id of people) {
      const { data } = (await ours.call(getTimeline, { params: { id }, query: {} })).body
      expect(data).toHaveLength(1)
    }
  })

  test('links nothing if one of them identifies no one', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    await send({ anonymous_id: a, user_id: 'undefined' }, { anonymous_id: 'null', user_id: u })
    const { data } = (await ours.call(listLedger, { query: { limit: 200 } })).body
    const ids = [await personOf('anonymous_id', a), await personOf('user_id', u)]
    expect(data.filter(({ link }) => link?.some((end) => ids.includes(end)))).toEqual([])
    const timeline = await ours.call(getTimeline, { params: { id: ids[0] ?? '' }, query: {} })
    expect(timeline.body.data[0]?.identified_by).toMatchObject({ user_id: 'undefined', anonymous_id: a })
  })

  test('of identify keeps what it says of the user', async () => {
    const [a, u] = [fresh('anon'), fresh('user')]
    const properties = { user_id: u, plan: 'pro', email: 'ada@example.com' }
    await send({ event: '$identify', anonymous_id: a, user_id: u, properties })
    const id = await personOf('anonymous_id', a)
    const { body } = await ours.call(getPerson, { params: { id } })
    expect(body.traits).toEqual({ plan: 'pro', email: 'ada@example.com' })
    expect(body.trait_sources.plan).toMatchObject({ source: 'event' })
  })

  test('in one batch with very many others is written down with them', async () => {
    const [people, size] = [500, 900]
    const prefix = fresh('many')
    const events = Array.from({ length: size }, (_, index) => ({
      anonymous_id: `${prefix}-a${index % people}`,
      ...(index >= size - people && { user_id: `${prefix}-u${index % people}` }),
    }))
    await send(...events)
    for (const index of [0, 99, people - 1]) {
      const person = await personOf('user_id', `${prefix}-u${index}`)
      expect(person).toBe(await personOf('anonymous_id', `${prefix}-a${index}`))
    }
    expect((await ours.call(verifyLedger, {})).body.valid).toBe(true)
  })

  test('is tied to a person by an id that others of the same load have written down before it', async () => {
    const [device, user, phone, many] = [fresh('device'), fresh('user'), fresh('phone'), fresh('many')]
    // Known by an event, and not written down yet.
    await send({ anonymous_id: device })
    const personId = await personOf('anonymous_id', device)
    const others = Array.from({ length: 450 }, (_, index) => ({
      anonymous_id: `${many}-a${index}`,
      user_id: `${many}-u${index}`,
    }))
    await send({ anonymous_id: device, user_id: user }, ...others, {
      anonymous_id: phone,
      person_id: personId,
    })
    expect(await personOf('user_id', user)).toBe(personId)
    expect(await personOf('anonymous_id', phone)).toBe(personId)
    expect(await personOf('user_id', `${many}-u449`)).toBe(await personOf('anonymous_id', `${many}-a449`))
  })
})

describe('what events say of people', () => {
  test('waits in the log while the control store fails, and is written down as soon as it answers', async () => {
    ours = await world.newWorkspace()
    const [a, u] = [fresh('anon'), fresh('user')]
    const { control, writer } = world.product.deps
    let flushing: Promise<boolean> | undefined
    await control.script('ALTER TABLE identity_links RENAME TO identity_links_away')
    try {
      await ours.call(batch, {
        body: { batch: [{ event: '$login', anonymous_id: a, user_id: u, properties: { method: 'x' } }] },
      })
      let isFlushed = false
      flushing = writer.flush(60_000).then((isDone) => {
        isFlushed = true
        return isDone
      })
      await untilTrue('the load to fail', () => writer.failure !== null)
      expect(isFlushed).toBe(false)
    } finally {
      await control.script('ALTER TABLE identity_links_away RENAME TO identity_links')
    }
    expect(await flushing).toBe(true)
    expect(await personOf('user_id', u)).toBe(await personOf('anonymous_id', a))
    expect(await visitors()).toBe(1)
  })
})

describe('reports', () => {
  test('follow a merge on purpose and its reversal at once', async () => {
    ours = await world.newWorkspace()
    await send({ user_id: 'u1' }, { user_id: 'u2' }, { user_id: 'u3' })
    expect(await visitors()).toBe(3)
    const [p1, p2] = [await personOf('user_id', 'u1'), await personOf('user_id', 'u2')]
    const body = { survivor_id: p1, absorbed_id: p2, reason: 'x' }
    const { id } = (await ours.call(mergePeople, { body })).body
    expect(await visitors()).toBe(2)
    await ours.call(reverseMerge, { params: { id: String(id) }, body: { reason: 'x' } })
    expect(await visitors()).toBe(3)
  })
})
