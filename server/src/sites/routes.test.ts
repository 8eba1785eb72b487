import {
  createSite,
  getExchangeRates,
  getSite,
  listSites,
  rotateSiteToken,
  setExchangeRates,
  siteIngest,
  updateSite,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

describe('a site', () => {
  test('is created with defaults, read and listed', async () => {
    const created = await shop.call(createSite, {
      body: { name: 'Blog', domain: 'https://Blog.Example/path' },
    })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'Blog',
      domain: 'blog.example',
      timezone: 'UTC',
      currency: null,
    })
    const read = await shop.call(getSite, { params: { id: created.body.id } })
    expect(read.body).toEqual(created.body)
    const { body } = await shop.call(listSites, { query: {} })
    expect(body.data.map((site) => site.domain)).toEqual(['shop.example', 'blog.example'])
  })

  test('of a domain that the workspace has already is a conflict, in another workspace it is not', async () => {
    const body = { name: 'Again', domain: 'shop.example' }
    expect((await shop.call(createSite, { body })).status).toBe(409)
    const other = await world.newWorkspace({ domain: 'other.example' })
    expect((await other.call(createSite, { body })).status).toBe(201)
  })

  test.each([
    { body: { name: '', domain: 'a.example' } },
    { body: { name: 'x', domain: 'not a host' } },
    { body: { name: 'x', domain: 'a.example', timezone: 'Mars/Olympus' } },
    { body: { name: 'x', domain: 'a.example', currency: 'euro' } },
    { body: { name: 'x', domain: 'a.example', surprise: 1 } },
    { body: { name: 'x\u0000', domain: 'nul.example' } },
  ])('with $body is refused with the field named', async ({ body }) => {
    const answer = await shop.call(createSite, { body })
    expect(answer.status).toBe(422)
    expect(answer.problem.type).toContain('invalid-parameter')
  })

  test('shows its token to keys that may send, and to no other', async () => {
    const params = { id: shop.siteId }
    expect((await shop.call(getSite, { params }, { key: shop.keys.live })).body.ingestToken).toBe(
      shop.siteToken,
    )
    expect((await shop.call(getSite, { params }, { key: shop.keys.test })).body).not.toHaveProperty(
      'ingestToken',
    )
  })

  test('can be changed, but not to the domain of another one', async () => {
    const { body: site } = await shop.call(createSite, { body: { name: 'Old', domain: 'old.example' } })
    const params = { id: site.id }
    const changed = await shop.call(updateSite, { params, body: { name: 'New', timezone: 'Europe/Berlin' } })
    expect(changed.body).toMatchObject({ name: 'New', timezone: 'Europe/Berlin', domain: 'old.example' })
    expect((await shop.call(getSite, { params })).body.name).toBe('New')
    expect((await shop.call(updateSite, { params, body: { domain: 'shop.example' } })).status).toBe(409)
    expect((await shop.call(updateSite, { params, body: {} })).status).toBe(422)
  })

  test('takes events by its new token at once after a rotation, and no more by the old', async () => {
    const { body: site } = await shop.call(createSite, {
      body: { name: 'Rotated', domain: 'rotated.example' },
    })
    const send = (token: string) =>
      shop.call(
        siteIngest,
        { body: { siteId: site.id, token, events: [{ type: 'pageview', url: '/' }] } },
        { key: null },
      )
    const old = site.ingestToken ?? ''
    expect((await send(old)).status).toBe(202)
    const { body: rotated } = await shop.call(rotateSiteToken, { params: { id: site.id } })
    expect((await send(old)).status).toBe(401)
    expect((await send(rotated.ingestToken ?? '')).status).toBe(202)
  })

  test('lists are paged without gaps or repeats', async () => {
    const many = await world.newWorkspace()
    for (let count = 0; count < 5; count++) {
      await many.call(createSite, { body: { name: `S${count}`, domain: `s${count}.example` } })
    }
    const seen: string[] = []
    const page = async (cursor?: string) =>
      (await many.call(listSites, { query: { limit: 2, ...(cursor !== undefined && { cursor }) } })).body
    for (let at = await page(); ; at = await page(at.nextCursor)) {
      seen.push(...at.data.map((site) => site.domain))
      if (at.nextCursor === null) break
    }
    expect(seen).toEqual([
      'shop.example',
      's0.example',
      's1.example',
      's2.example',
      's3.example',
      's4.example',
    ])
  })
})

describe('exchange rates', () => {
  test('are nothing at first, are replaced as a whole, and are those of the workspace alone', async () => {
    const other = await world.newWorkspace()
    expect((await shop.call(getExchangeRates, {})).body).toEqual({ base: null, rates: [], updatedAt: null })
    for (const rates of [
      [
        { currency: 'USD', rate: 0.92 },
        { currency: 'JPY', rate: 0.0061 },
      ],
      [{ currency: 'USD', rate: 0.9 }],
      [],
    ]) {
      const set = await shop.call(setExchangeRates, { body: { base: 'EUR', rates } })
      expect(set.body).toMatchObject({ base: 'EUR', rates })
      expect((await shop.call(getExchangeRates, {})).body).toEqual(set.body)
    }
    expect((await other.call(getExchangeRates, {})).body.base).toBeNull()
  })

  test.each([
    { base: 'XQX', rates: [] },
    { base: 'EUR', rates: [{ currency: 'ABC', rate: 1 }] },
    { base: 'EUR', rates: [{ currency: 'EUR', rate: 1 }] },
    { base: 'EUR', rates: [{ currency: 'USD', rate: 0 }] },
    {
      base: 'EUR',
      rates: [
        { currency: 'USD', rate: 1 },
        { currency: 'USD', rate: 2 },
      ],
    },
  ])('with $base and $rates are refused', async (body) => {
    const answer = await shop.call(setExchangeRates, { body })
    expect(answer.status).toBe(422)
    expect(answer.problem.type).toContain('invalid-parameter')
  })
})
