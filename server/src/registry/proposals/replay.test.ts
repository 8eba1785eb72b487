import {
  batch,
  createContract,
  getReceipt,
  publishContract,
  type Replay,
  setSeverities,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

const nowMs = Date.parse('2026-07-15T12:00:00Z')
const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000).toISOString()

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  shop = await world.newWorkspace({ preset: 'strict' })
})
afterAll(() => world?.close())

type Wire = {
  event: string
  properties?: object
  ts?: string
  historical?: boolean
  contract_version?: string
}

async function send(...events: Wire[]): Promise<string[]> {
  const wire = events.map((event) => ({ user_id: 'u1', ...event }))
  const results = await shop.send(wire, { outcomes: ['accept', 'warn', 'quarantine', 'reject'] })
  return results.map(({ outcome }) => outcome)
}

async function replay(key: string, draft: object, days = 7): Promise<Replay | undefined> {
  const { body } = await shop.call(createContract, {
    body: { key, dry_run: true, replay_days: days, ...draft },
  })
  return body.replay
}

describe('a replay', () => {
  test('validates quarantined events of the name, in any spelling, as it would from now on', async () => {
    await send(
      { event: 'trial_extended', properties: { days: 7 } },
      { event: 'Trial Extended', properties: { days: '14' } },
      { event: 'trialExtended', properties: { days: 'soon' } },
      { event: 'trial_extended' },
      { event: 'something_else', properties: { days: 1 } },
    )
    const found = await replay('trial_extended', { properties: { days: { type: 'number', required: true } } })
    expect(found).toMatchObject({
      days: 7,
      found: 4,
      events: 4,
      outcomes: { accept: 1, warn: 1, quarantine: 0, reject: 2 },
      codes: { type_coerced: 1, type_mismatch: 1, required_missing: 1 },
    })
    expect(found?.samples).toHaveLength(3)
    expect(found?.samples.map(({ outcome }) => outcome).toSorted()).toEqual(['reject', 'reject', 'warn'])
  })

  test('validates what is stored under an earlier version, except for events that name that version', async () => {
    await shop.call(createContract, { body: { key: 'seat_added', status: 'published' } })
    const sent = await send(
      { event: 'seat_added', properties: { count: 1 } },
      { event: 'seat_added', properties: { count: -1 }, contract_version: '1-0-0' },
    )
    expect(sent).toEqual(['accept', 'accept'])
    const found = await replay('seat_added', { properties: { count: { type: 'number', minimum: 0 } } })
    expect(found).toMatchObject({
      events: 2,
      outcomes: { accept: 1, quarantine: 1 },
      codes: { value_not_allowed: 1 },
    })
  })

  test('puts back what an earlier version set aside', async () => {
    const body = {
      key: 'size_chosen',
      properties: { size: { type: 'number' } },
      status: 'published',
    } as const
    await shop.call(createContract, { body })
    expect(await send({ event: 'size_chosen', properties: { size: 'large' } })).toEqual(['warn'])
    const found = await replay('size_chosen', { properties: { size: { type: 'string', required: true } } })
    expect(found?.outcomes).toMatchObject({ accept: 1, reject: 0 })
  })

  test('judges what a default rule took for a standard event, under the names that were sent', async () => {
    const sent = await send({ event: 'order_completed', properties: { revenue: 20, currency: 'EUR' } })
    expect(sent).toEqual(['accept'])
    const found = await replay('order_completed', {
      properties: { revenue: { type: 'number', required: true } },
    })
    expect(found).toMatchObject({ events: 1, outcomes: { accept: 1 } })
  })

  test('covers the requested number of days, and an event is never too old for it', async () => {
    await shop.call(createContract, { body: { key: 'old_event', status: 'published' } })
    await send(...[1, 6, 9].map((days) => ({ event: 'old_event', ts: daysAgo(days), historical: true })))
    expect(await replay('old_event', {}, 2)).toMatchObject({ found: 1, outcomes: { accept: 1 } })
    expect(await replay('old_event', {}, 10)).toMatchObject({ found: 3, outcomes: { accept: 3 } })
  })

  test('shows at most 20 samples and at most five of a kind', async () => {
    const events = Array.from({ length: 30 }, () => ({ event: 'noisy_event', properties: { level: 'x' } }))
    await send(...events)
    const found = await replay('noisy_event', { properties: { level: { type: 'string', enum: ['a'] } } })
    expect(found).toMatchObject({ events: 30, outcomes: { quarantine: 30 } })
    expect(found?.samples).toHaveLength(5)
    expect(found?.samples[0]?.issues).toMatchObject([{ code: 'value_not_allowed', field: 'level' }])
  })

  test('goes by the severities of the workspace', async () => {
    await send({ event: 'strict_event', properties: { level: 'x' } })
    const draft = { properties: { level: { type: 'string', enum: ['a'] } } }
    await shop.call(setSeverities, { body: { value_not_allowed: 'reject' } })
    expect((await replay('strict_event', draft))?.outcomes).toMatchObject({ reject: 1 })
    await shop.call(setSeverities, { body: { value_not_allowed: null } })
    expect((await replay('strict_event', draft))?.outcomes).toMatchObject({ quarantine: 1 })
  })

  test('of a name that is never sent, or only in other workspaces, is empty', async () => {
    const theirs = await world.newWorkspace({ preset: 'strict' })
    const body = { key: 'trial_extended', dry_run: true, replay_days: 30 } as const
    const { body: answer } = await theirs.call(createContract, { body })
    expect(answer.replay).toEqual({
      days: 30,
      found: 0,
      events: 0,
      outcomes: { accept: 0, warn: 0, quarantine: 0, reject: 0 },
      codes: {},
      samples: [],
    })
  })

  test('is bounded in days', async () => {
    for (const replay_days of [0, 31]) {
      const answer = await shop.call(createContract, {
        body: { key: 'any_event', dry_run: true, replay_days },
      })
      expect(answer.status).toBe(422)
    }
  })

  test('also comes with a contract that is stored', async () => {
    await send({ event: 'stored_too' })
    const { body } = await shop.call(createContract, { body: { key: 'stored_too', replay_days: 1 } })
    expect(body).toMatchObject({ dry_run: false, status: 'draft', replay: { outcomes: { accept: 1 } } })
  })
})

describe('publishing', () => {
  const wire = (key: string) => [
    { event: key, user_id: 'u1', event_id: `${key}-1`, properties: { code: 'a' } },
    { event: key, user_id: 'u1', event_id: `${key}-2`, properties: { code: 7 } },
    { event: key, user_id: 'u1', event_id: `${key}-3` },
  ]
  const strict = { code: { type: 'string', required: true } } as const

  test('counts how many quarantined events now pass, at once, in a dry run and on creation alike', async () => {
    const key = 'invite_opened'
    await shop.call(batch, { body: { batch: wire(key) } })
    await shop.call(createContract, { body: { key, properties: strict } })
    for (const dry_run of [true, false]) {
      const { body } = await shop.call(publishContract, { params: { key }, body: { dry_run } })
      expect(body.held).toEqual({ would_pass: 2, released: 0 })
    }
    const looser = await shop.call(createContract, {
      body: { key, properties: { code: { type: 'string' } }, status: 'published', dry_run: true },
    })
    expect(looser.body.held).toEqual({ would_pass: 3, released: 0 })
  })

  test('releases what now passes on request, once, and a dry run does not', async () => {
    const key = 'invite_accepted'
    await shop.call(batch, { body: { batch: wire(key) } })
    await shop.call(createContract, { body: { key, properties: strict } })
    const tried = await shop.call(publishContract, {
      params: { key },
      body: { dry_run: true, release: true },
    })
    expect(tried.body.held).toEqual({ would_pass: 2, released: 0 })
    const done = await shop.call(publishContract, { params: { key }, body: { release: true } })
    expect(done.body.held).toEqual({ would_pass: 2, released: 2 })
    const { body } = await shop.call(getReceipt, { params: { event_id: `${key}-1` } })
    expect(body).toMatchObject({ state: 'stored', contract: { name: key, version: '1-0-0' } })

    const replayed = await replay(key, { properties: { code: { type: 'string' } } })
    expect(replayed).toMatchObject({ found: 3, events: 3, outcomes: { accept: 3 } })
    const looser = await shop.call(createContract, {
      body: { key, properties: { code: { type: 'string' } }, status: 'published', release: true },
    })
    expect(looser.body).toMatchObject({ version: '1-1-0', held: { would_pass: 1, released: 1 } })
  })
})
