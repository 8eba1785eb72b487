import {
  createContract,
  createWebhookConnection,
  deleteWorkspace,
  getDemo,
  getOverview,
  getWorkspace,
  leaveWorkspace,
  listAuditLog,
  listContracts,
  listSites,
  listWorkspaces,
  recordReplay,
  removeDemo,
  renameWorkspace,
  restoreWorkspace,
  siteIngest,
  startDemo,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { dayMs } from '../platform/units.ts'
import type { Events } from '../store/events.ts'
import {
  raise,
  startWorld,
  type TestPerson,
  type TestWorkspace,
  untilTrue,
  type World,
} from '../testing/harness.ts'
import { type DeletionWorld, deleteDueWorkspaces, sweepDeletedWorkspaces } from './deletion.ts'
import { tableByGeneration } from './deletion-store.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
})
afterAll(() => world?.close())

const login = { event: '$login', user_id: 'u1', properties: { method: 'password' } }

type Filled = { workspace: TestWorkspace; owner: TestPerson; params: { params: { id: string } } }

/**
 * With something in every store: events, quarantined ones, contracts, keys, members, a replay, an audit log.
 */
async function filled(): Promise<Filled> {
  const workspace = await world.newWorkspace({ preset: 'strict' })
  const owner = await world.signIn('owner', workspace)
  await workspace.call(track, { body: login })
  await workspace.call(track, { body: { event: 'unheard_of', user_id: 'u1' } })
  await workspace.call(createContract, { body: { key: 'seat_added', status: 'published' } })
  const recorded = [{ type: 4, timestamp: Date.now(), data: {} }]
  const visit = { replay_id: 'replay-1', chunk_id: 'chunk-01', session_id: 's', anonymous_id: 'a' }
  await workspace.call(recordReplay, { body: { ...visit, sent_at: Date.now(), events: recorded } })
  return { workspace, owner, params: { params: { id: workspace.workspaceId } } }
}

/** What the job sees a week and a day from now. */
function afterTheDelay(changes: Partial<DeletionWorld> = {}): DeletionWorld {
  const { control, events, closedWorkspaces, writer, sessions } = world.product.deps
  return {
    control,
    events,
    now: () => Date.now() + 8 * dayMs,
    closed: closedWorkspaces,
    flushLog: () => writer.flush(60_000),
    userChanged: sessions.userChanged,
    ...changes,
  }
}

async function tablesOf(store: 'control' | 'events'): Promise<string[]> {
  const { control, events } = world.product.deps
  const rows =
    store === 'control'
      ? await control.query<{ table_name: string }>(
          // A view holds nothing of its own.
          `SELECT table_name FROM information_schema.columns JOIN information_schema.tables
             USING (table_schema, table_name)
           WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_type = 'BASE TABLE'`,
        )
      : await events.query<{ table_name: string }>(
          `SELECT table AS table_name FROM system.columns
           WHERE database = currentDatabase() AND name = 'workspace_id' AND NOT startsWith(table, 'staging_')`,
        )
  return rows.map(({ table_name: name }) => name)
}

/** The tables of both stores in which there is still a row of the workspace. */
async function traces(workspaceId: string): Promise<string[]> {
  const { control, events } = world.product.deps
  const found: string[] = []
  for (const table of await tablesOf('control')) {
    const rows = await control.query(`SELECT 1 FROM ${table} WHERE workspace_id = $1 LIMIT 1`, [workspaceId])
    if (rows.length > 0) found.push(table)
  }
  for (const table of await tablesOf('events')) {
    const sql = `SELECT 1 AS one FROM ${table} WHERE workspace_id = {workspaceId:String} LIMIT 1`
    if ((await events.query(sql, { workspaceId })).length > 0) found.push(table)
  }
  return found
}

describe('a workspace that is to be deleted', () => {
  test('stops its keys and tokens at once, lets people look and change nothing, and can be taken back', async () => {
    const { workspace, owner, params } = await filled()
    const admin = await world.signIn('admin', workspace)
    const byToken = {
      siteId: workspace.siteId,
      token: workspace.siteToken,
      events: [{ type: 'pageview', url: '/' }],
    }
    const connection = { provider: 'stripe', site_id: workspace.siteId, secrets: ['whsec_x'] } as const
    const { body: webhook } = await workspace.call(createWebhookConnection, {
      body: { ...connection, secrets: [...connection.secrets] },
    })
    const send = async () => [
      (await workspace.call(track, { body: login })).status,
      (await workspace.call(listSites, { query: {} }, { key: workspace.keys.secret })).status,
      (await workspace.call(siteIngest, { body: byToken }, { key: null })).status,
      (await fetch(webhook.url, { method: 'POST', body: '{}' })).status,
    ]
    expect(await send()).toEqual([202, 200, 202, 401])
    expect((await admin.call(deleteWorkspace, params)).status).toBe(403)
    const asked = await owner.call(deleteWorkspace, params)
    expect(asked.status).toBe(202)
    const { deletion } = asked.body
    const delayMs = Date.parse(deletion?.delete_after ?? '') - Date.parse(deletion?.requested_at ?? '')
    expect(delayMs).toBe(7 * dayMs)
    expect(world.printed.filter((line) => line.includes('will be deleted'))).toEqual([
      expect.stringContaining(owner.email),
    ])
    expect((await owner.call(deleteWorkspace, params)).body.deletion).toEqual(deletion)
    expect(await send()).toEqual([401, 401, 401, 404])
    const { ingest } = world.product.deps
    // boundary: every other endpoint also refuses it after looking at the workspace only.
    const sender = { workspaceId: workspace.workspaceId } as Parameters<typeof ingest.submit>[1]
    await expect(ingest.submit([], sender, false)).rejects.toThrow('no such site')
    expect((await admin.call(listContracts, { query: {} })).status).toBe(200)
    expect((await admin.call(createContract, { body: { key: 'late' } })).status).toBe(409)
    expect((await owner.call(renameWorkspace, { ...params, body: { name: 'X' } })).status).toBe(409)
    expect((await admin.call(restoreWorkspace, params)).status).toBe(403)
    expect(await deleteDueWorkspaces(afterTheDelay({ now: () => Date.now() + 6 * dayMs }), raise)).toEqual([])
    expect((await owner.call(restoreWorkspace, params)).body.deletion).toBeNull()
    expect(await send()).toEqual([202, 200, 202, 401])
    expect((await owner.call(restoreWorkspace, params)).status).toBe(409)
    const { body: log } = await owner.call(listAuditLog, { query: { object_type: 'workspace' } })
    expect(log.data.map(({ action }) => action)).toEqual([
      'workspace.deletion_withdrawn',
      'workspace.deletion_requested',
    ])
  })

  test('is gone from both stores when its delay is over, and nothing else is', async () => {
    const { workspace, owner, params } = await filled()
    const other = await filled()
    await owner.call(deleteWorkspace, params)
    await workspace.settle()
    const before = await traces(other.workspace.workspaceId)
    expect(before).toEqual(
      expect.arrayContaining(['audit_log', 'memberships', 'sites', 'events', 'quarantine']),
    )
    expect((await traces(workspace.workspaceId)).toSorted()).toEqual(before.toSorted())
    const deleted = await deleteDueWorkspaces(afterTheDelay(), raise)
    expect(deleted).toEqual([workspace.workspaceId])
    expect(await traces(workspace.workspaceId)).toEqual([])
    expect(await traces(other.workspace.workspaceId)).toEqual(before)
    // Nothing of it is remembered either.
    expect(world.product.deps.sites.cachedOf(workspace.workspaceId)).toEqual([])
    expect((await owner.call(listWorkspaces, {})).body.data).toEqual([])
    expect((await owner.call(getWorkspace, params)).status).toBe(404)
    expect((await owner.call(restoreWorkspace, params)).status).toBe(404)
    expect((await workspace.call(track, { body: login })).status).toBe(401)
  })

  test('is deleted all the same when the process dies at any step', async () => {
    const { workspace, owner, params } = await filled()
    await workspace.settle()
    await owner.call(deleteWorkspace, params)
    const { events, control } = world.product.deps
    let stepsLeft = 0
    const step = () => {
      stepsLeft -= 1
      if (stepsLeft < 0) throw new Error('killed')
    }
    const dying: Events = {
      ...events,
      query: (...call) =>
        Promise.resolve()
          .then(step)
          .then(() => events.query(...call)),
      command: (...call) =>
        Promise.resolve()
          .then(step)
          .then(() => events.command(...call)),
    }
    let deaths = 0
    for (let steps = 0; (await owner.call(getWorkspace, params)).status === 200; steps += 1) {
      stepsLeft = steps
      // The last thing that can be in the way: the transaction of the control store.
      const transaction: typeof control.transaction = (work) =>
        Promise.resolve()
          .then(step)
          .then(() => control.transaction(work))
      const attempt = deleteDueWorkspaces(
        afterTheDelay({ events: dying, control: { ...control, transaction } }),
        raise,
      )
      await attempt.catch((error: Error) => {
        expect(error.message).toBe('killed')
        deaths += 1
      })
      const back = await owner.call(restoreWorkspace, params)
      expect([404, 409]).toContain(back.status)
    }
    expect(deaths).toBeGreaterThan(5)
    expect(await traces(workspace.workspaceId)).toEqual([])
  })

  test('leaves nothing when another node brings events of it later', async () => {
    const { workspace, owner, params } = await filled()
    await owner.call(deleteWorkspace, params)
    // While its own log cannot be carried into the store, there is more to come, and it waits.
    expect(await deleteDueWorkspaces(afterTheDelay({ flushLog: async () => false }), raise)).toEqual([])
    expect((await owner.call(getWorkspace, params)).status).toBe(200)
    expect(await deleteDueWorkspaces(afterTheDelay(), raise)).toEqual([workspace.workspaceId])
    const { events } = world.product.deps
    const id = newId('evt')
    for (const table of ['events', 'overlaid_events']) {
      await events.command(
        `INSERT INTO ${table} (workspace_id, site_id, ts, event_id, received_at ${table === 'events' ? '' : ', generation'})
         SELECT {workspaceId:String}, 'site_x', now(), {id:String}, now() ${table === 'events' ? '' : ', {id:String}'}`,
        { workspaceId: workspace.workspaceId, id },
      )
    }
    await events.command(`INSERT INTO ${tableByGeneration} (generation, order_id) SELECT {id:String}, 'o'`, {
      id,
    })
    expect((await traces(workspace.workspaceId)).toSorted()).toEqual(['events', 'overlaid_events'])
    await sweepDeletedWorkspaces(afterTheDelay(), raise)
    expect(await traces(workspace.workspaceId)).toEqual([])
    const orders = `SELECT order_id FROM ${tableByGeneration} WHERE generation = {id:String}`
    expect(await events.query(orders, { id })).toEqual([])
  })

  test('can still be left, save by its last owner', async () => {
    const { workspace, owner, params } = await filled()
    const viewer = await world.signIn('viewer', workspace)
    await owner.call(deleteWorkspace, params)
    expect((await viewer.call(leaveWorkspace, params)).status).toBe(204)
    expect((await owner.call(leaveWorkspace, params)).status).toBe(409)
    await owner.call(restoreWorkspace, params)
  })
})

describe('every table', () => {
  test('of the control store that belongs to a workspace goes with it', async () => {
    const { control } = world.product.deps
    const cascading = await control.query<{ name: string; parent: string }>(
      `SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS parent
       FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c'`,
    )
    const goesWith = (table: string, parents: readonly string[]) =>
      cascading.some(({ name, parent }) => name === table && parents.includes(parent))
    for (const table of await tablesOf('control')) expect(goesWith(table, ['workspaces']), table).toBe(true)
    const bySite = await control.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'site_id' AND table_name <> 'api_keys'`,
    )
    for (const { name } of bySite) expect(goesWith(name, ['workspaces', 'sites']), name).toBe(true)
  })

  test('of the events store says to which workspace its rows belong', async () => {
    const { events } = world.product.deps
    const all = await events.query<{ name: string }>(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
    )
    const byWorkspace = await tablesOf('events')
    const others = all.map(({ name }) => name).filter((name) => !byWorkspace.includes(name))
    const rest = others.filter((name) => name !== 'migrations' && !name.startsWith('staging_'))
    expect(rest).toEqual([tableByGeneration])
  })
})

describe('a demo', () => {
  test('is a separate workspace, is filled automatically, is the same on a second request, and is deleted without a trace', async () => {
    const owner = await world.signIn('owner')
    expect((await owner.call(getDemo, {})).body.demo).toBeNull()
    expect((await owner.call(removeDemo, {})).status).toBe(404)
    const { status, body: demo } = await owner.call(startDemo, {})
    expect([status, demo.status]).toEqual([202, 'filling'])
    expect((await owner.call(startDemo, {})).body.workspace_id).toBe(demo.workspace_id)
    const headers = { 'x-assay-workspace': demo.workspace_id }
    const query = { siteId: demo.site_id, window: '40d' }
    const sent = async () => (await owner.call(getDemo, {})).body.demo?.events ?? 0
    await untilTrue('the first events of the demo', async () => (await sent()) > 0, 120_000)
    // In the middle of it, or just after: what is on its way is let go of as well.
    expect((await owner.call(removeDemo, {})).body.status).toBe('removing')
    await world.product.deps.writer.flush(60_000)
    expect((await owner.call(getOverview, { query }, { headers })).body.metrics.visitors).toBeGreaterThan(0)
    expect((await owner.call(getDemo, {})).body.demo?.status).toBe('removing')
    await deleteDueWorkspaces(afterTheDelay({ now: Date.now }), raise)
    expect((await owner.call(getDemo, {})).body.demo).toBeNull()
    expect(await traces(demo.workspace_id)).toEqual([])
    expect((await owner.call(listWorkspaces, {})).body.data.map(({ id }) => id)).toEqual([owner.workspaceId])
  }, 240_000)
})
