import { Type } from 'typebox'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'
import { exact, Nullable, OneOf } from '../shapes.ts'
import { reads } from './access.ts'
import { confidences, identityLimits } from './identity-limits.ts'
import { Identifier, NamedIdentifier, PersonId } from './identity-shapes.ts'

export const resolveIdentity = route({
  ...reads,
  id: 'resolveIdentity',
  method: 'POST',
  path: '/v1/identity/resolve',
  summary: 'Resolve a set of identifiers to a person',
  description:
    'Seven steps: normalise; refuse junk and suppressed values; exact person_id or user_id; verified contact; ' +
    'vendor id; device link; create, or refuse on a conflict. What is given together is linked from then on. ' +
    'With read_only nothing is changed; without it the key needs identity:write.',
  body: Type.Object(
    {
      identifiers: Type.Array(Identifier, { minItems: 1, maxItems: identityLimits.identifiersPerCallMax }),
      read_only: Type.Optional(Type.Boolean()),
    },
    exact,
  ),
  success: {
    status: 200,
    body: Type.Object({
      person_id: Nullable(PersonId),
      step: Type.Integer({ minimum: 1, maximum: 7, description: 'Where the person was found; 7 is new' }),
      confidence: Nullable(OneOf(confidences)),
      matched: Type.Array(
        Type.Object({ ...NamedIdentifier.properties, person_id: PersonId, step: Type.Integer() }),
      ),
      rejected: Type.Array(Type.Object({ ...NamedIdentifier.properties, reason: Type.String() })),
      would_merge: Type.Array(PersonId, {
        description: 'People who become part of this one; done already unless read_only',
      }),
    }),
  },
  problems: [...accessProblems, 'identity-conflict', 'identity-limit'],
})
