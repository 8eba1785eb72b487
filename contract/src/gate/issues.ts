import type { Outcome } from '../registry/event-contract.ts'
import { cut } from '../text.ts'

type IssueRule = {
  /** The outcome unless the workspace or contract sets another. */
  severity: Outcome
  /** The mildest outcome that a workspace or contract may set. */
  floor: Outcome
}

/**
 * Every code of the gate. The floors: what cannot be read, exceeds a limit or must not be stored by law stays
 * refused in every workspace; a `$` name and leaked personal data may be softened, never ignored.
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
  counted_as_bot: { severity: 'accept', floor: 'accept' },
} as const satisfies Record<string, IssueRule>

export type IssueCode = keyof typeof issueRules
export type Severities = Readonly<Partial<Record<string, Outcome>>>

export const gatePresets = ['learning', 'strict'] as const
export type GatePreset = (typeof gatePresets)[number]
/** A new workspace counts unknown events; strict is for workspaces that have registered theirs. */
export const defaultPreset: GatePreset = 'learning'

/** Where a preset is milder than `issueRules`. */
const presetSeverities: Readonly<Record<GatePreset, Readonly<Partial<Record<IssueCode, Outcome>>>>> = {
  learning: { unknown_event: 'warn', invalid_name: 'warn' },
  strict: {},
}

/** The codes that strict quarantines and learning counts. */
export const learningCodes: readonly IssueCode[] = ['unknown_event', 'invalid_name']

/** The outcome of an issue in a workspace that did not set its severity. */
export function presetSeverity(preset: GatePreset, code: IssueCode): Outcome {
  return presetSeverities[preset][code] ?? issueRules[code].severity
}

/** The settings of a workspace: its preset, and the severities it set. */
export type GatePolicy = { preset?: GatePreset; severities?: Severities }

/** What is wrong, before its severity is known. */
export type Finding = {
  code: IssueCode
  /** Path of the member concerned, such as `items[2].qty`. */
  field: string
  /** What to do, for the sender. */
  message: string
  expected: string | null
  actual: string | null
}

/** Added last if issues were left out, with their number. */
export const omittedCode = 'issues_omitted'

export type Issue = Omit<Finding, 'code'> & { code: IssueCode | typeof omittedCode; severity: Outcome }

export const severityRanks: Readonly<Record<Outcome, number>> = {
  accept: 0,
  warn: 1,
  quarantine: 2,
  reject: 3,
}

export function isWorse(left: Outcome, right: Outcome): boolean {
  return severityRanks[left] > severityRanks[right]
}

/** A hostile event could break a rule in each of thousands of array elements; the answer stays small. */
export const issuesMax = 50
/** Enough of a path or a value to recognise it. */
const shownCharactersMax = 120
/** Our own text, with a path or two in it. */
const messageCharactersMax = 400
/** Issues of one event may take this much plus the size of the event. A usual issue has 250 characters. */
export const issueCharactersBase = 4_000
/** Member names and quotes of one issue as JSON. */
const issueFrameCharacters = 90

/** The issues of one event while it is checked. */
export type Findings = {
  issues: Issue[]
  worst: Outcome
  /** Number of issues left out. */
  omitted: number
  charactersLeft: number
  policy: GatePolicy
  contractSeverities: Severities | undefined
}

export function openFindings(
  policy: GatePolicy,
  contract: Severities | undefined,
  eventCharacters: number,
): Findings {
  return {
    issues: [],
    worst: 'accept',
    omitted: 0,
    charactersLeft: issueCharactersBase + eventCharacters,
    policy,
    contractSeverities: contract,
  }
}

/** A contract's severity takes precedence over the workspace's, and that over the preset. */
export function severityIn(policy: GatePolicy, contract: Severities | undefined, code: IssueCode): Outcome {
  const { severities, preset = defaultPreset } = policy
  const usual = presetSeverity(preset, code)
  const wished = contract?.[code] ?? severities?.[code] ?? usual
  // A severity may come from stored JSON; unknown values are ignored.
  if (severityRanks[wished] === undefined) return usual
  const { floor } = issueRules[code]
  return isWorse(floor, wished) ? floor : wished
}

export function severityOf({ policy, contractSeverities }: Findings, code: IssueCode): Outcome {
  return severityIn(policy, contractSeverities, code)
}

/** Reports something that does not change the outcome; `report` would leave it out. */
export function note(findings: Findings, finding: Finding): void {
  const severity = severityOf(findings, finding.code)
  if (severity !== 'accept') report(findings, finding, severity)
  else add(findings, finding, severity)
}

/** Returns whether there was space. */
function add(findings: Findings, finding: Finding, severity: Outcome): boolean {
  if (findings.issues.length >= issuesMax || findings.charactersLeft <= 0) {
    findings.omitted += 1
    return false
  }
  const issue = shown(finding, severity)
  findings.issues.push(issue)
  findings.charactersLeft -= charactersOf(issue)
  return true
}

/** Records a finding; `accept` is not an issue and is left out. The first of the worst always stays. */
export function report(
  findings: Findings,
  finding: Finding,
  severity = severityOf(findings, finding.code),
): void {
  if (severity === 'accept') return
  const isWorst = isWorse(severity, findings.worst)
  if (isWorst) findings.worst = severity
  if (add(findings, finding, severity) || !isWorst) return
  const issue = shown(finding, severity)
  findings.issues[findings.issues.length - 1] = issue
  findings.charactersLeft -= charactersOf(issue)
}

/** All reported issues; the last one has the number of those left out. */
export function issuesOf({ issues, omitted }: Findings): readonly Issue[] {
  return omitted === 0 ? issues : [...issues, omittedIssue(omitted)]
}

function omittedIssue(count: number): Issue {
  return {
    code: omittedCode,
    severity: 'accept',
    field: '',
    message: `Correct the issues above and send the event again: ${count} more were left out of this list.`,
    expected: null,
    actual: `${count} more issues`,
  }
}

/** For an issue in brief. */
const briefFieldCharactersMax = 60
const briefMessageCharactersMax = 160

/**
 * As many issues as fit into the given number of characters, in order. The one that decided the outcome is
 * always included, in brief if necessary, and the last one has the number of those left out.
 */
export function fewerIssues(issues: readonly Issue[], charactersMax: number): readonly Issue[] {
  const [first] = issues
  if (first === undefined || issueCharacters(issues) <= charactersMax) return issues
  const deciding = issues.reduce((worst, one) => (isWorse(one.severity, worst.severity) ? one : worst), first)
  const isBrief = charactersOf(deciding) > charactersMax
  let left = charactersMax - charactersOf(deciding)
  let omitted = 0
  const kept = issues.flatMap((issue): Issue[] => {
    if (issue === deciding) return [isBrief ? briefly(issue) : issue]
    left -= charactersOf(issue)
    if (left >= 0 && issue.code !== omittedCode) return [issue]
    omitted += countOf(issue)
    return []
  })
  return omitted === 0 ? kept : [...kept, omittedIssue(omitted)]
}

function briefly({ code, severity, field, message }: Issue): Issue {
  return {
    code,
    severity,
    field: cut(field, briefFieldCharactersMax),
    message: cut(message, briefMessageCharactersMax),
    expected: null,
    actual: null,
  }
}

/** Number of issues that one represents. */
function countOf({ code, actual }: Issue): number {
  return code === omittedCode ? Number.parseInt(actual ?? '', 10) || 1 : 1
}

export function issueCharacters(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + charactersOf(issue), 0)
}

/** Approximate size of an issue in an answer or a row. */
function charactersOf({ field, message, expected, actual }: Issue): number {
  const described = (expected?.length ?? 0) + (actual?.length ?? 0)
  return issueFrameCharacters + field.length + message.length + described
}

function shown(finding: Finding, severity: Outcome): Issue {
  const { code, field, message, expected, actual } = finding
  return {
    code,
    field: cut(field, shownCharactersMax),
    message: cut(message, messageCharactersMax),
    expected: expected === null ? null : cut(expected, messageCharactersMax),
    actual: actual === null ? null : cut(actual, shownCharactersMax),
    severity,
  }
}
