import { type CompiledContract, compileContract, Problem } from '@assay/contract'
import { actorIdOf, type Principal } from '../../http/access/principal.ts'
import { toEventContract, versionOf } from './contracts.ts'
import type { ContractRow } from './store.ts'

/** Quarantined events, as far as the registry needs them. The quarantine implements this. */
export type QuarantinedEvents = {
  /**
   * How many quarantined events of this name, in any spelling, would pass now; or with a contract that is not
   * live yet.
   */
  wouldPass: (at: QuarantinePlace, name: string, draft?: CompiledContract) => Promise<number>
  /** Releases those that pass, in the name of a key or a person, and answers how many they were. */
  release: (at: QuarantinePlace, name: string, actorId: string) => Promise<number>
  /** How many are quarantined under this name, and its spellings. */
  waiting: (at: QuarantinePlace, name: string) => Promise<{ events: number; names: readonly string[] }>
}

/** Without a site the quarantine of all sites. */
export type QuarantinePlace = { workspaceId: string; siteId?: string | undefined }

/**
 * A newly quarantined event is still in the log; usually for half a second, longer only while the store is
 * behind.
 */
const flushMsMax = 10_000

type Loads = { flush: (timeoutMs: number) => Promise<boolean> }

/** How many quarantined events pass once this contract is published. */
export async function countQuarantined(
  held: QuarantinedEvents,
  writer: Loads,
  at: QuarantinePlace,
  row: ContractRow,
): Promise<number> {
  await writer.flush(flushMsMax)
  const contract = toEventContract(row)
  return held.wouldPass(at, contract.name, compileContract({ ...contract, status: 'published' }))
}

/** After the publication, which stands even when the events cannot be released right now. */
export async function releaseQuarantined(
  held: QuarantinedEvents,
  caller: Principal,
  row: ContractRow,
  siteId: string | undefined,
): Promise<number> {
  try {
    return await held.release({ workspaceId: caller.workspaceId, siteId }, row.key, actorIdOf(caller))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { detail } = error.options
    throw new Problem(error.slug, {
      ...error.options,
      detail: `${row.key} ${versionOf(row)} was published. ${detail} Release the rest from the quarantine.`,
    })
  }
}
