import type { Binding, Outcome, Problem, Verdict } from '@assay/contract'
import type { Judged } from './validation.ts'

export type ItemResult = {
  eventId: string
  outcome: Outcome
  duplicate: boolean
  /** The first event of the same order, if this is a later one. */
  duplicateOf: string
  issues: Verdict['issues']
  name: string
  /** For identify and alias calls: their effect on people, or why it failed. */
  bound?: Binding
  refusal?: Problem
}

type Standing = { kind: 'first'; duplicateOf: string } | { kind: 'repeat'; outcome: Outcome }

/** A repeat gets the first verdict; its issues are its own, unless its verdict would differ now. */
export function toResult(
  { eventId, verdict }: Judged,
  standing: Standing = { kind: 'first', duplicateOf: '' },
): ItemResult {
  const { issues, name } = verdict
  if (standing.kind === 'repeat') {
    const sameIssues = standing.outcome === verdict.outcome ? issues : []
    return { eventId, outcome: standing.outcome, duplicate: true, duplicateOf: '', issues: sameIssues, name }
  }
  const { duplicateOf } = standing
  return { eventId, outcome: verdict.outcome, duplicate: duplicateOf !== '', duplicateOf, issues, name }
}
