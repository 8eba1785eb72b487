import {
  type AuditEntry,
  createContract,
  createMapping,
  createSite,
  listAuditLog,
  mintApiKey,
  Problem,
  revokeApiKey,
  rotateSiteToken,
  setSeverities,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../http/access/audit-mark.ts'
import { newId } from '../platform/clock.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { closeUnendedActs, recordAudit, systemActor } from './audit.ts'

let world: World
let shop: TestWorkspace
const clock = { aheadMs: 0 }

beforeAll(async () => {
  world = await startWorld({ now: () => Date.now() + clock.aheadMs })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

type Query = Parameters<typeof shop.call<typeof listAuditLog>>[1]['query']

async function entries(workspace: TestWorkspace, query: Query = {}): Promise<AuditEntry[]> {
  return (await workspace.call(listAuditLog, { query })).body.data
}

describe('the audit log', () => {
  test('says who did what to which object and when, newest first', async () => {
    const workspace = await world.newWorkspace()
    const before = new Date().toISOString()
    const { body: site } = await workspace.call(createSite, {
      body: { name: 'Blog', domain: 'blog.example', currency: 'EUR' },
    })
    await workspace.call(setSeverities, { body: { unknown_event: 'reject' } })
    const [severities, created] = await entries(workspace)
    expect(created).toMatchObject({
      action: 'site.created',
      object: { type: 'site', id: site.id },
      actor: { kind: 'key', label: expect.stringMatching(/^Test \(svc_sk_live_…/) },
      details: { name: 'Blog', domain: 'blog.example', timezone: 'UTC', currency: 'EUR' },
      outcome: 'done',
      request_id: expect.stringMatching(/^req_/),
    })
    expect((created?.at ?? '') >= before).toBe(true)
    expect(severities).toMatchObject({
      action: 'gate.severities_changed',
      object: { type: 'gate', id: workspace.workspaceId },
      details: { severities: { unknown_event: 'reject' } },
    })
  })

  test('holds no key and no token, whatever was made or rotated', async () => {
    const workspace = await world.newWorkspace()
    const { body: minted } = await workspace.call(mintApiKey, { body: { kind: 'secret', name: 'CI' } })
    const { body: site } = await workspace.call(rotateSiteToken, { params: { id: workspace.siteId } })
    await workspace.call(revokeApiKey, { params: { id: minted.id } })
    const text = JSON.stringify(await entries(workspace))
    expect(text).toContain('api_key.minted')
    expect(text).toContain('api_key.revoked')
    expect(text).toContain('site.token_rotated')
    expect(text).not.toContain(minted.key)
    expect(site.ingestToken).toBeDefined()
    expect(text).not.toContain(site.ingestToken)
  })

  test('does not hold what was refused or only tried out', async () => {
    const workspace = await world.newWorkspace()
    const taken = { name: 'Again', domain: 'shop.example' }
    expect((await workspace.call(createSite, { body: taken })).status).toBe(409)
    await workspace.call(createContract, { body: { key: 'seat_added', dry_run: true } })
    expect(await entries(workspace)).toEqual([])
    const pending = await world.product.deps.control.query(
      'SELECT id FROM audit_pending WHERE workspace_id = $1',
      [workspace.workspaceId],
    )
    expect(pending).toEqual([])
  })

  test('keeps only the size of a member that is very large', async () => {
    const workspace = await world.newWorkspace()
    const propertyMap = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${'long_name_'.repeat(9)}${index}`, `amount`]),
    )
    const body = { siteId: workspace.siteId, source: 'bought', target: '$purchase', propertyMap }
    expect((await workspace.call(createMapping, { body })).status).toBe(201)
    const [entry] = await entries(workspace)
    expect(entry?.details).toMatchObject({
      source: 'bought',
      propertyMap: expect.stringMatching(/^\(\d+ cha/),
    })
  })

  test('is read by filters and in pages, and shows nothing of another workspace', async () => {
    const workspace = await world.newWorkspace()
    const other = await world.newWorkspace()
    await other.call(createSite, { body: { name: 'Other', domain: 'other.example' } })
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const { body } = await workspace.call(createSite, { body: { name, domain: `${name}.example` } })
      ids.push(body.id)
    }
    await workspace.call(rotateSiteToken, { params: { id: ids[1] ?? '' } })
    const all = await entries(workspace)
    expect(all).toHaveLength(4)
    expect(await entries(workspace, { action: 'site.created' })).toHaveLength(3)
    expect(await entries(workspace, { object_type: 'site', object_id: ids[1] ?? '' })).toHaveLength(2)
    expect(await entries(workspace, { actor: all[0]?.actor.id ?? '' })).toHaveLength(4)
    expect(await entries(workspace, { actor: 'key_none' })).toHaveLength(0)
    expect(await entries(workspace, { from: all[1]?.at ?? '', to: all[0]?.at ?? '' })).toMatchObject([
      { id: all[1]?.id },
    ])
    const first = await workspace.call(listAuditLog, { query: { limit: 3 } })
    const rest = await workspace.call(listAuditLog, {
      query: { limit: 3, cursor: first.body.next_cursor ?? '' },
    })
    expect([...first.body.data, ...rest.body.data]).toEqual(all)
    expect(rest.body.next_cursor).toBeNull()
    expect((await workspace.call(listAuditLog, { query: { from: 'yesterday' } })).status).toBe(422)
  })

  test('needs its own scope', async () => {
    const mint = async (scope: 'audit:read' | 'sites:read') =>
      (await shop.call(mintApiKey, { body: { kind: 'secret', name: scope, scopes: [scope] } })).body.key
    const call = async (key: string) => (await shop.call(listAuditLog, { query: {} }, { key })).status
    expect(await call(await mint('audit:read'))).toBe(200)
    expect(await call(await mint('sites:read'))).toBe(403)
  })

  test('is append-only in the store itself', async () => {
    await shop.call(setSeverities, { body: { unknown_event: 'reject' } })
    const { control } = world.product.deps
    for (const statement of [
      "UPDATE audit_log SET actor_label = 'nobody'",
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
    ]) {
      await expect(control.query(statement)).rejects.toThrow('append-only')
    }
    expect(await entries(shop)).not.toEqual([])
  })

  test('takes what the product itself does, in the transaction of the change', async () => {
    const workspace = await world.newWorkspace()
    const { control, now } = world.product.deps
    const entry = {
      workspaceId: workspace.workspaceId,
      actor: systemActor,
      action: 'site.checked' as const,
      objectId: 'x',
    }
    const failing = control.transaction(async (sql) => {
      await recordAudit(sql, newId, now, entry)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await entries(workspace)).toEqual([])
    await control.transaction((sql) => recordAudit(sql, newId, now, entry))
    expect(await entries(workspace)).toMatchObject([{ actor: { kind: 'system' }, object: { type: 'site' } }])
  })
})

describe('an act that does not end well', () => {
  const route = { ...createSite, audit: { action: 'site.created' } } as const

  async function attempt(workspace: TestWorkspace, handle: () => Promise<never>): Promise<unknown> {
    const { audit, keyRing } = world.product.deps
    const caller = await keyRing.find(workspace.keys.live)
    // boundary: of a request the trail reads only its id and its addresses.
    const raw = { socket: { remoteAddress: '192.0.2.1' } }
    const request = { id: 'req_1', ip: '192.0.2.1', headers: {}, raw } as never
    const call = { params: {}, query: {}, body: {}, caller, request }
    return audited(audit, route, call, { details: {} }, handle).catch((error: unknown) => error)
  }

  test('through a bug or a store that is away is written down as unconfirmed', async () => {
    const workspace = await world.newWorkspace()
    const bug = new Error('half way')
    expect(await attempt(workspace, () => Promise.reject(bug))).toBe(bug)
    const away = new Problem('unavailable', { detail: 'away' })
    expect(await attempt(workspace, () => Promise.reject(away))).toBe(away)
    const outcomes = (await entries(workspace)).map(({ action, outcome }) => `${action} ${outcome}`)
    expect(outcomes).toEqual(['site.created unconfirmed', 'site.created unconfirmed'])
  })

  test('because its process died is written down as unconfirmed a while later', async () => {
    const workspace = await world.newWorkspace()
    const { control, now } = world.product.deps
    void attempt(workspace, () => new Promise(() => {}))
    const begun = () =>
      control.query('SELECT id FROM audit_pending WHERE workspace_id = $1', [workspace.workspaceId])
    await expect.poll(begun).toHaveLength(1)
    await closeUnendedActs(control, now)
    expect(await entries(workspace)).toEqual([])
    clock.aheadMs = 11 * 60_000
    await closeUnendedActs(control, now)
    clock.aheadMs = 0
    expect(await entries(workspace)).toMatchObject([{ action: 'site.created', outcome: 'unconfirmed' }])
    expect(await begun()).toEqual([])
  })
})
