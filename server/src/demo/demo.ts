import { type Demo, Problem } from '@assay/contract'
import type { Ingest } from '../ingest/ingest.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Failures } from '../platform/logging/failures.ts'
import { createSiteRow, type Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { type Asker, createOwnWorkspace, requestDeletion } from '../workspaces/own-workspaces.ts'
import { createDemoTraffic, type DemoTraffic } from './demo-traffic.ts'
import { type DemoRow, insertDemo, markRemoving, selectDemo } from './store.ts'
import { shop } from './traffic/models/shop.ts'

/** A month of a small shop: enough that ways, errors and people show up, filled within half a minute. */
const demoEvents = 12_000

export type Demos = {
  find: (userId: string) => Promise<Demo | null>
  start: (asker: Asker) => Promise<Demo>
  remove: (asker: Asker) => Promise<Demo>
  close: () => Promise<void>
}

type DemoWorld = {
  control: Control
  sites: Sites
  ingest: Ingest
  closeWorkspace: (workspaceId: string) => Promise<void>
  userChanged: (userId: string) => Promise<void>
  now: Clock
  newId: NewId
  failures: Pick<Failures, 'report'>
}

export function createDemos(world: DemoWorld): Demos {
  const { control } = world
  const traffic = createDemoTraffic(world, demoEvents)
  return {
    close: traffic.close,
    async find(userId) {
      const row = await selectDemo(control, userId)
      if (row === null) return null
      // If a process was stopped in the middle, the next request continues.
      if (!row.is_filled && !row.is_removing) traffic.fill(row)
      return toDemo(row, traffic)
    },
    async start(asker) {
      const known = await selectDemo(control, asker.userId)
      const row = known ?? (await makeDemo(world, asker))
      if (!row.is_filled && !row.is_removing) traffic.fill(row)
      return toDemo(row, traffic)
    },
    async remove(asker) {
      const row = await selectDemo(control, asker.userId)
      if (row === null) throw new Problem('not-found', { detail: 'You have no demo.' })
      await traffic.stop(row.workspace_id)
      await requestDeletion(world, asker, row.workspace_id, 0)
      await world.closeWorkspace(row.workspace_id)
      await markRemoving(control, row.workspace_id)
      return toDemo({ ...row, is_removing: true }, traffic)
    },
  }
}

async function makeDemo(world: DemoWorld, asker: Asker): Promise<DemoRow> {
  const { control, newId, now, sites, userChanged } = world
  const { id: workspaceId } = await createOwnWorkspace(world, asker, 'Demo')
  const { name, domain, timezone, currency } = shop
  const site = await createSiteRow(control, newId, now, { workspaceId, name, domain, timezone, currency })
  await sites.changed(site.id)
  const row = { workspace_id: workspaceId, user_id: asker.userId, site_id: site.id, until: new Date(now()) }
  await insertDemo(control, row)
  await userChanged(asker.userId)
  return { ...row, sent: 0, is_filled: false, is_removing: false, created_at: row.until }
}

function toDemo(row: DemoRow, traffic: DemoTraffic): Demo {
  const sent = Math.max(row.sent, traffic.sentOf(row.workspace_id))
  return {
    workspace_id: row.workspace_id,
    site_id: row.site_id,
    status: row.is_removing ? 'removing' : row.is_filled ? 'ready' : 'filling',
    // The exact number of events is known only when all are sent.
    progress: row.is_filled ? 1 : Math.min(0.99, sent / demoEvents),
    events: sent,
    created_at: row.created_at.toISOString(),
  }
}
