import {
  createContract,
  createMapping,
  defaultRules,
  deleteMapping,
  getMapping,
  getReceipt,
  listMappings,
  track,
  updateMapping,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let ours: TestWorkspace
let theirs: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace({ preset: 'strict' })
  theirs = await world.newWorkspace({ preset: 'strict' })
})
afterAll(() => world?.close())

let made = 0
function freshName(): string {
  made += 1
  return `shop_event_${made}`
}

async function makeRule(source = freshName(), shop = ours) {
  const body = { siteId: shop.siteId, source, target: '$login', propertyMap: { how: 'method' } }
  return (await shop.call(createMapping, { body })).body
}

/** What the gate makes of an event of this name. */
async function judged(event: string, properties: object, shop = ours) {
  const body = { batch: [{ event, user_id: 'u1', properties }], site_id: shop.siteId }
  const answer = await shop.call(validateEvents, { body }, { key: shop.keys.secret })
  const [result] = answer.body.results
  return { outcome: result?.outcome, name: result?.name }
}

describe('a rule', () => {
  test('is created, read and listed before the default ones', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const body = {
      siteId: shop.siteId,
      source: 'Log In Done',
      target: '$login',
      propertyMap: { how: 'method' },
    }
    const created = await shop.call(createMapping, { body })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ ...body, origin: 'custom', edited: false, enabled: true })
    const read = await shop.call(getMapping, { params: { id: created.body.id }, query: {} })
    expect(read.body).toEqual(created.body)
    const { body: page } = await shop.call(listMappings, { query: { siteId: shop.siteId, limit: 1 } })
    expect(page.data).toEqual([created.body])
  })

  test('acts on the next event, on every spelling of its source, and the name that was sent is kept', async () => {
    const source = freshName()
    expect((await judged(source, { how: 'mail' })).outcome).toBe('quarantine')
    const rule = await makeRule(source)
    const spelled = source.replace('shop_event_', 'Shop Event-')
    const sent = await ours.call(track, {
      body: { event: spelled, user_id: 'u1', properties: { how: 'mail' } },
    })
    expect(sent.body.outcome).toBe('accept')
    await ours.settle()
    const params = { event_id: sent.body.event_id }
    const { body } = await ours.call(getReceipt, { params }, { key: ours.keys.secret })
    expect(body.name).toEqual({ sent: spelled, stored: '$login', rule: rule.id })
  })

  test('that is disabled or deleted no longer acts', async () => {
    const rule = await makeRule()
    const send = () => judged(rule.source, { how: 'x' })
    const disabled = await ours.call(updateMapping, { params: { id: rule.id }, body: { enabled: false } })
    expect(disabled.body).toEqual({ ...rule, enabled: false })
    expect((await send()).outcome).toBe('quarantine')
    await ours.call(updateMapping, { params: { id: rule.id }, body: { enabled: true } })
    expect((await send()).outcome).toBe('accept')
    const deleted = await ours.call(deleteMapping, { params: { id: rule.id }, query: {} })
    expect(deleted.status).toBe(204)
    expect((await send()).outcome).toBe('quarantine')
    expect((await ours.call(getMapping, { params: { id: rule.id }, query: {} })).status).toBe(404)
  })

  test.each([
    ['a target that is not standard', { target: 'order_done' }, 422, 'invalid-parameter'],
    ['a target with $ that is none of the 18', { target: '$order_done' }, 422, 'invalid-parameter'],
    ['a source with $', { source: '$order' }, 422, 'reserved-name'],
    ['a source of spaces', { source: '  ' }, 422, 'invalid-parameter'],
    ['a control character', { source: 'a\u0000b' }, 422, 'invalid-parameter'],
    ['a control character in a property', { propertyMap: { 'a\u0000': 'amount' } }, 422, 'invalid-parameter'],
  ])('with %s is refused', async (_, wrong, status, slug) => {
    const body = { siteId: ours.siteId, source: freshName(), target: '$purchase', ...wrong }
    const answer = await ours.call(createMapping, { body })
    expect(answer.status).toBe(status)
    expect(answer.problem.type).toContain(slug)
  })

  test('for a source that has one, however it is spelled, is a conflict; on another site it is not', async () => {
    const rule = await makeRule()
    const body = { source: rule.source.replaceAll('_', ' '), target: '$signup' }
    const again = await ours.call(createMapping, { body: { ...body, siteId: ours.siteId } })
    expect(again.status).toBe(409)
    const elsewhere = await theirs.call(createMapping, { body: { ...body, siteId: theirs.siteId } })
    expect(elsewhere.status).toBe(201)
  })

  test('cannot be changed with a read-only key, nor seen or changed from another workspace', async () => {
    const rule = await makeRule()
    const readOnly = { key: ours.keys.test }
    const params = { id: rule.id }
    expect((await ours.call(getMapping, { params, query: {} }, readOnly)).status).toBe(200)
    const body = { siteId: ours.siteId, source: freshName(), target: '$login' }
    expect((await ours.call(createMapping, { body }, readOnly)).status).toBe(403)
    expect((await ours.call(updateMapping, { params, body: { enabled: false } }, readOnly)).status).toBe(403)
    expect((await ours.call(deleteMapping, { params, query: {} }, readOnly)).status).toBe(403)
    expect((await theirs.call(createMapping, { body })).status).toBe(404)
    expect((await theirs.call(listMappings, { query: { siteId: ours.siteId } })).status).toBe(404)
    expect((await theirs.call(getMapping, { params, query: {} })).status).toBe(404)
    expect((await theirs.call(updateMapping, { params, body: { enabled: false } })).status).toBe(404)
    expect((await theirs.call(deleteMapping, { params, query: {} })).status).toBe(404)
  })
})

describe('a default rule', () => {
  const id = 'map_seed_user_login'

  test('is on every site, page by page, with its origin', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { siteId: shop.siteId, limit: 200, ...(cursor !== undefined && { cursor }) }
      const { body } = await shop.call(listMappings, { query })
      seen.push(...body.data.map((rule) => rule.id))
      cursor = body.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen.toSorted()).toEqual(defaultRules.map((rule) => rule.id).toSorted())
    const { body } = await shop.call(listMappings, { query: { siteId: shop.siteId, origin: 'seed' } })
    expect(body.data).toHaveLength(10)
    expect(body.data.every((rule) => rule.origin === 'seed' && rule.createdAt === null)).toBe(true)
  })

  test('is read, edited and restored for one site only, which has to be named', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const query = { siteId: shop.siteId }
    const nameless = await shop.call(updateMapping, { params: { id }, body: { enabled: false } })
    expect(nameless.status).toBe(422)
    const before = await shop.call(getMapping, { params: { id }, query })
    const edited = await shop.call(updateMapping, {
      params: { id },
      body: { siteId: shop.siteId, target: '$signup' },
    })
    expect(edited.body).toMatchObject({ id, target: '$signup', origin: 'seed', edited: true })
    expect((await judged('user_login', { method: 'x' }, shop)).name).toBe('$signup')
    expect((await judged('user_login', { method: 'x' }, theirs)).name).toBe('$login')
    await shop.call(deleteMapping, { params: { id }, query })
    expect((await shop.call(getMapping, { params: { id }, query })).body).toEqual(before.body)
    expect((await judged('user_login', { method: 'x' }, shop)).name).toBe('$login')
  })

  test('that is disabled leaves its name unknown, and is no edited rule when it is enabled again', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const set = (enabled: boolean) =>
      shop.call(updateMapping, { params: { id }, body: { siteId: shop.siteId, enabled } })
    const send = () => judged('user_login', { method: 'x' }, shop)
    await set(false)
    expect((await send()).outcome).toBe('quarantine')
    expect((await set(true)).body).toMatchObject({ enabled: true, edited: false })
    expect((await send()).outcome).toBe('accept')
  })
})

describe('of the rules and contracts for one name', () => {
  test.each([
    { custom: true, edited: true, contract: true, winner: '$invite' },
    { custom: true, edited: false, contract: true, winner: '$invite' },
    { custom: true, edited: true, contract: false, winner: '$invite' },
    { custom: true, edited: false, contract: false, winner: '$invite' },
    { custom: false, edited: true, contract: true, winner: '$signup' },
    { custom: false, edited: true, contract: false, winner: '$signup' },
    { custom: false, edited: false, contract: true, winner: 'user_login' },
    { custom: false, edited: false, contract: false, winner: '$login' },
  ])(
    'custom $custom, edited default $edited, contract $contract: $winner wins',
    async ({ custom, edited, contract, winner }) => {
      const shop = await world.newWorkspace({ preset: 'strict' })
      const { siteId } = shop
      if (custom) {
        await shop.call(createMapping, { body: { siteId, source: 'user_login', target: '$invite' } })
      }
      if (edited) {
        const params = { id: 'map_seed_user_login' }
        await shop.call(updateMapping, { params, body: { siteId, target: '$signup' } })
      }
      if (contract) {
        const body = { key: 'user_login', status: 'published' } as const
        await shop.call(createContract, { body }, { key: shop.keys.secret })
      }
      const verdict = await judged('User Login', { method: 'x', channel: 'x' }, shop)
      expect(verdict).toEqual({ outcome: 'accept', name: winner })
    },
  )
})
