import { randomUUID } from 'node:crypto'
import type { Logger } from '../../platform/logging/logger.ts'
import type { NodeRole } from '../../platform/node/node-roles.ts'
import { productVersion, worksWith } from '../../platform/node/version.ts'
import type { Control } from '../control.ts'
import type { MigrationSteps } from '../migrations/migrate.ts'
import { readMigrations } from '../migrations/migration-files.ts'
import { leaveRunning, type RunningNode, seeRunning, selectRunning } from './node-store.ts'
import { requireFitting, writeOldest } from './version-check.ts'

/** Who else runs on the same stores, with their versions. */
export type RunningNodes = {
  /** As of the last heartbeat, with this node; empty where a store is of one process. */
  list: () => readonly RunningNode[]
}

type OpenNodes = RunningNodes & {
  /** What happens before and after the migrations, while no other node can start. */
  steps: MigrationSteps
  leave: () => Promise<void>
}

/** A node that was killed counts as running for so long. */
const seenMs = 15_000
const seeAgainMs = 4_000

type Own = { nodeId: string; roles: readonly NodeRole[]; version?: string; worksWith?: string }

export function openRunningNodes(control: Control, own: Own, logger: Logger): OpenNodes {
  const node: RunningNode = { version: productVersion, worksWith, ...own, schema: knownSchema() }
  const runId = randomUUID()
  let known: readonly RunningNode[] = []
  let versions = ''
  let timer: NodeJS.Timeout | undefined
  const see = async () => {
    await seeRunning(control, node, runId, seenMs)
    known = await selectRunning(control)
    const seen = versionsOf(known)
    if (seen !== versions && seen.includes(', ')) logger.info(`Nodes of several versions run: ${seen}`)
    versions = seen
  }
  return {
    list: () => known,
    steps: {
      before: (pending) => requireFitting(control, node, pending),
      after: async () => {
        await writeOldest(control, [...readMigrations('control'), ...readMigrations('events')])
        if (!control.shared) return
        await see()
        // A control store that is away is reported by what needs it.
        timer = setInterval(() => void see().catch(() => {}), seeAgainMs).unref()
      },
    },
    leave: async () => {
      clearInterval(timer)
      if (timer !== undefined) await leaveRunning(control, node.nodeId, runId).catch(() => {})
    },
  }
}

/** Such as `36.7`: the last migrations of the control and of the events store. */
function knownSchema(): string {
  const last = (store: 'control' | 'events') => Number(readMigrations(store).at(-1)?.name.slice(0, 4))
  return `${last('control')}.${last('events')}`
}

function versionsOf(nodes: readonly RunningNode[]): string {
  const names = nodes.map(({ version, schema }) =>
    schema === '' ? 'one that is not written down' : `${version} (schema ${schema})`,
  )
  return [...new Set(names)].toSorted().join(', ')
}
