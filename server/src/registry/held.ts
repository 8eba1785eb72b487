import type { CompiledContract } from '@assay/contract'

/** Held events, as far as the registry needs them. The write street keeps them, and puts this into `Deps`. */
export type HeldEvents = {
  /** How many held events of this name, however it was written, would pass now; or with a contract not in force yet. */
  wouldPass: (workspaceId: string, name: string, draft?: CompiledContract) => Promise<number>
  /** Releases those that pass, in the name of a key, and answers how many they were. */
  release: (workspaceId: string, name: string, keyId: string) => Promise<number>
}
