import { type Static, Type } from 'typebox'
import { ruleOrigins } from './gate/mapping.ts'
import { route } from './route.ts'
import { OneOf, Page, paging, Time } from './shapes.ts'

/** A rule that turns a customer's event name, and its properties, into a standard one. */
export const EventMapping = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  source: Type.String(),
  target: Type.String(),
  propertyMap: Type.Record(Type.String(), Type.String()),
  origin: OneOf(ruleOrigins, { description: 'custom, or where a default rule comes from' }),
  edited: Type.Boolean({
    description: 'A default rule that this site changed: it ranks as a custom one, until it is deleted',
  }),
  enabled: Type.Boolean(),
  createdAt: Type.Union([Time, Type.Null()]),
})
export type EventMapping = Static<typeof EventMapping>

const fields = {
  source: Type.String({ minLength: 1, maxLength: 200 }),
  target: Type.String({ minLength: 1, maxLength: 200 }),
  propertyMap: Type.Record(
    Type.String({ minLength: 1, maxLength: 200 }),
    Type.String({ minLength: 1, maxLength: 200 }),
    // An event has 255 properties at most.
    { maxProperties: 255, description: 'Source property to canonical property, tried in this order' },
  ),
}
const problems = ['unauthenticated', 'insufficient-scope', 'not-found'] as const
const base = { plane: 'control', tag: 'Event mappings' } as const
const reads = { ...base, access: 'read', scope: 'registry:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })
const ofSite = Type.Object(
  {
    siteId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Needed for a default rule, which every site has' }),
    ),
  },
  { additionalProperties: false },
)

export const createMapping = route({
  ...writes,
  id: 'createMapping',
  method: 'POST',
  path: '/api/event-mappings',
  summary: 'Create an event mapping',
  body: Type.Object(
    {
      siteId: Type.String({ maxLength: 64 }),
      source: fields.source,
      target: fields.target,
      propertyMap: Type.Optional(fields.propertyMap),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: EventMapping },
  problems: [...problems, 'conflict', 'reserved-name'],
})

export const listMappings = route({
  ...reads,
  id: 'listMappings',
  method: 'GET',
  path: '/api/event-mappings',
  summary: 'List the rules of a site, default ones included',
  query: Type.Object(
    { ...paging, siteId: Type.String({ maxLength: 64 }), origin: Type.Optional(OneOf(ruleOrigins)) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Page(EventMapping) },
  problems,
})

export const getMapping = route({
  ...reads,
  id: 'getMapping',
  method: 'GET',
  path: '/api/event-mappings/:id',
  summary: 'Read one rule',
  params: byId,
  query: ofSite,
  success: { status: 200, body: EventMapping },
  problems,
})

export const updateMapping = route({
  ...writes,
  id: 'updateMapping',
  method: 'PATCH',
  path: '/api/event-mappings/:id',
  summary: 'Edit, disable or enable a rule',
  description: 'A default rule is edited for its site only. siteId names the site of a default rule.',
  params: byId,
  body: Type.Object(
    {
      siteId: Type.Optional(Type.String({ maxLength: 64 })),
      target: Type.Optional(fields.target),
      propertyMap: Type.Optional(fields.propertyMap),
      enabled: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  success: { status: 200, body: EventMapping },
  problems,
})

export const deleteMapping = route({
  ...writes,
  id: 'deleteMapping',
  method: 'DELETE',
  path: '/api/event-mappings/:id',
  summary: 'Delete a custom rule, or restore a default one',
  params: byId,
  query: ofSite,
  success: { status: 204, body: null },
  problems,
})

export const Backfill = Type.Object({
  id: Type.String(),
  mappingId: Type.String(),
  siteId: Type.String(),
  source: Type.String(),
  target: Type.String(),
  propertyMap: Type.Record(Type.String(), Type.String()),
  from: Time,
  to: Time,
  status: OneOf(['running', 'active', 'counted', 'withdrawn', 'failed'] as const, {
    description: 'counted is the end of a dry run; reads change once it is active',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  events: Type.Integer({ description: 'Events that take the new name' }),
  incomplete: Type.Integer({ description: 'Events left alone since a required property would be missing' }),
  dryRun: Type.Boolean(),
  createdAt: Time,
})
export type Backfill = Static<typeof Backfill>

export const startBackfill = route({
  ...writes,
  id: 'startBackfill',
  method: 'POST',
  path: '/api/event-mappings/:id/backfill',
  summary: 'Apply a rule to events that are stored already',
  description:
    'An overlay: stored rows do not change, every read over the range does, until it is withdrawn.',
  params: byId,
  body: Type.Object(
    {
      siteId: Type.Optional(Type.String({ maxLength: 64 })),
      from: Type.String({ maxLength: 40 }),
      to: Type.String({ maxLength: 40 }),
      dryRun: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 202, body: Backfill },
  problems: [...problems, 'conflict'],
})

export const listBackfills = route({
  ...reads,
  id: 'listBackfills',
  method: 'GET',
  path: '/api/event-mappings/backfills',
  summary: 'List the back-fills of a site, newest first',
  query: Type.Object({ ...paging, siteId: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  success: { status: 200, body: Page(Backfill) },
  problems,
})

export const getBackfill = route({
  ...reads,
  id: 'getBackfill',
  method: 'GET',
  path: '/api/event-mappings/backfills/:id',
  summary: 'Progress of a back-fill',
  params: byId,
  success: { status: 200, body: Backfill },
  problems,
})

export const withdrawBackfill = route({
  ...writes,
  id: 'withdrawBackfill',
  method: 'DELETE',
  path: '/api/event-mappings/backfills/:id',
  summary: 'Withdraw a back-fill: every read is as before',
  params: byId,
  success: { status: 200, body: Backfill },
  problems,
})

export const mappingRoutes = [createMapping, listMappings, getMapping, updateMapping, deleteMapping] as const
export const backfillRoutes = [startBackfill, listBackfills, getBackfill, withdrawBackfill] as const
