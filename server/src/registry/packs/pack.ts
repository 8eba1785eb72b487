import type { EventContract } from '@assay/contract'

/** A starter set of contracts for one kind of business, beside the standard events. */
export type Pack = {
  key: string
  title: string
  description: string
  contracts: readonly EventContract[]
}
