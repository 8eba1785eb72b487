import { type Static, Type } from 'typebox'
import { ElementMatch } from '../health/element-match.ts'
import { contractPropertiesMax } from '../maxima.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Page, paging, Time } from '../shapes.ts'
import { contractSources } from './contracts/contract.ts'
import { PropertyRuleShape } from './contracts/contract-fields.ts'
import { propertyTypes } from './event-contract.ts'

const catalogSources = [...contractSources, 'observed'] as const

/** An event of the catalog: standard, defined, or only observed. */
export const CatalogEvent = Type.Object({
  name: Type.String(),
  source: OneOf(catalogSources),
  category: Type.Union([Type.String(), Type.Null()]),
  description: Type.String(),
  requiredProperties: Type.Array(Type.Object({ name: Type.String(), type: OneOf(propertyTypes) })),
  optionalProperties: Type.Array(Type.Object({ name: Type.String(), type: OneOf(propertyTypes) })),
  needsReview: Type.Boolean({ description: 'It arrives but is not defined' }),
  volume: Type.Integer({ description: 'Events of the last 30 days, including quarantined ones' }),
  lastSeenAt: Type.Union([Time, Type.Null()], {
    description: 'When the last of them happened; its hour, where that event was forgotten since',
  }),
})
export type CatalogEvent = Static<typeof CatalogEvent>

export const getCatalog = route({
  id: 'getCatalog',
  fresh: 'camel',
  method: 'GET',
  path: '/api/events/catalog',
  plane: 'control',
  access: 'read',
  scope: 'registry:read',
  rate: 'apiRead',
  tag: 'Events',
  summary: 'Event catalog',
  query: Type.Object(
    {
      ...paging,
      siteId: Type.Optional(
        Type.String({ maxLength: 64, description: 'Volumes of one site; default is all' }),
      ),
      source: Type.Optional(OneOf(catalogSources)),
      needsReview: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Page(CatalogEvent) },
  problems: lookupProblems,
})

/** A custom event as defined; it is a contract of the registry. */
export const EventDefinition = Type.Object({
  id: Type.String({ description: 'The key of its contract' }),
  name: Type.String(),
  description: Type.String(),
  category: Type.Union([Type.String(), Type.Null()]),
  properties: Dictionary(PropertyRuleShape),
  version: Type.String(),
  status: Type.String(),
  match: Type.Union([ElementMatch, Type.Null()], { description: 'The element that it comes from, if any' }),
  siteId: Type.Union([Type.String(), Type.Null()], { description: 'The only site on which match acts' }),
  createdAt: Time,
})
export type EventDefinition = Static<typeof EventDefinition>

const matchFields = {
  match: ElementMatch,
  siteId: Type.Optional(
    Type.String({ maxLength: 64, description: 'The only site on which match acts; default is every site' }),
  ),
}
const base = { plane: 'control', tag: 'Events' } as const
const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'apiWrite' } as const

export const createDefinition = route({
  ...writes,
  id: 'createDefinition',
  method: 'POST',
  path: '/api/events/definitions',
  summary: 'Define a custom event',
  description: 'Creates and publishes a contract. Quarantined events of that name can then be released.',
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 100 }),
      description: Type.Optional(Type.String({ maxLength: 2000 })),
      category: Type.Optional(Type.String({ maxLength: 100 })),
      properties: Type.Optional(
        Dictionary(PropertyRuleShape, {
          maxProperties: contractPropertiesMax,
        }),
      ),
      match: Type.Optional(matchFields.match),
      siteId: matchFields.siteId,
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: EventDefinition },
  audit: { action: 'contract.registered', details: ['version', 'status'] },
  problems: [...lookupProblems, 'conflict', 'reserved-name'],
})

export const listDefinitions = route({
  ...base,
  access: 'read',
  scope: 'registry:read',
  rate: 'apiRead',
  id: 'listDefinitions',
  method: 'GET',
  path: '/api/events/definitions',
  summary: 'List custom events, by name',
  query: Type.Object(
    {
      limit: paging.limit,
      cursor: Type.Optional(
        Type.String({
          maxLength: 100,
          pattern: '^[a-z0-9_]+$',
          description: 'nextCursor of the page before',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Page(EventDefinition) },
  problems: accessProblems,
})

export const updateDefinition = route({
  ...writes,
  id: 'updateDefinition',
  method: 'PATCH',
  path: '/api/events/definitions/:id',
  summary: 'Say from which element an event comes, or that it comes from none',
  description:
    'Everything else of a definition is a contract, of which POST /v1/registry/events makes a new version.',
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
  body: Type.Object(
    { match: Type.Union([matchFields.match, Type.Null()]), siteId: matchFields.siteId },
    { additionalProperties: false },
  ),
  success: { status: 200, body: EventDefinition },
  audit: { action: 'definition.changed', details: ['match', 'siteId'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const eventDefinitionRoutes = [
  getCatalog,
  createDefinition,
  listDefinitions,
  updateDefinition,
] as const
