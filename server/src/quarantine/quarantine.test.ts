import {
  countQuarantined,
  createContract,
  createSite,
  discardQuarantined,
  getOverview,
  getQuarantined,
  getReceipt,
  listQuarantined,
  releaseQuarantined,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, undated, type World } from '../testing/harness.ts'
import { deleteOldQuarantined } from './quarantine.ts'

let world: World
let shop: TestWorkspace
/** Moves the product's clock away from the real one. */
let aheadMs = 0

beforeAll(async () => {
  // Segments are loaded when a test asks for it: every load is half a dozen statements of the events store.
  world = await startWorld({ now: () => Date.now() + aheadMs, config: { segmentAgeMsMax: 60_000 } })
})
afterAll(() => world?.close())
beforeEach(async () => {
  shop = await world.newWorkspace({ preset: 'strict' })
})

/** Quarantined for `value_not_allowed`: there is no such currency. */
const badPurchase = (event_id: string, properties: object = {}) => ({
  event: '$purchase',
  event_id,
  user_id: 'u1',
  properties: { amount: 20, currency: 'EURO', ...properties },
})
/** Quarantined for `unknown_event`. */
const unknownEvent = (event_id: string, event = 'plan_chosen', properties: object = {}) => ({
  event,
  event_id,
  user_id: 'u1',
  properties,
})
const euros = { currency: 'EUR' }

async function hold(...bodies: object[]): Promise<void> {
  for (const body of bodies) {
    const sent = await shop.call(track, { body: { ...body } })
    expect(sent.body).toMatchObject({ outcome: 'quarantine', duplicate: false })
  }
  await shop.settle()
}

const release = (body: object) => shop.call(releaseQuarantined, { body })
const discard = (body: object) => shop.call(discardQuarantined, { body })
const list = (query: object = {}) => shop.call(listQuarantined, { query })
const idsOf = (answer: Awaited<ReturnType<typeof list>>) => answer.body.data.map((held) => held.event_id)
const read = (eventId: string) => shop.call(getQuarantined, { params: { id: `qtn_${eventId}` } })
const receipt = (eventId: string) => shop.call(getReceipt, { params: { event_id: eventId } })

async function storedEvents(workspace = shop): Promise<number> {
  await workspace.settle()
  const [row] = await world.product.deps.events.query<{ events: string }>(
    'SELECT toString(count()) AS events FROM events WHERE workspace_id = {workspaceId:String} AND counted = 1',
    { workspaceId: workspace.workspaceId },
  )
  return Number(row?.events)
}

describe('a quarantined event', () => {
  test('is listed and read with what was sent, why it waits and until when', async () => {
    await hold({
      ...badPurchase('b1', { note: 'gift' }),
      event: 'Order Completed',
      ts: '2026-01-01T00:00:00Z',
      historical: true,
    })
    const listed = (await list()).body.data[0]
    expect(listed).toMatchObject({
      id: 'qtn_b1',
      event_id: 'b1',
      site_id: shop.siteId,
      state: 'held',
      name: 'Order Completed',
      canonical_name: '$purchase',
      code: 'value_not_allowed',
      issues: [{ code: 'value_not_allowed', field: 'currency' }],
      ts: '2026-01-01T00:00:00.000Z',
      decided_at: null,
      decided_by: null,
    })
    expect(Date.parse(listed?.expires_at ?? '') - Date.parse(listed?.received_at ?? '')).toBe(30 * dayMs)
    expect((await read('b1')).body).toEqual({
      ...listed,
      sent: {
        event: 'Order Completed',
        ts: '2026-01-01T00:00:00.000Z',
        anonymous_id: null,
        user_id: 'u1',
        person_id: null,
        properties: { amount: 20, currency: 'EURO', note: 'gift' },
        context: {},
      },
      patch: null,
    })
  })

  test('may have the longest and strangest id', async () => {
    const id = `${'é/?%"\\\''.repeat(28)}x'];--`.slice(0, 200)
    await hold(badPurchase(id))
    expect((await read(id)).body.event_id).toBe(id)
    expect((await release({ ids: [`qtn_${id}`], patch: euros })).body.released).toBe(1)
    expect((await receipt(id)).body.state).toBe('stored')
  })

  test('of another workspace, an unknown one and a wrong id answer the same', async () => {
    await hold(badPurchase('mine'))
    const other = await world.newWorkspace({ preset: 'strict' })
    const foreign = await other.call(getQuarantined, { params: { id: 'qtn_mine' } })
    const missing = await other.call(getQuarantined, { params: { id: 'qtn_none' } })
    const wrong = await other.call(getQuarantined, { params: { id: 'mine' } })
    for (const answer of [foreign, missing, wrong]) {
      expect(answer.status).toBe(404)
      expect(answer.problem).toEqual({ ...missing.problem, instance: answer.problem.instance })
    }
    expect((await other.call(listQuarantined, { query: {} })).body.data).toEqual([])
    const theirs = { body: { ids: ['qtn_mine'], patch: euros } }
    expect((await other.call(releaseQuarantined, theirs)).body).toMatchObject({ matched: 0, released: 0 })
    expect((await other.call(discardQuarantined, { body: { ids: ['qtn_mine'] } })).body.matched).toBe(0)
    expect((await read('mine')).body.state).toBe('held')
  })
})

describe('the list', () => {
  test('comes newest first, in pages that new events do not shift', async () => {
    await hold(...[1, 2, 3, 4, 5].map((n) => unknownEvent(`p${n}`)))
    const first = await list({ limit: 2 })
    await hold(unknownEvent('p6'))
    const second = await list({ limit: 2, cursor: first.body.next_cursor ?? '' })
    const third = await list({ limit: 2, cursor: second.body.next_cursor ?? '' })
    expect([first, second, third].flatMap(idsOf)).toEqual(['p5', 'p4', 'p3', 'p2', 'p1'])
    expect(third.body.next_cursor).toBeNull()
  })

  test('takes a name as sent or as understood, a code, a site, a state and times of arrival', async () => {
    await hold({ ...badPurchase('f1'), event: 'Order Completed' }, unknownEvent('f2'), unknownEvent('f3'))
    await discard({ ids: ['qtn_f3'] })
    const arrival = (await read('f2')).body.received_at
    const cases: [object, string[]][] = [
      [{ event: 'Order Completed' }, ['f1']],
      [{ event: '$purchase' }, ['f1']],
      [{ event: 'plan_chosen' }, ['f3', 'f2']],
      [{ code: 'value_not_allowed' }, ['f1']],
      [{ state: 'held' }, ['f2', 'f1']],
      [{ state: 'discarded' }, ['f3']],
      [{ state: 'released' }, []],
      [{ site_id: shop.siteId, event: '$purchase' }, ['f1']],
      [{ site_id: 'site_none' }, []],
      [{ from: arrival, event: 'plan_chosen' }, ['f3', 'f2']],
      [{ to: arrival }, ['f1']],
    ]
    for (const [query, expected] of cases) {
      expect(idsOf(await list(query)), JSON.stringify(query)).toEqual(expected)
    }
  })

  test('refuses times and cursors that are none', async () => {
    for (const query of [
      { from: 'yesterday' },
      { to: '2026-13-01' },
      { cursor: 'x' },
      { cursor: `1.${'9'.repeat(20)}` },
    ]) {
      const answer = await list(query)
      expect(answer.status).toBe(422)
      expect(answer.problem.type).toContain('invalid-parameter')
    }
  })

  test('has counts by event and code, and by day', async () => {
    await hold(unknownEvent('c1'), unknownEvent('c2'), badPurchase('c3'), badPurchase('c4'))
    await discard({ ids: ['qtn_c4'] })
    const { body } = await shop.call(countQuarantined, { query: {} })
    expect(body.groups).toMatchObject([
      { name: 'plan_chosen', code: 'unknown_event', held: 2 },
      { name: '$purchase', code: 'value_not_allowed', held: 1 },
    ])
    expect(body.groups.map(({ site_id, examples }) => [site_id, examples])).toEqual([
      [shop.siteId, []],
      [shop.siteId, [{ property: 'currency', values: ['"EURO"'] }]],
    ])
    const events = (code: string) =>
      body.days.filter((row) => row.code === code).reduce((sum, row) => sum + row.events, 0)
    expect([events('unknown_event'), events('value_not_allowed')]).toEqual([2, 2])
    expect(undated((await shop.call(countQuarantined, { query: { code: 'x' } })).body)).toEqual({
      groups: [],
      days: [],
    })
  })
})

describe('a release', () => {
  test('with a patch that fixes the event stores it under its id and time, and records who did', async () => {
    await hold({
      event: 'order_completed',
      event_id: 'r1',
      user_id: 'u1',
      ts: Date.now() - 5 * dayMs,
      properties: { currency: 'EUR' },
    })
    const before = (await read('r1')).body
    expect(before.code).toBe('mapping_incomplete')
    const answer = await release({ ids: ['qtn_r1'], patch: { amount: 12.5 } })
    expect(answer.body).toMatchObject({
      dry_run: false,
      matched: 1,
      released: 1,
      still_held: 0,
      results: [{ id: 'qtn_r1', event_id: 'r1', outcome: 'accept', issues: [] }],
    })
    const after = (await read('r1')).body
    expect(after).toMatchObject({ state: 'released', patch: { amount: 12.5 }, ts: before.ts })
    expect(after.decided_by).toMatch(/^key_/)
    expect((await receipt('r1')).body).toMatchObject({
      state: 'stored',
      outcome: 'accept',
      name: { sent: 'order_completed', stored: '$purchase' },
      time: { ts: before.ts },
      received_at: before.received_at,
    })
    const overview = await shop.call(getOverview, { query: { siteId: shop.siteId } })
    expect(overview.body.metrics).toMatchObject({ events: 1, revenue: 12.5, conversions: 1 })
  })

  test('takes a property out where the patch says null', async () => {
    await hold({
      event: '$login',
      event_id: 'n1',
      user_id: 'u1',
      properties: { method: 'sso', note: 'card 4111 1111 1111 1111' },
    })
    expect((await release({ ids: ['qtn_n1'] })).body).toMatchObject({ released: 0, still_held: 1 })
    expect((await release({ ids: ['qtn_n1'], patch: { note: null } })).body.released).toBe(1)
    const [row] = await world.product.deps.events.query(
      'SELECT properties FROM events WHERE workspace_id = {workspaceId:String}',
      { workspaceId: shop.workspaceId },
    )
    expect(row).toEqual({ properties: '{"method":"sso"}' })
  })

  test('as a dry run answers the same and changes nothing', async () => {
    await hold(badPurchase('d1'), unknownEvent('d2'))
    const answer = await release({ filter: {}, patch: euros, dry_run: true })
    expect(answer.body).toMatchObject({ dry_run: true, matched: 2, released: 1, still_held: 1 })
    expect(idsOf(await list({ state: 'held' }))).toEqual(['d2', 'd1'])
    expect(await storedEvents()).toBe(0)
    expect((await discard({ filter: {}, dry_run: true })).body).toEqual({
      dry_run: true,
      matched: 2,
      discarded: 2,
    })
    expect(idsOf(await list({ state: 'held' }))).toEqual(['d2', 'd1'])
  })

  test('by filter takes only what the filter names', async () => {
    await hold(badPurchase('s1'), badPurchase('s2'), unknownEvent('s3'))
    const answer = await release({ filter: { code: 'value_not_allowed' }, patch: euros })
    expect(answer.body).toMatchObject({ matched: 2, released: 2 })
    expect(idsOf(await list({ state: 'held' }))).toEqual(['s3'])
    expect((await release({ filter: { code: 'value_not_allowed' } })).body.matched).toBe(0)
  })

  test('of one site leaves the same cause of another, and counts name the values that were sent', async () => {
    const site = { name: 'Other', domain: 'other.example' }
    const { id: other } = (await shop.call(createSite, { body: site })).body
    await hold(badPurchase('v1'), badPurchase('v2', { currency: 'Euros' }), {
      ...badPurchase('v3', { currency: 7 }),
      site_id: other,
    })
    const counts = async () =>
      (await shop.call(countQuarantined, { query: {} })).body.groups.map(({ site_id, held, examples }) => [
        site_id,
        held,
        examples,
      ])
    const property = 'currency'
    const ofOther = [other, 1, [{ property, values: ['7'] }]]
    expect(await counts()).toEqual([[shop.siteId, 2, [{ property, values: ['"Euros"', '"EURO"'] }]], ofOther])
    const answer = await release({ filter: { event: '$purchase', site_id: shop.siteId }, patch: euros })
    expect(answer.body).toMatchObject({ matched: 2, released: 2 })
    expect(await counts()).toEqual([ofOther])
  })

  test('judges by what the registry says by now, and what still does not pass keeps its new issues', async () => {
    await hold(
      unknownEvent('j1', 'Plan Chosen', { plan: 'pro' }),
      unknownEvent('j2', 'plan_chosen', { plan: 'none' }),
    )
    const plan = { type: 'string', required: true, description: '', enum: ['free', 'pro'] } as const
    const created = await shop.call(createContract, {
      body: { key: 'plan_chosen', status: 'published', properties: { plan } },
    })
    expect(created.status).toBe(201)
    expect(await world.product.deps.held.wouldPass(shop, 'plan_chosen')).toBe(1)
    const answer = await release({ filter: { event: 'plan_chosen' } })
    expect(answer.body).toMatchObject({ matched: 1, released: 0, still_held: 1 })
    expect((await read('j2')).body).toMatchObject({
      state: 'held',
      code: 'value_not_allowed',
      issues: [{ code: 'value_not_allowed', field: 'plan' }],
    })
    expect(idsOf(await list({ code: 'value_not_allowed' }))).toEqual(['j2'])
    expect(idsOf(await list({ code: 'invalid_name' }))).toEqual(['j1'])
    expect((await receipt('j2')).body).toMatchObject({
      state: 'held',
      issues: [{ code: 'value_not_allowed' }],
    })
    expect(await world.product.deps.held.release(shop, 'plan_chosen', 'key_x')).toBe(1)
    expect((await receipt('j1')).body).toMatchObject({ state: 'stored', name: { stored: 'plan_chosen' } })
    expect((await read('j1')).body).toMatchObject({ state: 'released', decided_by: 'key_x' })
  })

  test('with a patch that does not help leaves the issues of what was sent', async () => {
    await hold(badPurchase('k1'))
    const answer = await release({ ids: ['qtn_k1'], patch: { currency: 'EUR', amount: 'a lot' } })
    expect(answer.body.results[0]).toMatchObject({ outcome: 'reject', issues: [{ code: 'type_mismatch' }] })
    expect((await read('k1')).body).toMatchObject({ state: 'held', code: 'value_not_allowed' })
  })

  test('does not ask again how old an event is', async () => {
    const ts = new Date(Date.now() - 40 * dayMs).toISOString()
    await hold({ event: '$login', event_id: 'o1', user_id: 'u1', ts, properties: { method: 'x' } })
    expect((await read('o1')).body.code).toBe('too_old')
    expect((await release({ ids: ['qtn_o1'] })).body.released).toBe(1)
    expect((await receipt('o1')).body).toMatchObject({ state: 'stored', outcome: 'accept', time: { ts } })
  })

  test('of a purchase whose order came by another event meanwhile does not count it twice', async () => {
    await hold(
      badPurchase('q1', { order_id: 'o-7' }),
      badPurchase('q2', { order_id: 'o-8' }),
      badPurchase('q3', { order_id: 'o-8' }),
    )
    await shop.call(track, { body: { ...badPurchase('q0', { order_id: 'o-7', ...euros }) } })
    expect((await release({ filter: {}, patch: euros })).body.released).toBe(3)
    expect((await receipt('q1')).body.dedup).toMatchObject({ duplicate_of: 'q0', counted: false })
    const counted = await Promise.all(['q2', 'q3'].map(async (id) => (await receipt(id)).body.dedup.counted))
    expect(counted.toSorted()).toEqual([false, true])
    expect(await storedEvents()).toBe(2)
    const again = await shop.call(track, { body: badPurchase('q9', { order_id: 'o-8', ...euros }) })
    expect(again.body.duplicate_of).toMatch(/^q[23]$/)
  })

  test('asked for many times at once stores once', async () => {
    await hold(badPurchase('m1'), badPurchase('m2'))
    const calls = Array.from({ length: 4 }, (_, n) =>
      n % 2 === 0
        ? release({ ids: ['qtn_m1', 'qtn_m2'], patch: euros })
        : release({ filter: { event: '$purchase' }, patch: euros }),
    )
    const resent = Array.from({ length: 4 }, () => shop.call(track, { body: badPurchase('m1') }))
    const answers = await Promise.all(calls)
    expect(answers.reduce((sum, answer) => sum + answer.body.released, 0)).toBe(2)
    for (const answer of await Promise.all(resent)) expect(answer.body.duplicate).toBe(true)
    expect(await storedEvents()).toBe(2)
  })

  test('changes the answer to a repeat of the event', async () => {
    await hold(badPurchase('a1'))
    const sent = () => shop.call(track, { body: badPurchase('a1') })
    expect((await sent()).body).toMatchObject({ duplicate: true, outcome: 'quarantine' })
    await release({ ids: ['qtn_a1'], patch: euros })
    expect((await sent()).body).toMatchObject({ duplicate: true, outcome: 'accept' })
    expect(await storedEvents()).toBe(1)
  })

  test('takes a patch as large as an event and no larger', async () => {
    const answer = await release({ filter: {}, patch: { note: 'x'.repeat(32 * 1024) } })
    expect(answer.status).toBe(413)
    expect((await release({ filter: {}, patch: { note: 'x'.repeat(32 * 1024 - 11) } })).status).toBe(200)
  })

  test('needs ids or a filter, and not both', async () => {
    for (const call of [release, discard]) {
      for (const body of [{}, { ids: ['qtn_x'], filter: {} }]) {
        const answer = await call(body)
        expect(answer.status).toBe(422)
        expect(answer.problem.type).toContain('invalid-parameter')
      }
      expect((await call({ ids: ['no_such_id', 'qtn_none'] })).body.matched).toBe(0)
      expect((await call({ filter: { unknown: 1 } })).status).toBe(422)
    }
  })
})

describe('a discarded event', () => {
  test('is never stored, and its sender gets a duplicate', async () => {
    await hold(badPurchase('x1'), unknownEvent('x2'))
    expect((await discard({ filter: { event: '$purchase' } })).body).toEqual({
      dry_run: false,
      matched: 1,
      discarded: 1,
    })
    expect((await discard({ filter: { event: '$purchase' } })).body.matched).toBe(0)
    expect((await release({ filter: {}, patch: euros })).body).toMatchObject({ matched: 1, still_held: 1 })
    expect((await read('x1')).body).toMatchObject({
      state: 'discarded',
      decided_by: expect.stringMatching(/^key_/),
    })
    expect((await receipt('x1')).body.state).toBe('discarded')
    const again = await shop.call(track, { body: badPurchase('x1', euros) })
    expect(again.body).toMatchObject({ duplicate: true, outcome: 'quarantine' })
    expect(await storedEvents()).toBe(0)
  })
})

describe('an event without a decision', () => {
  test('expires after 30 days, and can then neither be released nor discarded', async () => {
    await hold(badPurchase('e1'))
    try {
      aheadMs = 30 * dayMs - 60_000
      expect((await read('e1')).body.state).toBe('held')
      aheadMs = 30 * dayMs + 60_000
      expect((await read('e1')).body).toMatchObject({ state: 'expired', decided_at: null })
      expect(idsOf(await list({ state: 'expired' }))).toEqual(['e1'])
      expect((await receipt('e1')).body.state).toBe('expired')
      expect((await release({ ids: ['qtn_e1'], patch: euros })).body.matched).toBe(0)
      expect((await discard({ filter: {} })).body.matched).toBe(0)
      expect((await shop.call(countQuarantined, { query: {} })).body.groups).toEqual([])
    } finally {
      aheadMs = 0
    }
  })

  test('is let go of some weeks after it expired', async () => {
    // A month of its own, long before those of other tests on the same store.
    const arrivalMs = Date.UTC(1999, 4, 3)
    const { events } = world.product.deps
    try {
      aheadMs = arrivalMs - Date.now()
      await hold(badPurchase('g1'))
      await release({ ids: ['qtn_g1'], patch: { currency: 'EUR' } })
      await deleteOldQuarantined(events, arrivalMs + 75 * dayMs)
      expect((await read('g1')).status).toBe(200)
      await deleteOldQuarantined(events, arrivalMs + 91 * dayMs)
      expect((await read('g1')).status).toBe(404)
      const states = await events.query(
        'SELECT event_id FROM quarantine_states WHERE workspace_id = {workspaceId:String}',
        { workspaceId: shop.workspaceId },
      )
      expect(states).toEqual([])
    } finally {
      aheadMs = 0
    }
  })
})
