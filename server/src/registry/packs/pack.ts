import type { EventContract } from '@assay/contract'

/** A starter set of contracts for one industry, in addition to the standard events. */
export type Pack = {
  key: string
  title: string
  description: string
  contracts: readonly EventContract[]
}
