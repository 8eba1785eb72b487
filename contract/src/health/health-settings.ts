import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Time } from '../shapes.ts'
import { reads, writes } from './access.ts'

const settings = {
  score_alone: Type.Number({
    minimum: 3,
    maximum: 50,
    description:
      'One hour this far off is an anomaly; of some hours together, 0.65 of it below what is expected',
  }),
  score_twice: Type.Number({ minimum: 2, maximum: 50, description: 'Or two hours in a row' }),
  change_least: Type.Number({ minimum: 0.05, maximum: 5, description: 'And a change of at least this part' }),
  alerts_per_week: Type.Integer({ minimum: 0, maximum: 1_000 }),
  quarantine_share: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description:
      'The notice quarantine.threshold is sent when this share of an event’s arrivals is quarantined',
  }),
  quarantine_least: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'And at least so many are' }),
}
export const HealthSettings = Type.Object(settings)
export type HealthSettings = Static<typeof HealthSettings>

export const getHealthSettings = route({
  ...reads,
  id: 'getHealthSettings',
  method: 'GET',
  path: '/v1/health/settings',
  summary: 'How events are watched',
  success: { status: 200, body: HealthSettings },
  problems: lookupProblems,
})

export const setHealthSettings = route({
  ...writes,
  id: 'setHealthSettings',
  method: 'POST',
  path: '/v1/health/settings',
  summary: 'Change how events are watched, or try it on history',
  description:
    'What is left out keeps its value. With `dry_run` nothing is kept, and the answer is what the last weeks would ' +
    'have raised under the current settings and under these.',
  body: Type.Object(
    { ...Type.Partial(Type.Object(settings)).properties, dry_run: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  success: { status: 201, body: HealthSettings },
  otherSuccess: {
    status: 200,
    body: Type.Object({
      dry_run: Type.Literal(true),
      settings: HealthSettings,
      period: Type.Object({ from: Time, to: Time }),
      before: Type.Object({ incidents: Type.Integer(), alerts: Type.Integer() }),
      after: Type.Object({ incidents: Type.Integer(), alerts: Type.Integer() }),
      incidents: Type.Array(
        Type.Object({
          event_key: Type.String(),
          site_id: Type.String(),
          started_at: Time,
          observed: Type.Number(),
          expected: Type.Number(),
          score: Type.Number(),
        }),
        { description: 'Under the new settings, the 100 furthest off' },
      ),
    }),
  },
  audit: { action: 'health_settings.changed', details: Object.keys(settings) },
  problems: lookupProblems,
})
