import { createDefinition, getCatalog, track } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

async function wholeCatalog(workspace: TestWorkspace, query: object = {}) {
  const { body } = await workspace.call(getCatalog, { query: { limit: 200, ...query } })
  return body.data
}

describe('the catalog', () => {
  test('lists the 18 standard events with their properties, and pages without gaps', async () => {
    const standard = await wholeCatalog(shop, { source: 'standard' })
    expect(standard).toHaveLength(18)
    expect(standard.find((event) => event.name === '$purchase')).toMatchObject({
      category: 'Revenue',
      requiredProperties: [
        { name: 'amount', type: 'number' },
        { name: 'currency', type: 'string' },
      ],
      needsReview: false,
      volume: 0,
      lastSeenAt: null,
    })
    const first = (await shop.call(getCatalog, { query: { source: 'standard', limit: 10 } })).body
    const cursor = first.nextCursor ?? ''
    const second = (await shop.call(getCatalog, { query: { source: 'standard', limit: 10, cursor } })).body
    expect([...first.data, ...second.data].map((event) => event.name)).toEqual(
      standard.map((event) => event.name),
    )
    expect(second.nextCursor).toBeNull()
  })

  test('shows what arrives and nobody has defined, until somebody does', async () => {
    const workspace = await world.newWorkspace()
    await workspace.call(track, {
      body: { event: 'report_exported', user_id: 'u', properties: { format: 'pdf' } },
    })
    await workspace.call(track, { body: { event: '$login', user_id: 'u', properties: { method: 'x' } } })
    await workspace.settle()
    const before = await wholeCatalog(workspace)
    expect(before.find((event) => event.name === 'report_exported')).toMatchObject({
      source: 'observed',
      needsReview: true,
      volume: 1,
    })
    expect(before.find((event) => event.name === '$login')).toMatchObject({ volume: 1, needsReview: false })
    const properties = { format: { type: 'string', required: true } } as const
    const defined = await workspace.call(createDefinition, {
      body: { name: 'report_exported', description: 'A report left the product', properties },
    })
    expect(defined.status).toBe(201)
    expect(defined.body).toMatchObject({ name: 'report_exported', version: '1-0-0', status: 'published' })
    const sent = await workspace.call(track, {
      body: { event: 'report_exported', user_id: 'u', properties: { format: 'csv' } },
    })
    expect(sent.body.outcome).toBe('accept')
    const after = await wholeCatalog(workspace, { source: 'custom' })
    expect(after).toMatchObject([{ name: 'report_exported', requiredProperties: [{ name: 'format' }] }])
  })

  test('of a site that is not ours is not found', async () => {
    const other = await world.newWorkspace()
    expect((await shop.call(getCatalog, { query: { siteId: other.siteId } })).status).toBe(404)
  })
})

describe('a definition', () => {
  test.each([
    { name: '$mine', status: 422, type: 'reserved-name' },
    { name: 'Not Snake', status: 422, type: 'invalid-parameter' },
    { name: 'purchase', status: 409, type: 'conflict' },
    { name: 'error', status: 409, type: 'conflict' },
  ])('called $name is refused as $type', async ({ name, status, type }) => {
    const answer = await shop.call(createDefinition, { body: { name } })
    expect(answer.status).toBe(status)
    expect(answer.problem.type).toContain(type)
  })

  test('of a name that is taken is a conflict', async () => {
    expect((await shop.call(createDefinition, { body: { name: 'tile_opened' } })).status).toBe(201)
    expect((await shop.call(createDefinition, { body: { name: 'tile_opened' } })).status).toBe(409)
  })

  test('needs a key that may write', async () => {
    const answer = await shop.call(createDefinition, { body: { name: 'tile_shut' } }, { key: shop.keys.test })
    expect(answer.status).toBe(403)
  })
})
