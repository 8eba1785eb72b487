import {
  keyKindNames,
  listApiKeys,
  listSites,
  mintApiKey,
  readKeyKind,
  revokeApiKey,
  track,
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
    const later = await startWorld({ now: () => clock.ms })
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
