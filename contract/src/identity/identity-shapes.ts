import { Type } from 'typebox'
import { PersonReference } from '../shapes.ts'

export const PersonId = Type.String({ maxLength: 64 })

export const Identifier = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,39}$',
      description:
        'person_id, user_id, email, phone, anonymous_id, device_id, or the name of a vendor’s id such as ' +
        'stripe_customer_id',
    }),
    value: Type.String({ maxLength: 1_000 }),
    verified: Type.Optional(
      Type.Boolean({ description: 'Of an email address or a phone number; true when left out' }),
    ),
  },
  { additionalProperties: false },
)

export const NamedIdentifier = Type.Object({ type: Type.String(), value: Type.String() })

export const personParams = Type.Object({ id: PersonReference })
