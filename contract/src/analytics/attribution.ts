import { type Static, type TSchema, Type } from 'typebox'
import { consentCategories } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, PersonReference, paging, SnakePage, Time } from '../shapes.ts'
import { RateUsed } from '../sites/exchange-rates.ts'

export const attributionModels = ['first', 'last', 'linear', 'time_decay', 'position', 'data_driven'] as const
export type AttributionModel = (typeof attributionModels)[number]
/** The accepted spellings: with a hyphen too. */
const acceptedModels = [...attributionModels, 'time-decay', 'data-driven'] as const

export function attributionModelOf(accepted: (typeof acceptedModels)[number]): AttributionModel {
  if (accepted === 'time-decay') return 'time_decay'
  return accepted === 'data-driven' ? 'data_driven' : accepted
}
export const dataDrivenMethods = ['markov', 'shapley', 'counterfactual'] as const
export const exclusionReasons = [
  'outside_window',
  'after_outcome',
  'bot',
  'consent_denied',
  'channel_excluded',
  'direct_ignored',
  'duplicate_of',
] as const
export type ExclusionReason = (typeof exclusionReasons)[number]
export const sourceCategories = ['search', 'social', 'video', 'shopping', 'ai', 'email', 'other'] as const

/** Where the credit of an outcome without touchpoints is reported. */
export const unattributed = 'Unattributed'

export const attributionLimits = {
  lookbackDaysMax: 90,
  /** Longest range of one computation or report. */
  rangeDaysMax: 400,
  rulesMax: 100,
  /** A dry run covers the latest of these days. */
  dryRunDays: 30,
  touchpointsMax: 1_000,
} as const

const Nullable = <Shape extends TSchema>(shape: Shape) => Type.Union([shape, Type.Null()])
const Pattern = Type.String({ maxLength: 200 })
const Patterns = Type.Optional(Type.Array(Pattern, { minItems: 1, maxItems: 200 }))

/** Every given field must match one of its patterns, in which `*` matches any text. */
export const ChannelMatchShape = Type.Object(
  {
    source: Patterns,
    medium: Patterns,
    campaign: Patterns,
    category: Type.Optional(Type.Array(OneOf(sourceCategories), { minItems: 1, maxItems: 7 })),
    clickIdType: Patterns,
  },
  { additionalProperties: false },
)

/** In order; the first rule with a match names the channel. */
export const ChannelRuleShape = Type.Object(
  {
    channel: Type.String({ minLength: 1, maxLength: 80, pattern: '^[^\\u0000-\\u001f]+$' }),
    anyOf: Type.Array(ChannelMatchShape, { minItems: 1, maxItems: 50 }),
  },
  { additionalProperties: false },
)

const Share = Type.Number({ minimum: 0, maximum: 1 })
const settings = {
  model: OneOf(attributionModels),
  data_driven: OneOf(dataDrivenMethods, { description: 'How the data-driven model learns' }),
  lookback_days: Type.Integer({ minimum: 1, maximum: attributionLimits.lookbackDaysMax }),
  half_life_days: Type.Number({ minimum: 1 / 24, maximum: 90 }),
  position: Type.Object({ first: Share, last: Share }, { additionalProperties: false }),
  touchpoint_rules: Nullable(
    Type.Array(ChannelRuleShape, {
      minItems: 1,
      maxItems: attributionLimits.rulesMax,
      description: 'Channels by rules of your own, from the top; null for the default grouping',
    }),
  ),
  ignore_direct: Type.Boolean({ description: 'Leave direct visits out unless there is nothing else' }),
  outcome_events: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 50 }),
  outcome_source: OneOf(['any', 'server'], {
    description: 'server: only what a secret key or a verified webhook sent is an outcome',
  }),
  exclude_channels: Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 50 }),
  dedupe_window_min: Type.Integer({ minimum: 0, maximum: 1_440 }),
  consent_required: Nullable(
    OneOf(consentCategories, { description: 'What must have been granted when a touchpoint happened' }),
  ),
}

export const AttributionPolicy = Type.Object({
  version: Type.Integer({ description: '0 until a policy is set' }),
  ...settings,
  created_at: Nullable(Time),
})
export type AttributionPolicy = Static<typeof AttributionPolicy>
export type PolicySettings = Omit<AttributionPolicy, 'version' | 'created_at'>

const Credits = Type.Object({
  first: Type.Number(),
  last: Type.Number(),
  linear: Type.Number(),
  time_decay: Type.Number(),
  position: Type.Number(),
  data_driven: Type.Number(),
})

export const PolicyPreview = Type.Object({
  dry_run: Type.Literal(true),
  policy: AttributionPolicy,
  period: Type.Object({ from: Time, to: Time }),
  outcomes: Type.Object({ before: Type.Integer(), after: Type.Integer() }),
  channels: Type.Array(
    Type.Object({
      channel: Type.String(),
      before: Type.Number(),
      after: Type.Number(),
      change: Type.Number(),
    }),
  ),
})

const problems = ['unauthenticated', 'insufficient-scope'] as const
const base = { plane: 'control', tag: 'Attribution' } as const
const reads = { ...base, access: 'read', scope: 'attribution:read', rate: 'controlRead' } as const
const writes = { ...base, access: 'write', scope: 'attribution:write', rate: 'controlWrite' } as const

export const getAttributionPolicy = route({
  ...reads,
  id: 'getAttributionPolicy',
  method: 'GET',
  path: '/v1/attribution/policy',
  summary: 'The live attribution policy, or an earlier version',
  query: Type.Object(
    { version: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: AttributionPolicy },
  problems: [...problems, 'not-found'],
})

export const setAttributionPolicy = route({
  ...writes,
  id: 'setAttributionPolicy',
  method: 'POST',
  path: '/v1/attribution/policy',
  summary: 'Define or update the attribution policy',
  description:
    'What is left out keeps its value. Every change is a new version. With `dry_run` nothing is kept, and the answer ' +
    'is the change of credit per channel over the last 30 days.',
  body: Type.Object(
    {
      ...Type.Partial(Type.Object(settings)).properties,
      model: Type.Optional(OneOf(acceptedModels)),
      dry_run: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: AttributionPolicy },
  otherSuccess: { status: 200, body: PolicyPreview },
  audit: { action: 'attribution_policy.changed', details: ['version', 'model'] },
  problems,
})

const Day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description })
const range = {
  from: Day('The first day, in UTC'),
  to: Day('The last day, in UTC; it is part of the range'),
}

export const jobStatuses = ['queued', 'running', 'done', 'failed'] as const
export const AttributionJob = Type.Object({
  id: Type.String(),
  status: OneOf(jobStatuses),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  from: Type.String(),
  to: Type.String(),
  policy_version: Nullable(Type.Integer()),
  days_computed: Type.Integer({ description: 'Days whose outcomes were looked at' }),
  days_unchanged: Type.Integer({ description: 'Days for which nothing changed since they were computed' }),
  outcomes: Type.Integer(),
  detail: Nullable(Type.String()),
  created_at: Time,
  finished_at: Nullable(Time),
})
export type AttributionJob = Static<typeof AttributionJob>

export const computeAttribution = route({
  ...writes,
  id: 'computeAttribution',
  method: 'POST',
  path: '/v1/attribution/compute',
  summary: 'Recompute attribution for a date range',
  description:
    'Runs as a job. Only days are computed that are new, or for which events, people, consent or the policy changed.',
  body: Type.Object(range, { additionalProperties: false }),
  success: { status: 202, body: Type.Object({ job_id: Type.String(), status: OneOf(jobStatuses) }) },
  audit: { action: 'attribution.computed', details: ['from', 'to', 'job_id'] },
  problems,
})

export const getAttributionJob = route({
  ...reads,
  id: 'getAttributionJob',
  method: 'GET',
  path: '/v1/attribution/jobs/:id',
  summary: 'How far a computation is',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  success: { status: 200, body: AttributionJob },
  problems: [...problems, 'not-found'],
})

export const Touchpoint = Type.Object({
  id: Type.String({ description: 'The event that it was' }),
  at: Time,
  site_id: Type.String(),
  channel: Type.String(),
  source: Type.String(),
  medium: Type.String(),
  campaign: Type.String(),
  click_id_type: Type.String(),
  referrer_host: Type.String(),
  person_id: Type.String({ description: 'The original person of the event' }),
})
export type Touchpoint = Static<typeof Touchpoint>

const Excluded = Type.Object({
  touchpoint: Touchpoint,
  reason: OneOf(exclusionReasons),
  duplicate_of: Nullable(Type.String()),
})

export const getTouchpoints = route({
  ...reads,
  scope: 'identity:read',
  id: 'getTouchpoints',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/touchpoints/:personId',
  summary: 'Touchpoints considered for a person',
  description: `The latest ${attributionLimits.touchpointsMax}, as the live policy sees them now: what it would leave out says why.`,
  params: Type.Object({ personId: PersonReference }),
  success: {
    status: 200,
    body: Type.Object({
      person_id: Type.String(),
      policy_version: Type.Integer(),
      considered: Type.Array(Touchpoint),
      excluded: Type.Array(Excluded),
    }),
  },
  problems: [...problems, 'not-found'],
})

export const FitShape = Type.Object({
  method: OneOf([...dataDrivenMethods, 'fallback']),
  conversions: Type.Integer(),
  non_converting: Type.Integer(),
  channels: Type.Integer(),
  fallback_reason: Nullable(Type.String({ description: 'Why the position model stands in' })),
  approximation: Nullable(Type.String({ description: 'How a model of all paths is applied to one' })),
  removal_effects: Nullable(Dictionary(Type.Number())),
  base_rate: Nullable(Type.Number()),
  fitted_at: Nullable(Time),
})

const outcome = {
  id: Type.String(),
  event: Type.String(),
  at: Time,
  site_id: Type.String(),
  amount: Nullable(Type.Number()),
  currency: Type.String(),
}

export const ListedOutcome = Type.Object({
  ...outcome,
  person_id: Type.String({ description: 'Whom it belongs to now' }),
})
export type ListedOutcome = Static<typeof ListedOutcome>

export const listOutcomes = route({
  ...reads,
  scope: 'identity:read',
  id: 'listOutcomes',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/outcomes',
  summary: 'Outcomes of a site, newest first',
  description: 'What the live policy counts as one, computed or not. Each can be explained by its id.',
  query: Type.Object(
    {
      ...range,
      site_id: Type.String({ maxLength: 64 }),
      limit: paging.limit,
      // Contains a time and an event id of 200 characters.
      cursor: Type.Optional(Type.String({ maxLength: 1_200, description: 'next_cursor of the page before' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(ListedOutcome) },
  problems: [...problems, 'not-found'],
})

export const Explanation = Type.Object({
  outcome: Type.Object(outcome),
  policy_version: Type.Integer(),
  model: OneOf(attributionModels),
  window: Type.Object({ from: Time, to: Time }),
  considered: Type.Array(
    Type.Object({ touchpoint: Touchpoint, credit: Type.Number(), alternatives: Credits }),
  ),
  excluded: Type.Array(Excluded),
  unattributed: Type.Number({ description: '1 where no touchpoint may have the credit, else 0' }),
  alternatives: Dictionary(Dictionary(Type.Number()), {
    description: 'For each of the six models, the credit of each channel',
  }),
  data_driven: FitShape,
  identity: Type.Object({
    person_id: Type.String(),
    original_person: Type.String({ description: 'The original person of the outcome' }),
    people: Type.Array(
      Type.Object({ person_id: Type.String(), type: Type.String(), confidence: Type.String() }),
      { description: 'All people merged with them now, and with what confidence' },
    ),
  }),
  computed: Nullable(
    Type.Object({
      policy_version: Type.Integer(),
      touchpoints: Type.Array(Type.String()),
      is_current: Type.Boolean({ description: 'Whether the report was made from the same touchpoints' }),
    }),
  ),
})
export type Explanation = Static<typeof Explanation>

export const explainOutcome = route({
  ...reads,
  scope: 'identity:read',
  id: 'explainOutcome',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/explain/:outcomeId',
  summary: 'Explanation trace for one outcome',
  params: Type.Object({ outcomeId: Type.String({ maxLength: 200 }) }),
  success: { status: 200, body: Explanation },
  problems: [...problems, 'not-found'],
})

const CurrencyValues = Type.Object({ currency: Type.String(), ...Credits.properties })
export const AttributionReport = Type.Object({
  period: Type.Object({ from: Type.String(), to: Type.String() }),
  policy_version: Type.Integer(),
  model: OneOf(attributionModels),
  group_by: OneOf(['channel', 'campaign', 'source']),
  outcomes: Type.Integer(),
  values: Type.Array(Type.Object({ currency: Type.String(), amount: Type.Number() })),
  exchange_rates: Type.Array(RateUsed, {
    description:
      'Amounts in these currencies are converted to that of the site, or for all sites in the base of the rates',
  }),
  rows: Type.Array(
    Type.Object({
      key: Type.String(),
      touchpoints: Type.Integer(),
      credits: Credits,
      values: Type.Array(CurrencyValues, { description: 'Amounts, one row a currency; never added up' }),
    }),
  ),
  data_driven: FitShape,
  days: Type.Object({
    computed: Type.Integer(),
    outdated: Type.Integer({ description: 'Computed under an earlier policy, or before something changed' }),
    missing: Type.Integer(),
  }),
})
export type AttributionReport = Static<typeof AttributionReport>

export const getAttributionReport = route({
  ...reads,
  id: 'getAttributionReport',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/report',
  summary: 'Credit by channel, campaign or source, models side by side',
  query: Type.Object(
    {
      ...range,
      group_by: Type.Optional(OneOf(['channel', 'campaign', 'source'])),
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
      event: Type.Optional(Type.String({ maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: AttributionReport },
  problems: [...problems, 'not-found'],
})

export const attributionRoutes = [
  getAttributionPolicy,
  setAttributionPolicy,
  computeAttribution,
  getAttributionJob,
  getTouchpoints,
  listOutcomes,
  explainOutcome,
  getAttributionReport,
] as const
