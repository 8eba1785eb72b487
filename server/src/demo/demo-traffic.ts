import { Problem, readTrack, withoutAlias } from '@assay/contract'
import { nowhereKnown } from '../ingest/enrich/country/place.ts'
import { readRequestFacts } from '../ingest/enrich/request-facts.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Item, Sender } from '../ingest/validation.ts'
import type { Clock } from '../platform/clock.ts'
import type { Failures } from '../platform/logging/failures.ts'
import { dayMs } from '../platform/units.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { type DemoRow, updateSent } from './store.ts'
import type { TrafficEvent } from './traffic/events/wire.ts'
import { makeTraffic } from './traffic.ts'

/** Small enough that other requests are served in between. */
const batchEvents = 200
/** How often progress is written down, in batches. */
const saveEvery = 5
const demoDays = 30
/** Any: every demo has the same visitors, each in a workspace of its own. */
const demoSeed = 7

export type DemoTraffic = {
  /** Starts or continues in the background; existing events count once. */
  fill: (row: DemoRow) => void
  sentOf: (workspaceId: string) => number
  /** Resolves when nothing more is sent. */
  stop: (workspaceId: string) => Promise<void>
  close: () => Promise<void>
}

type DemoTrafficWorld = {
  control: Control
  sites: Sites
  ingest: Ingest
  now: Clock
  failures: Pick<Failures, 'report'>
}

type Running = { sent: number; isStopping: boolean; done: Promise<void> }

export function createDemoTraffic(world: DemoTrafficWorld, events: number): DemoTraffic {
  // bounded: by the demos that are being filled, one a workspace.
  const running = new Map<string, Running>()

  async function stop(workspaceId: string): Promise<void> {
    const one = running.get(workspaceId)
    if (one === undefined) return
    one.isStopping = true
    await one.done
  }

  return {
    fill(row) {
      if (running.has(row.workspace_id)) return
      const one: Running = { sent: 0, isStopping: false, done: Promise.resolve() }
      running.set(row.workspace_id, one)
      one.done = send(world, row, events, one)
        .catch((error: unknown) => {
          // A demo that is removed meanwhile takes nothing more.
          if (!(error instanceof Problem)) world.failures.report('demos', error)
        })
        .finally(() => running.delete(row.workspace_id))
    },
    sentOf: (workspaceId) => running.get(workspaceId)?.sent ?? 0,
    stop,
    close: async () => void (await Promise.all([...running.keys()].map(stop))),
  }
}

async function send(world: DemoTrafficWorld, row: DemoRow, wanted: number, running: Running): Promise<void> {
  const { control, sites, ingest } = world
  const site = await sites.own(row.workspace_id, row.site_id)
  if (site === null) return
  const toMs = row.until.getTime()
  const { events } = makeTraffic({
    seed: demoSeed,
    events: wanted,
    fromMs: toMs - demoDays * dayMs,
    toMs,
    sites: ['shop'],
  })
  const sender = demoSender(row.workspace_id)
  for (let batches = 1; !running.isStopping; batches += 1) {
    const items = take(events, site)
    if (items.length === 0) return updateSent(control, row.workspace_id, running.sent, true)
    await ingest.submit(items, sender, false)
    running.sent += items.length
    if (batches % saveEvery === 0) await updateSent(control, row.workspace_id, running.sent, false)
  }
}

function take(events: Iterator<TrafficEvent>, site: SiteRow): Item[] {
  const items: Item[] = []
  for (let next = events.next(); !next.done; next = events.next()) {
    const reading = withoutAlias(readTrack(next.value.wire, { isHistorical: true }))
    items.push({ site, reading })
    if (items.length === batchEvents) break
  }
  return items
}

/** As a server of the shop would send them. */
function demoSender(workspaceId: string): Sender {
  return {
    workspaceId,
    keyClass: 'secret',
    keyId: 'demo',
    endpoint: 'batch',
    storesNothing: false,
    facts: readRequestFacts(
      {},
      { credential: 'secret', ip: '', trustsPlaceHeaders: false, lookupPlace: () => nowhereKnown },
    ),
  }
}
