import { Type } from 'typebox'
import { contractPropertiesMax, enumValueCharactersMax, severitiesMax } from '../../maxima.ts'
import { Dictionary, OneOf } from '../../shapes.ts'
import {
  additionalOutcomes,
  consentCategories,
  outcomes,
  propertyTypes,
  surfaces,
} from '../event-contract.ts'

/** One property of a contract. Nested rules have the same shape; the registry checks them to any depth. */
export const PropertyRuleShape = Type.Object(
  {
    type: OneOf(propertyTypes),
    required: Type.Optional(Type.Boolean()),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    enum: Type.Optional(
      Type.Unsafe<readonly (string | number | boolean)[]>(
        Type.Array(
          Type.Union([Type.String({ maxLength: enumValueCharactersMax }), Type.Number(), Type.Boolean()]),
          { maxItems: 500 },
        ),
      ),
    ),
    pattern: Type.Optional(Type.String({ maxLength: 500 })),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    items: Type.Optional(Type.Unknown({ description: 'A property rule for the elements' })),
    properties: Type.Optional(
      Dictionary(Type.Unknown({ description: 'A property rule' }), {
        maxProperties: contractPropertiesMax,
      }),
    ),
    pii: Type.Optional(OneOf(['allow', 'deny'])),
    deprecated: Type.Optional(Type.Boolean()),
    format: Type.Optional(OneOf(['currency'])),
  },
  { additionalProperties: false },
)

export const Key = Type.String({ pattern: '^[a-z0-9_]+$', minLength: 1, maxLength: 100 })
export const Version = Type.String({
  pattern: '^[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}$',
  description: 'major-minor-patch',
})

/** Any text that the control store can store: Postgres cannot store the character NUL. */
export const storable = '^[^\\u0000]*$'

export const Properties = Dictionary(PropertyRuleShape, {
  maxProperties: contractPropertiesMax,
})

export const contractFields = {
  description: Type.String({ maxLength: 2000, pattern: storable }),
  owner: Type.Optional(Type.String({ maxLength: 200 })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  properties: Properties,
  additional: OneOf(additionalOutcomes),
  surfaces: Type.Array(OneOf(surfaces), { uniqueItems: true, maxItems: surfaces.length }),
  purpose: OneOf(consentCategories),
  replaced_by: Type.Optional(Key),
  severities: Type.Optional(Dictionary(OneOf(outcomes), { maxProperties: severitiesMax })),
}
