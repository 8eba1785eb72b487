export * from './analytics/analytics.ts'
export * from './analytics/attribution/jobs.ts'
export {
  type AttributionModel,
  attributionLimits,
  attributionModelOf,
  attributionModels,
  dataDrivenMethods,
  type ExclusionReason,
  exclusionReasons,
  unattributed,
} from './analytics/attribution/models.ts'
export * from './analytics/attribution/outcomes.ts'
export * from './analytics/attribution/policy.ts'
export { ChannelRuleShape } from './analytics/attribution/policy-settings.ts'
export * from './analytics/attribution/report.ts'
export * from './analytics/attribution/touchpoints.ts'
export * from './analytics/errors/error-bounds.ts'
export * from './analytics/errors/groups.ts'
export * from './analytics/errors/impact.ts'
export * from './analytics/errors/impact-routes.ts'
export * from './analytics/errors/order-value.ts'
export * from './analytics/errors/rules.ts'
export * from './analytics/flows.ts'
export * from './analytics/funnels/discovered-funnels.ts'
export * from './analytics/funnels/drop-off.ts'
export {
  type FunnelBreakdown,
  FunnelResult,
  funnelBreakdowns,
  queryFunnel,
} from './analytics/funnels/funnel-query.ts'
export {
  type FunnelOrder,
  FunnelStep,
  funnelOrders,
  funnelStepsMax,
  PropertyCondition,
} from './analytics/funnels/funnel-steps.ts'
export * from './auth/api-keys.ts'
export * from './auth/command-grants.ts'
export * from './auth/sign-in.ts'
export * from './bound-keys.ts'
export * from './client.ts'
export * from './credentials.ts'
export * from './destinations/destinations.ts'
export * from './destinations/notices.ts'
export { type GateCase, judgeCase } from './gate/cases.ts'
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
export { numberIn } from './gate/contracts/coerce.ts'
export { type Break, type Compatibility, isCompatibleChange } from './gate/contracts/compatibility.ts'
export { type CompiledContract, compileContract, compileContracts } from './gate/contracts/compile.ts'
export { contractProblems } from './gate/contracts/contract-problems.ts'
export { currencyCodes } from './gate/contracts/currencies.ts'
export { requireSmallContext } from './gate/envelope/batch-context.ts'
export type { EnvelopeOptions } from './gate/envelope/envelope.ts'
export { readIngest } from './gate/envelope/ingest-envelope.ts'
export { depthMax, jsonBytes } from './gate/envelope/size.ts'
export { type CallType, readTrack, type TrackOptions } from './gate/envelope/track-envelope.ts'
export { readTime } from './gate/envelope/wire-time.ts'
export { type EventReading, withoutAlias } from './gate/envelope/without-alias.ts'
export { boundIssues } from './gate/issue-budget.ts'
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
  omittedCode,
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
export { defaultRules } from './gate/names/default-rules.ts'
export { type CompiledMapping, compileMapping, type MappingRule, ruleOrigins } from './gate/names/mapping.ts'
export { toSnakeCase } from './gate/names/names.ts'
export { normalOrder } from './gate/order-id.ts'
export { describeValue } from './gate/pii/pii-report.ts'
export { isRecord, type RawEvent, type Reading } from './gate/raw-event.ts'
export { isIssueCode, severityErrors } from './gate/severity-errors.ts'
export * from './health/anomalies.ts'
export * from './health/conversion-mismatch.ts'
export * from './health/coverage.ts'
export * from './health/drift.ts'
export * from './health/duplicate-check.ts'
export * from './health/element-fingerprint.ts'
export * from './health/element-match.ts'
export * from './health/event-health.ts'
export * from './health/health.ts'
export * from './health/health-settings.ts'
export * from './health/site-health.ts'
export * from './identity/audiences.ts'
export * from './identity/identifier.ts'
export * from './identity/identity.ts'
export * from './identity/identity-calls.ts'
export * from './identity/identity-limits.ts'
export * from './identity/merge-ledger.ts'
export * from './identity/merges.ts'
export * from './identity/people.ts'
export * from './identity/person.ts'
export * from './identity/person-notes.ts'
export * from './identity/resolution.ts'
export * from './identity/timeline.ts'
export * from './identity/trait-terms.ts'
export * from './ingest/dead-letters.ts'
export * from './ingest/ingest.ts'
export * from './ingest/other-clients/other-clients.ts'
export * from './ingest/other-clients/posthog.ts'
export * from './ingest/other-clients/product-trackers.ts'
export * from './ingest/other-clients/rudder.ts'
export * from './ingest/other-clients/web-trackers.ts'
export * from './ingest/quarantine.ts'
export * from './ingest/recent-events.ts'
export * from './ingest/replays.ts'
export * from './ingest/tracking-spec.ts'
export * from './ingest/webhook-providers.ts'
export * from './ingest/webhooks.ts'
export * from './maxima.ts'
export * from './mcp.ts'
export * from './number-text.ts'
export { type Addresses, openApi } from './openapi.ts'
export * from './printed-text.ts'
export * from './privacy/consent.ts'
export * from './privacy/event-retention.ts'
export * from './privacy/privacy.ts'
export * from './problems.ts'
export { Answer, type AnswerRow, missingRateWords } from './questions/answer.ts'
export { unknownDimension } from './questions/filters/comparison.ts'
export * from './questions/filters/condition.ts'
export { readFilters, readGoalFilters } from './questions/filters/filter-reader.ts'
export * from './questions/filters/filters.ts'
export { type Refuse, wrongMembers } from './questions/filters/member-checks.ts'
export * from './questions/metric-words.ts'
export * from './questions/path-pattern.ts'
export { type EventMetric, type FormulaMetric, type Metric, Question } from './questions/question.ts'
export * from './questions/question-formula.ts'
export * from './questions/question-limits.ts'
export * from './questions/question-pattern.ts'
export * from './questions/question-shapes.ts'
export * from './questions/question-terms.ts'
export * from './questions/questions.ts'
export * from './questions/reader/question-reader.ts'
export type { ReadMetric, ReadQuestion } from './questions/reader/read-question.ts'
export * from './questions/sql.ts'
export * from './questions/sql-examples.ts'
export * from './questions/sql-tables.ts'
export * from './questions/suggestions.ts'
export * from './reads.ts'
export * from './registry/backfills.ts'
export * from './registry/catalog.ts'
export * from './registry/contracts/contract.ts'
export * from './registry/contracts/contract-draft.ts'
export { PropertyRuleShape } from './registry/contracts/contract-fields.ts'
export * from './registry/contracts/contract-replay.ts'
export * from './registry/event-contract.ts'
export * from './registry/event-definitions.ts'
export * from './registry/generated-code.ts'
export * from './registry/mappings.ts'
export * from './registry/packs.ts'
export * from './registry/proposals.ts'
export * from './registry/registry.ts'
export * from './registry/registry-changes.ts'
export * from './registry/severities.ts'
export * from './registry/validation.ts'
export { Alert } from './reports/alerts/alert.ts'
export * from './reports/alerts/alert-condition.ts'
export { AlertQuestion } from './reports/alerts/alert-question.ts'
export {
  type AlertDirection,
  type AlertInterval,
  type AlertSensitivity,
  alertIntervals,
  alertLimits,
  alertSensitivities,
  alertStates,
} from './reports/alerts/alert-terms.ts'
export * from './reports/alerts/alerts.ts'
export * from './reports/alerts/firings.ts'
export * from './reports/alerts/previews.ts'
export * from './reports/annotations.ts'
export * from './reports/boards.ts'
export * from './reports/digests.ts'
export * from './reports/goals.ts'
export * from './reports/reports.ts'
export * from './reports/shares.ts'
export * from './route.ts'
export { routes } from './routes.ts'
export * from './shapes.ts'
export * from './sites/exchange-rates.ts'
export * from './sites/installations.ts'
export * from './sites/sites.ts'
export * from './text.ts'
export * from './vendors/index.ts'
export * from './workspaces/audit-log.ts'
export * from './workspaces/demo.ts'
export * from './workspaces/invitations.ts'
export * from './workspaces/members.ts'
export * from './workspaces/transfers.ts'
export * from './workspaces/usage.ts'
export * from './workspaces/workspaces.ts'
