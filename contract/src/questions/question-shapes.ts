import { countOperators } from './filters/filters.ts'
import { mathNames, metricNames, type OperatorTakes, operatorNames, operatorTerms } from './question-terms.ts'

/**
 * What members of questions are, as JSON Schema for documents and clients. A question itself is checked by its reader,
 * which says better what is wrong: there such a member is a schema that takes anything, and names its shape.
 */
export const namedShapes = {
  Filter: { anyOf: filterShapes() },
  EventMetric: {
    type: 'object',
    required: ['as', 'math'],
    additionalProperties: false,
    properties: {
      as: { type: 'string' },
      event: { type: 'string', description: 'Any event unless said' },
      goal: { type: 'string', description: 'Instead of an event: those that reach this goal' },
      math: { enum: [...mathNames] },
      property: { type: 'string', description: 'From sum on' },
      where: { type: 'array', items: { 'x-shape': 'Filter' } },
    },
  },
  FormulaMetric: {
    type: 'object',
    required: ['as', 'formula'],
    additionalProperties: false,
    properties: { as: { type: 'string' }, formula: { type: 'string' } },
  },
  Metric: {
    anyOf: [{ enum: [...metricNames] }, { 'x-shape': 'EventMetric' }, { 'x-shape': 'FormulaMetric' }],
  },
  Compare: {
    anyOf: [
      { const: 'previous' },
      { const: 'year' },
      {
        type: 'object',
        required: ['from', 'to'],
        additionalProperties: false,
        properties: { from: { type: 'string' }, to: { type: 'string' } },
      },
    ],
  },
  Order: tuple({ type: 'string' }, { enum: ['asc', 'desc'] }),
} as const

type ShapeName = keyof typeof namedShapes

export const shapeNames: readonly ShapeName[] =
  // boundary: the keys of a literal table are its names.
  Object.keys(namedShapes) as ShapeName[]

/** For a schema that takes anything: the name of what it is. */
export const ofShape = (name: ShapeName): { 'x-shape': ShapeName } => ({ 'x-shape': name })

function tuple(...items: readonly object[]) {
  return { type: 'array', prefixItems: items, items: false, minItems: items.length, maxItems: items.length }
}

function filterShapes(): object[] {
  const value = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] }
  const values = { type: 'array', items: value, minItems: 1 }
  const texts = { type: 'array', items: { type: 'string' }, minItems: 1 }
  const dimension = { type: 'string' }
  const filter = { 'x-shape': 'Filter' }
  const namesOf = (...takes: readonly OperatorTakes[]) => ({
    enum: operatorNames.filter((name) => takes.includes(operatorTerms[name].takes)),
  })
  return [
    tuple(namesOf('values', 'patterns'), dimension, values),
    tuple(namesOf('nothing'), dimension),
    tuple(namesOf('limit'), dimension, value),
    tuple(namesOf('range'), dimension, tuple(value, value)),
    tuple({ enum: ['and', 'or'] }, { type: 'array', items: filter, minItems: 1 }),
    tuple({ const: 'not' }, filter),
    tuple({ enum: ['did', 'didNot'] }, didShape(filter)),
    tuple({ enum: ['inAudience', 'reached'] }, texts),
  ]
}

function didShape(filter: object) {
  return {
    type: 'object',
    required: ['event'],
    additionalProperties: false,
    properties: {
      event: { type: 'string' },
      count: {
        type: 'object',
        required: ['op', 'value'],
        additionalProperties: false,
        properties: { op: { enum: [...countOperators] }, value: { type: 'integer', minimum: 0 } },
      },
      within: { type: 'string', description: 'Up to the end of the period: 7d or 24h' },
      where: { type: 'array', items: filter, description: 'Conditions on events only' },
    },
  }
}
