import { judgeReading, readTrack, type Verdict } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, systemClock } from '../platform/clock.ts'
import { createSiteRow } from '../sites/sites.ts'
import { type Control, openControl } from '../store/control.ts'
import { type Database, makeDatabase, untilTrue } from '../testing/harness.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { claimNext, saveProgress } from './backfills/claim-store.ts'
import { insertBackfill, type NewBackfill } from './backfills/store.ts'
import { archiveContract, registerContract } from './contracts/registration.ts'
import { createRegistry, type Registry } from './registry.ts'
import { changeSeverities } from './severities.ts'

let database: Database
const nodes: { control: Control; registry: Registry }[] = []

beforeAll(async () => {
  database = await makeDatabase()
  for (let node = 0; node < 2; node += 1) {
    const control = await openControl({ dataDir: '', url: database.url })
    nodes.push({ control, registry: await createRegistry(control) })
  }
})
afterAll(async () => {
  for (const { control } of nodes) await control.close()
  await database?.drop()
})

function nodeOf(index: number) {
  const node = nodes[index]
  if (node === undefined) throw new Error('the nodes were not started')
  return node
}

async function newWorkspace(): Promise<string> {
  const workspaceId = newId('ws')
  await openWorkspace(nodeOf(0).control, workspaceId, 'Test')
  await changeSeverities(nodeOf(0).control, workspaceId, { preset: 'strict' })
  return workspaceId
}

type Draft = Parameters<typeof registerContract>[3]

async function register(node: number, workspaceId: string, draft: Draft): Promise<string> {
  const { control, registry } = nodeOf(node)
  const { row } = await registerContract(control, systemClock, workspaceId, draft, false)
  await registry.changed(workspaceId, { contracts: [draft.key] })
  return `${row.major}-${row.minor}-${row.patch}`
}

async function judge(node: number, workspaceId: string, event: object): Promise<Verdict> {
  const { registry } = nodeOf(node)
  const reading = readTrack({ user_id: 'u1', properties: { count: 1 }, ...event })
  if (reading.kind === 'alias') throw new Error('no alias was written')
  for (;;) {
    const known = await registry.knowledge(workspaceId, 'site_1')
    const verdict = judgeReading(reading, { ...known, keyClass: 'secret', receivedAt: 0 })
    const fetching = registry.fetchAskedVersions(workspaceId)
    if (fetching === null) return verdict
    await fetching
  }
}

test('what one node publishes, changes or archives the other goes by, without being asked', async () => {
  const workspaceId = await newWorkspace()
  const outcome = async () => (await judge(1, workspaceId, { event: 'seat_added' })).outcome
  expect(await outcome()).toBe('quarantine')
  const count = { type: 'number', required: true } as const
  await register(0, workspaceId, { key: 'seat_added', properties: { count }, status: 'published' })
  await untilTrue('the contract on the other node', async () => (await outcome()) === 'accept')
  await archiveContract(nodeOf(0).control, workspaceId, 'seat_added')
  await nodeOf(0).registry.changed(workspaceId, { contracts: ['seat_added'] })
  await untilTrue('its end on the other node', async () => (await outcome()) === 'quarantine')
  await changeSeverities(nodeOf(0).control, workspaceId, { unknown_event: 'reject' })
  await nodeOf(0).registry.changed(workspaceId, 'rules')
  await untilTrue('the severity on the other node', async () => (await outcome()) === 'reject')
})

test('two nodes that register at once never give out the same version', async () => {
  const workspaceId = await newWorkspace()
  const texts = Array.from({ length: 20 }, (_, index) => `Text ${index}`)
  const versions = await Promise.all(
    texts.map((description, index) => register(index % 2, workspaceId, { key: 'seat_added', description })),
  )
  expect(new Set(versions).size).toBe(texts.length)
})

test('an older version is fetched from the server too', async () => {
  const workspaceId = await newWorkspace()
  const published = { key: 'seat_added', status: 'published' } as const
  await register(0, workspaceId, { ...published, properties: { count: { type: 'number', required: true } } })
  await register(0, workspaceId, { ...published, properties: { count: { type: 'array', required: true } } })
  const event = { event: 'seat_added', contract_version: '1-0-0' }
  await untilTrue('both versions on the other node', async () => {
    const { contractVersion } = await judge(1, workspaceId, { event: 'seat_added' })
    return contractVersion === '2-0-0'
  })
  expect(await judge(1, workspaceId, event)).toMatchObject({ outcome: 'accept', contractVersion: '1-0-0' })
})

test('a back-fill is worked on by one node at a time, and by another one when that is gone', async () => {
  const workspaceId = await newWorkspace()
  const { control } = nodeOf(0)
  const site = { workspaceId, name: 'Shop', domain: 'shop.example', timezone: 'UTC', currency: 'EUR' }
  const { id: siteId } = await createSiteRow(control, newId, systemClock, site)
  const ids = Array.from({ length: 12 }, () => newId('bfl'))
  for (const id of ids) await insertBackfill(control, queued(id, workspaceId, siteId))
  const claims = await Promise.all(
    ids.map((_, index) => claimNext(nodeOf(index % 2).control, `node-${index}`, 60)),
  )
  expect(claims.map((claim) => claim?.id).toSorted()).toEqual(ids.toSorted())
  expect(await claimNext(control, 'another', 60)).toBeNull()
  const mine = claims[0]?.id ?? ''
  expect((await claimNext(nodeOf(1).control, 'node-0', 0))?.id).toBe(mine)
  expect((await claimNext(control, 'another', 60))?.id).toBe(mine)
  const progress = {
    id: mine,
    cursor_ms: 1,
    cursor_id: 'e1',
    judged: 1,
    events: 1,
    renamed: 1,
    refused: 0,
    codes: {},
  }
  expect(await saveProgress(control, 'node-0', progress)).toBe(false)
  expect(await saveProgress(control, 'another', progress)).toBe(true)
})

function queued(id: string, workspaceId: string, siteId: string): NewBackfill {
  const at = new Date(systemClock())
  const rule = { mapping_id: 'map_1', source: 'shop_order', target: '$purchase', property_map: {} }
  const range = { from_at: at, to_at: at, sent_names: ['shop_order'], matched: 1, created_at: at }
  return { id, workspace_id: workspaceId, site_id: siteId, ...rule, ...range, status: 'queued' }
}
