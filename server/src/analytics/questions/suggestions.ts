import {
  audienceTerm,
  type Dimension,
  type DimensionValues,
  dimensionNames,
  dimensionOf,
  dimensionTerms,
  invalidParameter,
  mathNames,
  mathTerms,
  metricNames,
  metricTerms,
  operatorNames,
  operatorTerms,
  propertyPrefix,
  propertyTypes,
  type Suggestions,
  suggestedPropertiesMax,
  timePrefix,
  timeUnits,
  traitPrefix,
  unknownDimension,
} from '@assay/contract'
import type { SiteGoal } from '../../goals/site-goals.ts'
import type { TraitName } from '../../identity/profiles/trait-sets.ts'
import { regionsNamed } from '../../platform/text/region-names.ts'
import type { GateKnowledge } from '../../registry/registry.ts'
import type { EventFilter, TimeRange } from '../../store/event-filter.ts'
import type { Run } from './question-store.ts'
import { type PropertyLine, selectEventNames, selectProperties, selectValues } from './suggestion-store.ts'

const namesMax = 200
/** Of one property. */
const eventsMax = 20

type Suggested = Suggestions['properties'][number]
type SuggestedType = Suggested['types'][number]

/** What is known besides events. */
type SuggestedWorld = {
  contracts: GateKnowledge['contracts']
  goals: readonly SiteGoal[]
  traits: readonly TraitName[]
  audiences: Suggestions['audiences']
}

/** What can be asked of a site: the tables, and what its latest events have. */
export async function suggest(
  run: Run,
  filter: EventFilter,
  range: TimeRange,
  { contracts, goals, traits, audiences }: SuggestedWorld,
): Promise<Suggestions> {
  const lines = await selectProperties(run, filter, range)
  const names = await selectEventNames(run, filter, range, namesMax)
  return {
    siteId: filter.siteId,
    ...tables,
    events: names.map(({ name }) => name),
    goals: goals.map(({ id, name }) => ({ id, name })),
    properties: propertiesOf(lines, contracts),
    traits: traits.map(({ key, types }) => ({
      name: `${traitPrefix}${key}`,
      types: [...new Set(types.map(toSuggested))],
    })),
    audiences,
  }
}

const tables = {
  metrics: metricNames.map((name) => {
    const { unit, isAdditive, says } = metricTerms[name]
    return { name, description: says, unit, isAdditive }
  }),
  maths: mathNames.map((name) => {
    const { unit, needsProperty, says } = mathTerms[name]
    return { name, description: says, unit, needsProperty }
  }),
  operators: operatorNames.map((name) => {
    const { takes, on, says } = operatorTerms[name]
    return { name, description: says, takes, types: [...on] }
  }),
  dimensions: [
    ...timeUnits.map((unit) => ({
      name: `${timePrefix}${unit}`,
      description: `Start of the ${unit}, in the time zone of the question`,
      type: 'time' as const,
      of: 'time' as const,
    })),
    ...dimensionNames.map((name) => {
      const { type, of, says } = dimensionTerms[name]
      return { name, description: says, type, of }
    }),
    { name: audienceTerm.name, description: audienceTerm.says, type: audienceTerm.type, of: audienceTerm.of },
  ],
}

function propertiesOf(lines: readonly PropertyLine[], contracts: GateKnowledge['contracts']): Suggested[] {
  return [...Map.groupBy(lines, ({ path }) => path)].slice(0, suggestedPropertiesMax).map(([path, own]) => {
    const events = [...new Set(own.map(({ name }) => name))].slice(0, eventsMax)
    const declared = events.flatMap((name) => {
      const type = contracts.get(name)?.contract.properties[path]?.type
      return type === undefined ? [] : [toSuggested(type)]
    })
    const seen = own.map(({ kind }) => toSuggested(kind))
    return {
      name: `${propertyPrefix}${path}`,
      types: [...new Set(declared.length > 0 ? declared : seen)],
      isInContract: declared.length > 0,
      events,
    }
  })
}

/** Contracts know more kinds of text and numbers than JSON does. */
function toSuggested(type: string): SuggestedType {
  if (type === 'integer') return 'number'
  return propertyTypes.find((one) => one === type) ?? 'string'
}

export type ValuedDimension = Exclude<Dimension, { kind: 'time' }>

/** A dimension whose values can be listed. */
export function requireValued(name: string): ValuedDimension {
  const dimension = dimensionOf(name)
  if (dimension === null || dimension.kind === 'time') throw invalidParameter('dimension', unknownDimension)
  return dimension
}

export async function suggestValues(
  run: Run,
  filter: EventFilter,
  range: TimeRange,
  dimension: ValuedDimension,
  { search = '', limit = 20 }: { search?: string; limit?: number },
): Promise<DimensionValues> {
  // People search regions by their names, and events have their codes.
  const named = dimension.name === 'region' ? regionsNamed(search) : []
  const rows = await selectValues(run, filter, range, dimension, { search, named, limit })
  return {
    siteId: filter.siteId,
    dimension: dimension.name,
    values: rows.map(({ value, events }) => ({ value, events: Number(events) })),
  }
}
