import { explainOutcome as explainRoute } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

export const explainOutcome = tool({
  name: 'explain_outcome',
  title: 'Explain an outcome',
  description:
    'Why a purchase, sign-up or other outcome was credited as it was: the touchpoints that were considered, with ' +
    'their credit, those that were left out with the reason, the live model, and what each other model would ' +
    'have given. Takes the event_id of the outcome.',
  input: Type.Object(
    { outcome_id: Type.String({ minLength: 1, maxLength: 200, description: 'event_id of the outcome' }) },
    { additionalProperties: false },
  ),
  output: explainRoute.success.body,
  effect: 'reads',
  run: ({ outcome_id }, { client }) => client.call(explainRoute, { params: { outcomeId: outcome_id } }),
})
