import type { FieldError } from '../problems.ts'
import type { Outcome } from '../registry/event-contract.ts'
import { type IssueCode, issueRules, severityRanks } from './issues.ts'

export function isIssueCode(text: string): text is IssueCode {
  return Object.hasOwn(issueRules, text)
}

/** Why severities cannot be set: unknown codes, and outcomes milder than a code allows. */
export function severityErrors(
  severities: Readonly<Record<string, Outcome | null>>,
  prefix = '',
): FieldError[] {
  return Object.entries(severities).flatMap(([code, outcome]): FieldError[] => {
    const field = `${prefix}${code}`
    if (!isIssueCode(code)) return [{ field, message: 'is no code of the gate' }]
    const { floor } = issueRules[code]
    if (outcome === null || severityRanks[outcome] >= severityRanks[floor]) return []
    return [{ field, message: `can be made ${floor} at mildest`, expected: floor, actual: outcome }]
  })
}
