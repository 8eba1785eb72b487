import {
  createContract,
  getCatalog,
  getOverview,
  getSeverities,
  listQuarantined,
  setSeverities,
  track,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
})
afterAll(() => world?.close())

const event = (name: string, members: object = {}) => ({
  body: { event: name, user_id: 'u1', properties: { seats: 2 }, ...members },
})
const send = async (shop: TestWorkspace, name: string) => (await shop.call(track, event(name))).body

describe('a new workspace learns', () => {
  test('so the first events of a newcomer are counted, whatever they are called, and the answer says what to do', async () => {
    const shop = await world.newWorkspace()
    expect((await shop.call(getSeverities, { query: {} })).body.preset).toBe('learning')
    const unknown = await send(shop, 'seat_added')
    expect(unknown).toMatchObject({ outcome: 'warn', issues: [{ code: 'unknown_event' }] })
    expect(unknown.issues[0]?.message).toBe(
      'Register seat_added or map the name to a standard event; until then it is counted without checks.',
    )
    const titled = await send(shop, 'Seat Added')
    expect(titled).toMatchObject({ outcome: 'warn', issues: [{ code: 'invalid_name' }] })
    expect(titled.issues[0]?.message).toContain('counted as seat_added')
    await shop.settle()
    const { body: overview } = await shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d' } })
    expect(overview.metrics.events).toBe(2)
    expect(overview.dataQuality).toMatchObject({ warned: 2, quarantined: 0 })
    const { body: catalog } = await shop.call(getCatalog, {
      query: { siteId: shop.siteId, source: 'observed' },
    })
    expect(catalog.data).toMatchObject([{ name: 'seat_added', needsReview: true, volume: 2 }])
    expect((await shop.call(listQuarantined, { query: {} })).body.data).toEqual([])
  })

  test('and what strict would have quarantined is counted, by name and by site', async () => {
    const shop = await world.newWorkspace()
    // The page view that comes without a title has a warning of its own before that of the name.
    await shop.call(track, event('seat_added', { ts: 'never' }))
    await send(shop, 'Seat Added')
    await send(shop, 'plan_chosen')
    await shop.call(setSeverities, { body: { preset: 'strict' } })
    await send(shop, 'plan_chosen')
    await shop.settle()
    const ask = (query: object) => shop.call(getSeverities, { query })
    expect((await ask({ site_id: shop.siteId, days: 1 })).body.unregistered).toEqual({
      days: 1,
      would_quarantine: 3,
      quarantined: 1,
      names: [
        { name: 'plan_chosen', events: 2, quarantined: 1 },
        { name: 'seat_added', events: 2, quarantined: 0 },
      ],
    })
    expect((await ask({ site_id: 'site_none' })).status).toBe(404)
    expect((await ask({ days: 91 })).status).toBe(422)
  })

  test('and validation, which stores nothing, says the same', async () => {
    const shop = await world.newWorkspace()
    const judge = async () =>
      (await shop.call(validateEvents, { body: { event: event('seat_added').body } })).body.outcome
    expect(await judge()).toBe('warn')
    await shop.call(setSeverities, { body: { preset: 'strict' } })
    expect(await judge()).toBe('quarantine')
  })

  test('and an event whose contract is only a draft gets the advice to publish it', async () => {
    const shop = await world.newWorkspace()
    await shop.call(createContract, { body: { key: 'seat_added', properties: {} } })
    for (const name of ['seat_added', 'Seat Added']) {
      const { issues, outcome } = await send(shop, name)
      expect(outcome).toBe('warn')
      expect(issues[0]?.message).toContain('Publish the contract seat_added, which is still a draft (1-0-0)')
    }
  })
})

describe('severities', () => {
  test('are those of the preset until they are changed, each with its floor', async () => {
    const shop = await world.newWorkspace()
    const of = async (code: string) =>
      (await shop.call(getSeverities, { query: {} })).body.data.find((each) => each.code === code)
    const unknown = { code: 'unknown_event', floor: 'accept' }
    expect(await of('unknown_event')).toEqual({ ...unknown, severity: 'warn', default: 'warn' })
    await shop.call(setSeverities, { body: { preset: 'strict' } })
    expect(await of('unknown_event')).toEqual({ ...unknown, severity: 'quarantine', default: 'quarantine' })
    expect((await of('pii_detected'))?.floor).toBe('warn')
  })

  test('that are changed act on the next event and leave the others as they were', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    expect((await send(shop, 'never_seen')).outcome).toBe('quarantine')
    await shop.call(setSeverities, { body: { unknown_event: 'warn' } })
    const set = await shop.call(setSeverities, { body: { too_old: 'accept' } })
    expect(set.body).toEqual({ preset: 'strict', severities: { unknown_event: 'warn', too_old: 'accept' } })
    expect((await send(shop, 'never_seen')).outcome).toBe('warn')
    const reset = await shop.call(setSeverities, { body: { unknown_event: null } })
    expect(reset.body).toEqual({ preset: 'strict', severities: { too_old: 'accept' } })
    expect((await send(shop, 'never_seen')).outcome).toBe('quarantine')
  })

  test('that were set outrank the preset, whichever it is', async () => {
    const shop = await world.newWorkspace()
    await shop.call(setSeverities, { body: { preset: 'learning', unknown_event: 'quarantine' } })
    expect((await send(shop, 'never_seen')).outcome).toBe('quarantine')
    const { body } = await shop.call(setSeverities, { body: { preset: 'strict' } })
    expect(body).toEqual({ preset: 'strict', severities: { unknown_event: 'quarantine' } })
    await shop.call(setSeverities, { body: { unknown_event: 'warn' } })
    expect((await send(shop, 'never_seen')).outcome).toBe('warn')
  })

  test('can be neither invented nor made milder than their floor, and then nothing is changed', async () => {
    const shop = await world.newWorkspace()
    const answer = await shop.call(setSeverities, {
      body: { preset: 'strict', no_such_code: 'warn', pii_detected: 'accept', unknown_event: 'warn' },
    })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.map(({ field }) => field)).toEqual(['no_such_code', 'pii_detected'])
    const { body } = await shop.call(getSeverities, { query: {} })
    expect(body.preset).toBe('learning')
    expect(body.data.every(({ severity, default: usual }) => severity === usual)).toBe(true)
    const wrong: Record<string, 'strict'>[] = [{ ['__proto__']: 'strict' }, { unknown_event: 'strict' }]
    for (const changes of wrong) {
      expect((await shop.call(setSeverities, { body: changes })).status).toBe(422)
    }
    const preset = JSON.parse('{"preset": "lenient"}')
    expect((await shop.call(setSeverities, { body: preset })).status).toBe(422)
  })
})
