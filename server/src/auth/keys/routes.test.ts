import {
  keyKindNames,
  listApiKeys,
  listSites,
  mintApiKey,
  readKeyKind,
  revokeApiKey,
  track,
  updateApiKey,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const login = { event: '$login', user_id: 'u1', properties: { method: 'password' } }

describe('an API key', () => {
  test.each(keyKindNames)(
    'of kind %s is minted with its prefix and a checksum, and shown once',
    async (kind) => {
      const body = { kind, name: 'CI', ...(kind === 'public' && { site_id: shop.siteId }) }
      const minted = await shop.call(mintApiKey, { body })
      expect(minted.status).toBe(201)
      expect(readKeyKind(minted.body.key)).toBe(kind)
      const { body: list } = await shop.call(listApiKeys, { query: {} })
      const listed = list.data.find((key) => key.id === minted.body.id)
      expect(listed).toMatchObject({ name: 'CI', kind, revoked_at: null })
      expect(JSON.stringify(list)).not.toContain(minted.body.key)
      expect(listed?.hint.endsWith(minted.body.key.slice(-4))).toBe(true)
    },
  )

  test('stops working the moment it is revoked', async () => {
    const { body: minted } = await shop.call(mintApiKey, { body: { kind: 'secret', name: 'Old' } })
    expect((await shop.call(track, { body: login }, { key: minted.key })).status).toBe(202)
    expect((await shop.call(revokeApiKey, { params: { id: minted.id } })).body.revoked_at).not.toBeNull()
    expect((await shop.call(track, { body: login }, { key: minted.key })).status).toBe(401)
  })

  test('does only what its scopes say, and cannot give away more', async () => {
    const body = { kind: 'secret', name: 'Reader', scopes: ['sites:read', 'keys:write'] } as const
    const { body: minted } = await shop.call(mintApiKey, { body: { ...body, scopes: [...body.scopes] } })
    expect((await shop.call(listSites, { query: {} }, { key: minted.key })).status).toBe(200)
    expect((await shop.call(track, { body: login }, { key: minted.key })).status).toBe(403)
    const wider = { kind: 'secret', name: 'Wider', scopes: ['sites:write'] } as const
    const refused = await shop.call(
      mintApiKey,
      { body: { ...wider, scopes: [...wider.scopes] } },
      { key: minted.key },
    )
    expect(refused.status).toBe(403)
    expect(refused.problem.detail).toContain('sites:write')
  })

  test('can be renamed, narrowed and given an end, and works accordingly from then on', async () => {
    const { body: minted } = await shop.call(mintApiKey, { body: { kind: 'secret', name: 'Wide' } })
    expect((await shop.call(track, { body: login }, { key: minted.key })).status).toBe(202)
    const params = { id: minted.id }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const changed = await shop.call(updateApiKey, {
      params,
      body: { name: 'Narrow', environment: 'staging', scopes: ['sites:read'], expires_at },
    })
    expect(changed.body).toMatchObject({ name: 'Narrow', environment: 'staging', expires_at })
    expect((await shop.call(track, { body: login }, { key: minted.key })).status).toBe(403)
    const { body: endless } = await shop.call(updateApiKey, { params, body: { expires_at: null } })
    expect(endless).toMatchObject({ name: 'Narrow', scopes: ['sites:read'], expires_at: null })
    await shop.call(revokeApiKey, { params })
    expect((await shop.call(updateApiKey, { params, body: { name: 'Late' } })).status).toBe(409)
  })

  test('with an end gives nothing away for longer, neither to others nor to itself', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const inTwo = new Date(Date.now() + 7_200_000).toISOString()
    const brief = { kind: 'secret', name: 'Brief', expires_at: inAnHour } as const
    const { body: minted } = await shop.call(mintApiKey, { body: brief })
    const { key } = minted
    expect((await shop.call(mintApiKey, { body: brief }, { key })).status).toBe(201)
    expect((await shop.call(mintApiKey, { body: { kind: 'secret', name: 'X' } }, { key })).status).toBe(403)
    for (const expires_at of [inTwo, null]) {
      const input = { params: { id: minted.id }, body: { expires_at } }
      expect((await shop.call(updateApiKey, input, { key })).status).toBe(403)
    }
  })

  test('that is bound to a site makes no keys at all', async () => {
    const bound = { kind: 'secret', name: 'Bound', site_id: shop.siteId } as const
    const { key } = (await shop.call(mintApiKey, { body: bound })).body
    for (const site_id of [shop.siteId, 'site_other']) {
      const body = { kind: 'secret', name: 'X', site_id } as const
      expect((await shop.call(mintApiKey, { body }, { key })).status).toBe(403)
    }
  })

  test('cannot widen or prolong a key that may do more than itself', async () => {
    const { key } = (
      await shop.call(mintApiKey, { body: { kind: 'secret', name: 'Keeper', scopes: ['keys:write'] } })
    ).body
    const { body: wide } = await shop.call(mintApiKey, { body: { kind: 'secret', name: 'Wide' } })
    const change = async (body: { name?: string; expires_at?: null; scopes?: ['*'] }) =>
      (await shop.call(updateApiKey, { params: { id: wide.id }, body }, { key })).status
    expect(await change({ expires_at: null })).toBe(403)
    expect(await change({ scopes: ['*'] })).toBe(403)
    expect(await change({ name: 'Renamed' })).toBe(200)
  })

  test('shows when it was last used', async () => {
    const { body: minted } = await shop.call(mintApiKey, { body: { kind: 'secret', name: 'Used' } })
    const lastUse = async () => {
      await world.product.deps.keyRing.saveUse()
      const { body } = await shop.call(listApiKeys, { query: { limit: 200 } })
      return body.data.find(({ id }) => id === minted.id)?.last_used_at
    }
    expect(await lastUse()).toBeNull()
    await shop.call(listSites, { query: {} }, { key: minted.key })
    expect(await lastUse()).toMatch(/^\d{4}-/)
  })

  test('that is public is always bound to a site', async () => {
    expect((await shop.call(mintApiKey, { body: { kind: 'public', name: 'Web' } })).status).toBe(422)
  })

  test('may expire, and not in the past', async () => {
    const inThePast = { kind: 'secret', name: 'Late', expires_at: '2020-01-01T00:00:00Z' } as const
    expect((await shop.call(mintApiKey, { body: inThePast })).status).toBe(422)
  })
})

describe('an expired key', () => {
  test('is refused as unknown', async () => {
    const clock = { ms: Date.now() }
    const later = await startWorld({ control: 'embedded', now: () => clock.ms })
    try {
      const workspace = await later.newWorkspace()
      const expires_at = new Date(clock.ms + 60_000).toISOString()
      const { body } = await workspace.call(mintApiKey, {
        body: { kind: 'secret', name: 'Brief', expires_at },
      })
      expect((await workspace.call(listSites, { query: {} }, { key: body.key })).status).toBe(200)
      clock.ms += 61_000
      expect((await workspace.call(listSites, { query: {} }, { key: body.key })).status).toBe(401)
    } finally {
      await later.close()
    }
  })
})
