export const errorStates = ['open', 'resolved', 'muted', 'regressed'] as const
export type ErrorState = (typeof errorStates)[number]
/** Those that a person sets; the product finds that an error regressed. */
export const errorDecisions = ['open', 'resolved', 'muted'] as const satisfies readonly ErrorState[]
export type ErrorDecision = (typeof errorDecisions)[number]

/** Stage of the shop's funnel in which the error occurred, from the least to the most costly. */
export const funnelStages = ['browse', 'product', 'cart', 'checkout'] as const
export type FunnelStage = (typeof funnelStages)[number]

/** Weights of customer-value segments, for priorities; they are not money. */
export const segmentWeights = { high_ltv: 3.2, medium_ltv: 1.5, low_ltv: 1.0, new_visitor: 0.8 } as const
export const segments = ['high_ltv', 'medium_ltv', 'low_ltv', 'new_visitor'] as const
export type ValueSegment = (typeof segments)[number]

/** Rules per site: each is tried on every fingerprint of every read. */
export const errorRulesMax = 200
/** The longest window of the impact report. */
export const impactDaysMax = 90
/** Groups in one impact report; those that rank behind cost next to nothing. */
export const impactResultsMax = 200
/** With fewer affected sessions no impact is reported. */
export const affectedSessionsMin = 30
export const evidenceLevels = ['strong', 'weak', 'insufficient'] as const
export type EvidenceLevel = (typeof evidenceLevels)[number]
