import { type Static, Type } from 'typebox'
import { ruleOrigins } from '../gate/names/mapping.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Page, paging, Time } from '../shapes.ts'
import { byId, reads, writes } from './mapping-access.ts'

/** A rule that turns a customer's event name, and its properties, into a standard one. */
export const EventMapping = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  source: Type.String(),
  target: Type.String(),
  propertyMap: Dictionary(Type.String()),
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
  propertyMap: Dictionary(
    Type.String({ minLength: 1, maxLength: 200 }),
    // An event has 255 properties at most.
    { maxProperties: 255, description: 'Source property to canonical property, tried in this order' },
  ),
}
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
  audit: { action: 'mapping.created', details: ['siteId', 'source', 'target', 'propertyMap'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict', 'reserved-name'],
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
  problems: lookupProblems,
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
  problems: lookupProblems,
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
  audit: { action: 'mapping.updated', details: ['siteId', 'source', 'target', 'propertyMap', 'enabled'] },
  invalidates: 'reports',
  problems: lookupProblems,
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
  audit: { action: 'mapping.deleted', details: ['siteId'] },
  invalidates: 'reports',
  problems: lookupProblems,
})

export const mappingRoutes = [createMapping, listMappings, getMapping, updateMapping, deleteMapping] as const
