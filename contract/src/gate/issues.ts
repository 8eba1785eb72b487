import type { Outcome } from '../event-contract.ts'

type IssueRule = {
  /** What the issue leads to when neither workspace nor contract says otherwise. */
  severity: Outcome
  /** The mildest that a workspace or contract may make of it. */
  floor: Outcome
}

/**
 * Every code the gate can give. The floors: what cannot be read, would burst a limit or must not be kept by law
 * stays refused whatever a workspace wishes; a `$` name and leaked personal data may be softened, never silenced.
 */
export const issueRules = {
  malformed_event: { severity: 'reject', floor: 'reject' },
  missing_identifier: { severity: 'reject', floor: 'accept' },
  event_too_large: { severity: 'reject', floor: 'reject' },
  reserved_name: { severity: 'reject', floor: 'quarantine' },
  invalid_name: { severity: 'quarantine', floor: 'accept' },
  unknown_event: { severity: 'quarantine', floor: 'accept' },
  required_missing: { severity: 'reject', floor: 'accept' },
  mapping_incomplete: { severity: 'quarantine', floor: 'accept' },
  mapping_conflict: { severity: 'warn', floor: 'accept' },
  type_coerced: { severity: 'warn', floor: 'accept' },
  type_mismatch: { severity: 'reject', floor: 'accept' },
  unexpected_type: { severity: 'warn', floor: 'accept' },
  value_not_allowed: { severity: 'quarantine', floor: 'accept' },
  unexpected_property: { severity: 'accept', floor: 'accept' },
  deprecated_key: { severity: 'warn', floor: 'accept' },
  title_missing: { severity: 'warn', floor: 'accept' },
  pii_detected: { severity: 'quarantine', floor: 'warn' },
  invalid_time: { severity: 'warn', floor: 'accept' },
  future_time: { severity: 'warn', floor: 'accept' },
  historical_ignored: { severity: 'warn', floor: 'accept' },
  too_old: { severity: 'quarantine', floor: 'accept' },
  consent_denied: { severity: 'reject', floor: 'reject' },
  suppressed: { severity: 'reject', floor: 'reject' },
} as const satisfies Record<string, IssueRule>

export type IssueCode = keyof typeof issueRules
export type Severities = Readonly<Partial<Record<string, Outcome>>>

/** What is wrong, before it is known how much it matters. */
export type Finding = {
  code: IssueCode
  /** Path of the member concerned, such as `items[2].qty`. */
  field: string
  /** Says what to do, in words for the sender. */
  message: string
  expected: string | null
  actual: string | null
}

export type Issue = Finding & { severity: Outcome }

export const severityRanks: Readonly<Record<Outcome, number>> = {
  accept: 0,
  warn: 1,
  quarantine: 2,
  reject: 3,
}

export function isWorse(left: Outcome, right: Outcome): boolean {
  return severityRanks[left] > severityRanks[right]
}

/** A hostile event could break a rule in each of thousands of array elements; the answer stays readable and small. */
export const issuesMax = 50

/** The issues of one event as they are found. */
export type Findings = {
  issues: Issue[]
  worst: Outcome
  workspaceSeverities: Severities | undefined
  contractSeverities: Severities | undefined
}

export function openFindings(workspace: Severities | undefined, contract: Severities | undefined): Findings {
  return { issues: [], worst: 'accept', workspaceSeverities: workspace, contractSeverities: contract }
}

export function severityOf(findings: Findings, code: IssueCode): Outcome {
  const rule = issueRules[code]
  const wished = findings.contractSeverities?.[code] ?? findings.workspaceSeverities?.[code] ?? rule.severity
  // A severity may come from stored JSON; a word that is no outcome counts for nothing.
  if (severityRanks[wished] === undefined) return rule.severity
  return isWorse(rule.floor, wished) ? rule.floor : wished
}

/** Records a finding; one whose severity is `accept` is no issue and is left out. */
export function report(
  findings: Findings,
  finding: Finding,
  severity = severityOf(findings, finding.code),
): void {
  if (severity === 'accept') return
  if (isWorse(severity, findings.worst)) findings.worst = severity
  if (findings.issues.length < issuesMax) findings.issues.push({ ...finding, severity })
}
