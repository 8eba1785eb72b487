import { type CompiledContract, compileContract, Problem } from '@assay/contract'
import { actorIdOf, type Principal } from '../http/principal.ts'
import { toEventContract, versionOf } from './contracts.ts'
import type { ContractRow } from './store.ts'

/** Held events, as far as the registry needs them. The write street keeps them, and puts this into `Deps`. */
export type HeldEvents = {
  /** How many held events of this name, however it was written, would pass now; or with a contract not in force yet. */
  wouldPass: (workspaceId: string, name: string, draft?: CompiledContract) => Promise<number>
  /** Releases those that pass, in the name of a key or a person, and answers how many they were. */
  release: (workspaceId: string, name: string, actorId: string) => Promise<number>
}

/** What was held just now is still in the log; usually half a second, longer only while the store is behind. */
const flushMsMax = 10_000

type Loads = { flush: (timeoutMs: number) => Promise<boolean> }

/** How many held events pass once this contract is published. */
export async function countHeld(
  held: HeldEvents,
  writer: Loads,
  workspaceId: string,
  row: ContractRow,
): Promise<number> {
  await writer.flush(flushMsMax)
  const contract = toEventContract(row)
  return held.wouldPass(workspaceId, contract.name, compileContract({ ...contract, status: 'published' }))
}

/** After the publication, which stands even when the events cannot be released right now. */
export async function releaseHeld(held: HeldEvents, caller: Principal, row: ContractRow): Promise<number> {
  try {
    return await held.release(caller.workspaceId, row.key, actorIdOf(caller))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { detail } = error.options
    throw new Problem(error.slug, {
      ...error.options,
      detail: `${row.key} ${versionOf(row)} was published. ${detail} Release the rest from the quarantine.`,
    })
  }
}
