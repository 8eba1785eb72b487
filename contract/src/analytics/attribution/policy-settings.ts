import { Type } from 'typebox'
import { consentCategories } from '../../registry/event-contract.ts'
import { Nullable, OneOf, Rate } from '../../shapes.ts'
import { attributionLimits, attributionModels, dataDrivenMethods, sourceCategories } from './models.ts'

const Pattern = Type.String({ maxLength: 200 })
const Patterns = Type.Optional(Type.Array(Pattern, { minItems: 1, maxItems: 200 }))

/** Every given field must match one of its patterns, in which `*` matches any text. */
const ChannelMatchShape = Type.Object(
  {
    source: Patterns,
    medium: Patterns,
    campaign: Patterns,
    category: Type.Optional(Type.Array(OneOf(sourceCategories), { minItems: 1, maxItems: 7 })),
    clickIdType: Patterns,
  },
  { additionalProperties: false },
)

/** In order; the first rule with a match names the channel. */
export const ChannelRuleShape = Type.Object(
  {
    channel: Type.String({ minLength: 1, maxLength: 80, pattern: '^[^\\u0000-\\u001f]+$' }),
    anyOf: Type.Array(ChannelMatchShape, { minItems: 1, maxItems: 50 }),
  },
  { additionalProperties: false },
)

export const settings = {
  model: OneOf(attributionModels),
  data_driven: OneOf(dataDrivenMethods, { description: 'How the data-driven model learns' }),
  lookback_days: Type.Integer({ minimum: 1, maximum: attributionLimits.lookbackDaysMax }),
  half_life_days: Type.Number({ minimum: 1 / 24, maximum: 90 }),
  position: Type.Object({ first: Rate, last: Rate }, { additionalProperties: false }),
  touchpoint_rules: Nullable(
    Type.Array(ChannelRuleShape, {
      minItems: 1,
      maxItems: attributionLimits.rulesMax,
      description: 'Channels by rules of your own, from the top; null for the default grouping',
    }),
  ),
  ignore_direct: Type.Boolean({ description: 'Leave direct visits out unless there is nothing else' }),
  outcome_events: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 50 }),
  outcome_source: OneOf(['any', 'server'], {
    description: 'server: only what a secret key or a verified webhook sent is an outcome',
  }),
  exclude_channels: Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 50 }),
  dedupe_window_min: Type.Integer({ minimum: 0, maximum: 1_440 }),
  consent_required: Nullable(
    OneOf(consentCategories, { description: 'What must have been granted when a touchpoint happened' }),
  ),
}
