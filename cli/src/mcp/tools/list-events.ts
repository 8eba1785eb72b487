import { type Contract, contractSources, contractStatuses, listContracts, OneOf } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

/** The answer is read by a model, and a small context is worth more than one call fewer. */
const pageDefault = 20
const pageMax = 50

const EventSummary = Type.Object({
  key: Type.String(),
  name: Type.String({ description: 'What to send as event' }),
  version: Type.String(),
  status: OneOf(contractStatuses),
  source: OneOf(contractSources),
  description: Type.String(),
  owner: Type.Optional(Type.String()),
  required: Type.Array(Type.String(), { description: 'Properties that must be sent, as name: type' }),
  optional: Type.Array(Type.String()),
})

export const listEvents = tool({
  name: 'list_events',
  title: 'List events',
  description:
    'Events that are registered: name, meaning, owner, and which properties they take. Look here before you add an ' +
    'event or write a tracking call. q searches key, name and description. The whole contract of one event is the ' +
    'resource assay://contracts/<key>.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 100, description: 'Part of key, name or description' })),
      status: Type.Optional(OneOf(contractStatuses)),
      source: Type.Optional(
        OneOf(contractSources, { description: 'standard and built_in come with the product' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageDefault })),
      cursor: Type.Optional(
        Type.String({ maxLength: 100, description: 'next_cursor of the previous answer' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    events: Type.Array(EventSummary),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null at the end' }),
  }),
  effect: 'reads',
  async run({ limit = pageDefault, ...query }, { client }) {
    const { data, next_cursor } = await client.call(listContracts, { query: { ...query, limit } })
    return { events: data.map(summarise), next_cursor }
  },
})

function summarise(contract: Contract) {
  const { key, name, version, status, source, description, owner, properties } = contract
  const listed = (isRequired: boolean) =>
    Object.entries(properties)
      .filter(([, rule]) => (rule.required === true) === isRequired)
      .map(
        ([property, rule]) =>
          `${property}: ${rule.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? rule.type}`,
      )
  return {
    key,
    name,
    version,
    status,
    source,
    description,
    ...(owner !== undefined && { owner }),
    required: listed(true),
    optional: listed(false),
  }
}
