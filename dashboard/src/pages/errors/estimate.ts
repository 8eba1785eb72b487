import { affectedSessionsMin, type ImpactResult } from '@assay/contract'
import { formatCount, formatRate } from '../../format.ts'
import { text } from '../../text.ts'

type Compared = Pick<ImpactResult, 'evidence' | 'comparedSessions'>

/** Whether the loss of a group can be shown; a figure that rests on next to nothing cannot. */
export function hasEstimate({ evidence }: Pick<Compared, 'evidence'>): boolean {
  return evidence !== 'insufficient'
}

/** Why there is none: the list and the page of a group say the same. */
export function noEstimateReason({ comparedSessions }: Compared): string {
  const words = text.errors
  if (comparedSessions === 0) return words.noComparison
  return comparedSessions < affectedSessionsMin
    ? words.tooFew(formatCount(comparedSessions), formatCount(affectedSessionsMin))
    : words.notComparable
}

/** Expected counts have a fraction; a tenth of a visit is precise enough. */
export const formatRounded = (count: number) => formatRate(Math.round(count * 10) / 10)
