import { newId } from '../platform/clock.ts'
import type { Logger } from '../platform/logging/logger.ts'
import type { NodeRole } from '../platform/node/node-roles.ts'
import { type Control, openControl } from './control.ts'
import type { EngineKind } from './engine/open.ts'
import { type Events, openEvents } from './events.ts'
import { requireEventsHome } from './events-home.ts'
import { withPeopleSets } from './filters/people-sets.ts'
import { migrate } from './migrations/migrate.ts'
import { openRunningNodes, type RunningNodes } from './nodes/running-nodes.ts'

type Places = {
  dataDir: string
  logDir: string
  clickhouseUrl: string | undefined
  clickhouseCluster?: string | undefined
  postgresUrl: string | undefined
  engine?: EngineKind | undefined
  eventsTakeOver: boolean
  /** Of this process among all that share the stores, and what it does. */
  nodeId: string
  roles: readonly NodeRole[]
}

/** What openStores reports to, and where it leaves what closes the stores again. */
type StoreOwner = {
  logger: Logger
  closers: (() => Promise<void>)[]
  /** An embedded store crashed, and does not come back in this process. */
  onLost: () => void
}

/** Both stores, migrated. */
export async function openStores(
  { clickhouseCluster: cluster, eventsTakeOver: takeOver, nodeId, roles, ...places }: Places,
  { logger, closers, onLost }: StoreOwner,
): Promise<{ control: Control; events: Events; nodes: RunningNodes }> {
  const { dataDir, logDir, clickhouseUrl, postgresUrl, engine } = places
  const stores = logger.child({ component: 'stores' })
  stores.info('Opening the stores')
  const openingEvents = openEvents({ dataDir, logDir, url: clickhouseUrl, cluster, engine, logger: stores })
  // A server answers at once or not at all; an engine of our own takes seconds, in a thread of its own.
  if (clickhouseUrl !== undefined) await openingEvents
  const openingControl = openControl({
    dataDir,
    url: postgresUrl,
    onCrash: (crash) => {
      stores.error(
        { err: crash },
        'The control store is lost. Acknowledged events are safe: start the product again',
      )
      onLost()
    },
  })
  const [events, control] = await allOrNone(openingEvents, openingControl)
  closers.push(() => events.close())
  closers.push(() => control.close())
  const nodes = openRunningNodes(control, { nodeId, roles }, stores)
  closers.push(nodes.leave)
  // Another node may be at it, for as long as it takes.
  await control.unhurried(async () => {
    await migrate(control, events, stores, nodes.steps)
    await requireEventsHome(control, events, { isEmbedded: clickhouseUrl === undefined, takeOver })
  })
  return { control, events: withPeopleSets(events, newId), nodes }
}

type Closable = { close: () => Promise<void> }

/** Where one does not open, the other is closed again. */
async function allOrNone<A extends Closable, B extends Closable>(
  first: Promise<A>,
  second: Promise<B>,
): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second])
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value]
  for (const opened of [a, b]) if (opened.status === 'fulfilled') await opened.value.close()
  throw a.status === 'rejected' ? a.reason : b.status === 'rejected' ? b.reason : new Error('unreachable')
}
