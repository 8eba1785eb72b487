import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { Dictionary, Nullable, OneOf, paging, SnakePage, Time } from '../../shapes.ts'
import { range, reads } from './access.ts'
import { attributionModels, Credits, dataDrivenMethods } from './models.ts'
import { Excluded, Touchpoint } from './touchpoints.ts'

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

const ListedOutcome = Type.Object({
  ...outcome,
  person_id: Type.String({ description: 'Whom it belongs to now' }),
})

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
  problems: lookupProblems,
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
  problems: lookupProblems,
})
