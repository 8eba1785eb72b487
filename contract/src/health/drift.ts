import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { Period, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'

/**
 * What changed about an element that people used: its name on the page, its place, its text; or several
 * elements could be it, or none is similar any more.
 */
export const driftKinds = ['renamed', 'moved', 'retexted', 'ambiguous', 'missing'] as const
export type DriftKind = (typeof driftKinds)[number]
export const driftStatuses = ['open', 'accepted', 'muted', 'resolved'] as const
export type DriftStatus = (typeof driftStatuses)[number]
export const driftSeverities = ['low', 'medium', 'high'] as const

/** The longest time without clicks that an element needs to be reported. */
export const driftDaysMax = 7

export const DriftAlert = Type.Object({
  id: Type.String(),
  elementKey: Type.String({ description: 'Page and selector by which the element was known' }),
  page: Type.String({ description: 'Path, with ids folded to :id' }),
  selector: Type.String(),
  text: Type.String(),
  kind: OneOf(driftKinds),
  severity: OneOf(driftSeverities, {
    description: 'high: an event that is defined by it comes no more',
  }),
  openedAt: Time,
  lastSeenAt: Time,
  expectedPerDay: Type.Number({ description: 'Clicks, as its page is visited now' }),
  observed: Type.Integer({
    description: `Clicks in the last 1, 3 or ${driftDaysMax} days, whichever showed it`,
  }),
  candidate: Type.Union([
    Type.Object({
      selector: Type.String(),
      text: Type.String(),
      score: Type.Number({ description: '1: the very same' }),
    }),
    Type.Null(),
  ]),
  affectedEvents: Type.Array(Type.String(), { description: 'Events that are defined by this element' }),
  affectedFunnels: Type.Array(Type.String(), { description: 'Ids of funnels that pass through its page' }),
  status: OneOf(driftStatuses),
})
export type DriftAlert = Static<typeof DriftAlert>

const base = { plane: 'control', tag: 'Analytics' } as const

export const listDrift = route({
  ...base,
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  id: 'listDrift',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/drift',
  summary: 'Elements that people used and that changed',
  description:
    'From the fingerprints that the browser SDK sends with clicks. Looked at every hour, and when asked for. With a ' +
    'period those that stood open in it: opened before its end, and not closed before it began.',
  query: Type.Object(
    { siteId: Type.String({ maxLength: 64 }), ...periodQuery, status: Type.Optional(OneOf(driftStatuses)) },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      siteId: Type.String(),
      checkedAt: Time,
      period: Type.Union([Period, Type.Null()], { description: 'Null where none was asked for' }),
      alerts: Type.Array(DriftAlert),
    }),
  },
  problems: lookupProblems,
})

export const updateDrift = route({
  ...base,
  access: 'write',
  scope: 'analytics:write',
  rate: 'apiWrite',
  id: 'updateDrift',
  method: 'PATCH',
  path: '/api/analytics/drift/:id',
  summary: 'Accept, mute, resolve or reopen an alert',
  description:
    'Accepting takes the candidate for the element from now on: its clicks continue where the old ones stopped, and ' +
    'events that are defined by it follow.',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  body: Type.Object({ status: OneOf(driftStatuses) }, { additionalProperties: false }),
  success: { status: 200, body: DriftAlert },
  audit: { action: 'drift.updated', details: ['status', 'elementKey'] },
  problems: [...lookupProblems, 'conflict'],
})

export const driftRoutes = [listDrift, updateDrift] as const
