import type { Control } from '../store/control.ts'
import { type GateKnowledge, type RegistryChange, WorkspaceKnowledge } from './workspace-knowledge.ts'

export type { GateKnowledge, RegistryChange } from './workspace-knowledge.ts'

export type Registry = {
  /** At once when it is in memory, which it nearly always is. */
  knowledge: (workspaceId: string, siteId: string) => GateKnowledge | Promise<GateKnowledge>
  /**
   * Events may name an older version of their contract. Those that judging asked for and that were not at hand are
   * fetched, to judge again; null when there were none. To be asked right after judging, before anything else runs.
   */
  fetchAskedVersions: (workspaceId: string) => Promise<void> | null
  /** Forgets what changed, here at once and on every other node a moment later. */
  changed: (workspaceId: string, change: RegistryChange) => Promise<void>
  forgetWorkspace: (workspaceId: string) => void
}

type RegistryLimits = {
  /** Compiled contracts of all workspaces: about 3 KB each. */
  contractsMax: number
  workspacesMax: number
}

const usualLimits: RegistryLimits = { contractsMax: 100_000, workspacesMax: 10_000 }
/** Notices begin with the id of the workspace; the keys of contracts that changed follow. */
export const registryChannel = 'assay_registry'
/** A notice of Postgres takes 8,000 bytes; a key takes up to 100. */
const keysToldMax = 50

/** Contracts, rules and severities of the workspaces that send, compiled and in memory. */
export async function createRegistry(control: Control, limits = usualLimits): Promise<Registry> {
  // bounded: by contractsMax and workspacesMax.
  const workspaces = new Map<string, WorkspaceKnowledge>()
  let uses = 0
  const hear = (notice: string) => {
    const [workspaceId = '', ...keys] = notice.split(' ')
    mark(workspaceId, keys.length === 0 ? 'rules' : { contracts: keys })
  }
  await control.listen(registryChannel, hear, () => workspaces.clear())

  function mark(workspaceId: string, change: RegistryChange): void {
    workspaces.get(workspaceId)?.mark(change)
  }

  async function load(workspaceId: string, siteId: string): Promise<GateKnowledge> {
    const known = workspaces.get(workspaceId) ?? new WorkspaceKnowledge(control, workspaceId)
    workspaces.set(workspaceId, known)
    known.lastUse = ++uses
    const knowledge = await known.load(siteId)
    forgetLeastUsed(workspaces, workspaceId, limits)
    return knowledge
  }

  return {
    knowledge(workspaceId, siteId) {
      const known = workspaces.get(workspaceId)
      const ready = known?.ready(siteId)
      if (known === undefined || ready === undefined) return load(workspaceId, siteId)
      known.lastUse = ++uses
      return ready
    },
    fetchAskedVersions: (workspaceId) => workspaces.get(workspaceId)?.fetchAsked() ?? null,
    async changed(workspaceId, change) {
      mark(workspaceId, change)
      for (const notice of notices(workspaceId, change)) await control.notify(registryChannel, notice)
    },
    forgetWorkspace: (workspaceId) => void workspaces.delete(workspaceId),
  }
}

function notices(workspaceId: string, change: RegistryChange): string[] {
  if (change === 'rules') return [workspaceId]
  const { contracts } = change
  const parts = Math.ceil(contracts.length / keysToldMax)
  return Array.from({ length: parts }, (_, part) =>
    [workspaceId, ...contracts.slice(part * keysToldMax, (part + 1) * keysToldMax)].join(' '),
  )
}

/** What was just loaded stays, be it ever so large: it is in use. */
function forgetLeastUsed(
  workspaces: Map<string, WorkspaceKnowledge>,
  keptId: string,
  { contractsMax, workspacesMax }: RegistryLimits,
): void {
  let contracts = 0
  for (const known of workspaces.values()) contracts += known.size
  if (contracts <= contractsMax && workspaces.size <= workspacesMax) return
  const byUse = [...workspaces].toSorted(([, left], [, right]) => left.lastUse - right.lastUse)
  for (const [workspaceId, known] of byUse) {
    if (contracts <= contractsMax && workspaces.size <= workspacesMax) return
    if (workspaceId === keptId) continue
    workspaces.delete(workspaceId)
    contracts -= known.size
  }
}
