import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { Nullable, OneOf, Time } from '../../shapes.ts'
import { range, reads, writes } from './access.ts'

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
  problems: accessProblems,
})

export const getAttributionJob = route({
  ...reads,
  id: 'getAttributionJob',
  method: 'GET',
  path: '/v1/attribution/jobs/:id',
  summary: 'How far a computation is',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  success: { status: 200, body: AttributionJob },
  problems: lookupProblems,
})
