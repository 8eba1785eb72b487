import { type Static, Type } from 'typebox'
import { periodQuery } from '../reads.ts'
import { propertyTypes } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'
import { shared } from './access.ts'
import { Unit } from './answer.ts'
import { dimensionSays, Question } from './question.ts'
import { suggestedPropertiesMax, suggestedTraitsMax } from './question-limits.ts'
import { dimensionTypes, operatorTakes } from './question-terms.ts'

const Described = { name: Type.String(), description: Type.String() }

export const Suggestions = Type.Object({
  siteId: Type.String(),
  metrics: Type.Array(Type.Object({ ...Described, unit: Unit, isAdditive: Type.Boolean() })),
  maths: Type.Array(Type.Object({ ...Described, unit: Unit, needsProperty: Type.Boolean() })),
  operators: Type.Array(
    Type.Object({
      ...Described,
      takes: OneOf(operatorTakes),
      types: Type.Array(OneOf(dimensionTypes), {
        description: 'Types of dimensions for which it can be used',
      }),
    }),
  ),
  dimensions: Type.Array(
    Type.Object({
      ...Described,
      type: OneOf(['time', ...dimensionTypes]),
      of: OneOf(['event', 'visit', 'person', 'time'], {
        description: 'Each event has a value of its own, or all events of a visit or person have the same',
      }),
    }),
  ),
  events: Type.Array(Type.String(), { description: 'Names of events, most frequent first' }),
  goals: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'For metrics and for the filter reached',
  }),
  properties: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As a dimension: property:plan' }),
      types: Type.Array(OneOf(propertyTypes), {
        description: 'As the contracts of the events say, or else as they were seen',
      }),
      isInContract: Type.Boolean({ description: 'A contract says so' }),
      events: Type.Array(Type.String(), { description: 'Events that have it, most frequent first' }),
    }),
    { description: `Of recent events; ${suggestedPropertiesMax} at most` },
  ),
  traits: Type.Array(
    Type.Object({
      name: Type.String({ description: 'As a dimension: trait:plan' }),
      types: Type.Array(OneOf(propertyTypes)),
    }),
    {
      description: `Of people, most frequent first; ${suggestedTraitsMax} at most, and none without identity:read`,
    },
  ),
  audiences: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'For the filter inAudience; by name they are values of the dimension audience',
  }),
})
export type Suggestions = Static<typeof Suggestions>

export const listDimensions = route({
  ...shared,
  id: 'listDimensions',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/dimensions',
  summary: 'What can be asked',
  description:
    'Metrics, maths, operators and dimensions, and the properties of the latest events of the site.',
  query: Type.Object({ siteId: Question.properties.siteId }, { additionalProperties: false }),
  success: { status: 200, body: Suggestions },
})

export const DimensionValues = Type.Object({
  siteId: Type.String(),
  dimension: Type.String(),
  values: Type.Array(
    Type.Object({
      value: Type.String(),
      events: Type.Integer({ description: 'Events with it in the period' }),
    }),
    { description: 'Most frequent first' },
  ),
})
export type DimensionValues = Static<typeof DimensionValues>

export const listValues = route({
  ...shared,
  id: 'listValues',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/values',
  summary: 'Values of a dimension',
  description:
    'Those that most events of the period have, to choose from; of entryPage and exitPage any page viewed.',
  query: Type.Object(
    {
      siteId: Question.properties.siteId,
      ...periodQuery,
      dimension: Type.String({ maxLength: 300, description: dimensionSays }),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the value, in any case' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      includeBots: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: DimensionValues },
})
