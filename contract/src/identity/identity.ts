import { alias, identify } from './identity-calls.ts'
import { listLedger, verifyLedger } from './merge-ledger.ts'
import { mergePeople, reverseMerge } from './merges.ts'
import { getPerson } from './person.ts'
import { resolveIdentity } from './resolution.ts'
import { getTimeline } from './timeline.ts'

export const identityRoutes = [
  resolveIdentity,
  getPerson,
  getTimeline,
  mergePeople,
  listLedger,
  verifyLedger,
  reverseMerge,
  identify,
  alias,
] as const
