export * from './alerts.ts'
export * from './analytics.ts'
export * from './annotations.ts'
export * from './api-keys.ts'
export * from './attribution.ts'
export * from './audiences.ts'
export * from './audit-log.ts'
export * from './backfills.ts'
export * from './boards.ts'
export * from './bound-keys.ts'
export * from './catalog.ts'
export * from './client.ts'
export * from './command-grants.ts'
export * from './consent.ts'
export * from './credentials.ts'
export * from './dead-letters.ts'
export * from './demo.ts'
export * from './destinations.ts'
export * from './digests.ts'
export * from './drift.ts'
export * from './element-fingerprint.ts'
export * from './element-match.ts'
export * from './errors.ts'
export * from './event-contract.ts'
export * from './event-definitions.ts'
export * from './event-retention.ts'
export * from './exchange-rates.ts'
export * from './filters.ts'
export * from './flows.ts'
export * from './funnels.ts'
export { requireSmallContext } from './gate/batch-context.ts'
export { type GateCase, judgeCase } from './gate/cases.ts'
export { numberIn } from './gate/coerce.ts'
export { type Break, type Compatibility, isCompatibleChange } from './gate/compatibility.ts'
export { type CompiledContract, compileContract, compileContracts } from './gate/compile.ts'
export {
  type ConsentChoice,
  type ConsentFacts,
  type ConsentInForce,
  type ConsentRegime,
  type ConsentStatement,
  consentChoices,
  consentFor,
  consentInContext,
  consentInput,
  consentOfAll,
  consentRegimes,
  isAdCategory,
  nothingStated,
} from './gate/consent.ts'
export { type ContractProblem, contractProblems } from './gate/contract-problems.ts'
export { currencyCodes } from './gate/currencies.ts'
export { defaultRules } from './gate/default-rules.ts'
export type { EnvelopeOptions } from './gate/envelope.ts'
export { readIngest } from './gate/ingest-envelope.ts'
export { answerIssueCharactersBase, boundIssues } from './gate/issue-budget.ts'
export {
  defaultPreset,
  type Finding,
  fewerIssues,
  type GatePolicy,
  type GatePreset,
  gatePresets,
  type IssueCode,
  issueCharacters,
  issueRules,
  learningCodes,
  presetSeverity,
  type Severities,
  severityRanks,
} from './gate/issues.ts'
export {
  type BotReason,
  botReasons,
  type ConsentInput,
  judgeReading,
  type Known,
  type Verdict,
  withoutIdentifiers,
} from './gate/judge.ts'
export { type CompiledMapping, compileMapping, type MappingRule } from './gate/mapping.ts'
export { toSnakeCase } from './gate/names.ts'
export { normalOrder } from './gate/order-id.ts'
export { describeValue } from './gate/pii-report.ts'
export { isRecord, type RawEvent, type Reading } from './gate/raw-event.ts'
export { isIssueCode, severityErrors } from './gate/severity-errors.ts'
export { depthMax, jsonBytes } from './gate/size.ts'
export { type CallType, readTrack, type TrackOptions } from './gate/track-envelope.ts'
export { readTime } from './gate/wire-time.ts'
export { type EventReading, withoutAlias } from './gate/without-alias.ts'
export * from './goals.ts'
export * from './health.ts'
export * from './identifier.ts'
export * from './identity.ts'
export * from './ingest.ts'
export * from './installations.ts'
export * from './invitations.ts'
export * from './mappings.ts'
export * from './maxima.ts'
export * from './mcp.ts'
export * from './members.ts'
export * from './notices.ts'
export * from './number-text.ts'
export { type Addresses, openApi } from './openapi.ts'
export * from './other-clients.ts'
export * from './path-pattern.ts'
export * from './people.ts'
export * from './person-notes.ts'
export * from './printed-text.ts'
export * from './privacy.ts'
export * from './problems.ts'
export * from './proposals.ts'
export * from './quarantine.ts'
export * from './question-filters.ts'
export * from './question-formula.ts'
export * from './question-pattern.ts'
export * from './question-reader.ts'
export * from './question-shapes.ts'
export * from './question-terms.ts'
export * from './questions.ts'
export * from './reads.ts'
export * from './recent-events.ts'
export * from './registry.ts'
export * from './registry-changes.ts'
export * from './replays.ts'
export * from './reports.ts'
export * from './route.ts'
export { routes } from './routes.ts'
export * from './severities.ts'
export * from './shapes.ts'
export * from './shares.ts'
export * from './sign-in.ts'
export * from './site-health.ts'
export * from './sites.ts'
export * from './text.ts'
export * from './tracking-spec.ts'
export * from './trait-terms.ts'
export * from './transfers.ts'
export * from './usage.ts'
export * from './vendors/index.ts'
export * from './webhook-providers.ts'
export * from './webhooks.ts'
export * from './workspaces.ts'
