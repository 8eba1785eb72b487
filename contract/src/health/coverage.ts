import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { surfaces } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, Nullable, OneOf, Rate, Time } from '../shapes.ts'
import { reads, site } from './access.ts'

export const Coverage = Type.Object({
  surface: OneOf(surfaces),
  score: Nullable(Type.Number({ description: '0 to 100; null where nothing is expected' })),
  parts: Type.Object({
    seen: Nullable(Rate),
    complete: Nullable(Rate),
    fresh: Nullable(Rate),
  }),
  expected: Type.Array(Type.String()),
  seen: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  stale: Type.Array(Type.Object({ key: Type.String(), last_seen_at: Time, usual_gap_hours: Type.Number() })),
  loss: Dictionary(Type.Number(), { description: 'Events that SDKs had to drop, by reason' }),
})
export type Coverage = Static<typeof Coverage>

export const getCoverage = route({
  ...reads,
  id: 'getCoverage',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/coverage',
  summary: 'Coverage score per surface',
  query: Type.Object({ site_id: site }, { additionalProperties: false }),
  success: { status: 200, body: Type.Object({ data: Type.Array(Coverage) }) },
  problems: lookupProblems,
})
