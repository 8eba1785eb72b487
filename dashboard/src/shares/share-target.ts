import type { Share } from '@assay/contract'

export type ShareTarget = {
  type: Share['type']
  /** Null for the overview. */
  targetId: string | null
  name: string
}
