import { Contract, ContractDraft, contractStatuses, PropertyRuleShape } from '@assay/contract'

const { items: _items, properties: _properties, ...plainRule } = PropertyRuleShape.properties
const rule = { $ref: '#/$defs/property' }
const { description, owner, category, additional, surfaces, purpose, replaced_by, severities } =
  ContractDraft.properties

/** The shape of an event file, for editors and for `assay validate`. Rules nest, so they refer to themselves. */
export const eventFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Event contract',
  description: 'One event of the registry. assay pull writes it, assay push registers what you changed.',
  type: 'object',
  required: ['key'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    key: { ...Contract.properties.key, description: 'Name of the event; the file has the same name' },
    version: {
      ...Contract.properties.version,
      description: 'The version that this file was pulled at. Leave it: assay push chooses the next one',
    },
    status: { type: 'string', enum: [...contractStatuses], default: 'published' },
    description,
    owner,
    category,
    properties: {
      type: 'object',
      additionalProperties: rule,
      propertyNames: { minLength: 1, maxLength: 200 },
    },
    additional: { ...additional, default: 'accept' },
    surfaces,
    purpose: { ...purpose, default: 'analytics_storage' },
    replaced_by,
    severities,
  },
  $defs: {
    property: {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: { ...plainRule, items: rule, properties: { type: 'object', additionalProperties: rule } },
    },
  },
} as const
