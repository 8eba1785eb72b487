import type { Binding, Outcome, Problem, Verdict } from '@assay/contract'
import type { Judged } from './validation.ts'

export type ItemResult = {
  eventId: string
  outcome: Outcome
  duplicate: boolean
  /** The first sighting of the same order, when this is a later one. */
  duplicateOf: string
  issues: Verdict['issues']
  name: string
  /** Of a call that is about people: what it did to them, or why it could not. */
  bound?: Binding
  refusal?: Problem
}

type Standing = { kind: 'first'; duplicateOf: string } | { kind: 'repeat'; outcome: Outcome }

/** A repeat answers the first verdict; its issues are this copy's own, unless it would be judged otherwise now. */
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
