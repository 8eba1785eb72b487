import { Type } from 'typebox'
import { type GatePreset, gatePresets } from '../gate/issues.ts'
import { severitiesMax } from '../maxima.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf } from '../shapes.ts'
import { reads, writes } from './access.ts'
import { type Outcome, outcomes } from './event-contract.ts'

const Preset = OneOf(gatePresets, {
  description:
    'learning: unregistered events are counted, with a warning. strict: they are quarantined. A new workspace is learning',
})

/** The maximum number of days back. */
const unregisteredDaysMax = 90
const unregisteredDaysDefault = 7

const Unregistered = Type.Object(
  {
    days: Type.Integer(),
    would_quarantine: Type.Integer({
      description: 'Events that were counted with a warn and that strict would have quarantined',
    }),
    quarantined: Type.Integer({ description: 'Events that were quarantined for their name' }),
    names: Type.Array(
      Type.Object({ name: Type.String(), events: Type.Integer(), quarantined: Type.Integer() }),
      { description: 'The 20 most frequent' },
    ),
  },
  { description: 'Events that came by a name that was not registered' },
)

export const getSeverities = route({
  ...reads,
  id: 'getSeverities',
  method: 'GET',
  path: '/v1/registry/severities',
  summary: 'What each issue leads to in this workspace, and what strict would have quarantined',
  query: Type.Object(
    {
      site_id: Type.Optional(Type.String({ maxLength: 64, description: 'Count events of this site only' })),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: unregisteredDaysMax, default: unregisteredDaysDefault }),
      ),
    },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      preset: Preset,
      data: Type.Array(
        Type.Object({
          code: Type.String(),
          severity: OneOf(outcomes),
          default: OneOf(outcomes, { description: 'What the preset says' }),
          floor: OneOf(outcomes, { description: 'The mildest it can be made' }),
        }),
      ),
      unregistered: Unregistered,
    }),
  },
  problems: lookupProblems,
})

/** Issue codes besides the preset; the gate checks the codes. */
export type SeverityChanges = {
  [code: string]: Outcome | GatePreset | null | undefined
  preset?: GatePreset
}

export const setSeverities = route({
  ...writes,
  id: 'setSeverities',
  method: 'PATCH',
  path: '/v1/registry/severities',
  summary: 'Choose learning or strict, or change what single issues lead to',
  description:
    'A code that is set outranks the preset; null takes it back, so that the preset decides. Members that are left out stay as they are.',
  body: Type.Unsafe<SeverityChanges>(
    Type.Object(
      { preset: Type.Optional(Preset) },
      { additionalProperties: Type.Union([OneOf(outcomes), Type.Null()]), maxProperties: severitiesMax },
    ),
  ),
  success: {
    status: 200,
    body: Type.Object({
      preset: Preset,
      severities: Dictionary(OneOf(outcomes), { maxProperties: severitiesMax }),
    }),
  },
  audit: { action: 'gate.severities_changed', details: ['preset', 'severities'] },
  problems: accessProblems,
})

export const severityRoutes = [getSeverities, setSeverities] as const
