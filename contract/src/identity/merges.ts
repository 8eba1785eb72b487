import { Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { exact, Nullable, PersonReference } from '../shapes.ts'
import { writes } from './access.ts'
import { PersonId } from './identity-shapes.ts'
import { LedgerEntry } from './merge-ledger.ts'

const Reason = Type.String({ minLength: 1, maxLength: 500 })

const Merged = Type.Object({
  ...LedgerEntry.properties,
  id: Nullable(LedgerEntry.properties.id),
  dry_run: Type.Boolean(),
})

export const mergePeople = route({
  ...writes,
  id: 'mergePeople',
  method: 'POST',
  path: '/v1/identity/merge',
  summary: 'Merge two people on purpose',
  description:
    'The only way by which two different user ids become one person. From then on the person goes by the id that ' +
    'the one called survivor_id has now; after a reversal each has their own again. dry_run answers 200 and what ' +
    'would move.',
  body: Type.Object(
    {
      survivor_id: PersonReference,
      absorbed_id: PersonReference,
      reason: Reason,
      dry_run: Type.Optional(Type.Boolean()),
    },
    exact,
  ),
  audit: { action: 'person.merged' },
  invalidates: 'reports',
  success: { status: 201, body: Merged },
  otherSuccess: { status: 200, body: Merged },
  problems: [...lookupProblems, 'conflict', 'identity-limit'],
})

const Parted = Type.Object({
  ...Merged.properties,
  person_ids: Type.Array(PersonId, { description: 'The people after it' }),
  reversed: Type.Array(Type.String(), { description: 'All entries that are reversed, the latest first' }),
  still_joined_by: Type.Array(Type.String(), {
    description: 'Entries that make one person of both all the same',
  }),
})

export const reverseMerge = route({
  ...writes,
  id: 'reverseMerge',
  method: 'POST',
  path: '/v1/identity/merge-ledger/:id/reverse',
  summary: 'Reverse an entry of the ledger',
  description:
    'Afterwards every read is as if it had never been, and unless keep_apart is false the next event that the two ' +
    'share does not join them again. Merges that were built on it are listed in a 409, or reversed too with cascade. ' +
    'dry_run answers 200.',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    {
      reason: Reason,
      keep_apart: Type.Optional(Type.Boolean({ default: true })),
      cascade: Type.Optional(Type.Boolean()),
      dry_run: Type.Optional(Type.Boolean()),
    },
    exact,
  ),
  audit: { action: 'person.parted', details: ['keep_apart', 'cascade'] },
  invalidates: 'reports',
  success: { status: 201, body: Parted },
  otherSuccess: { status: 200, body: Parted },
  problems: [...lookupProblems, 'conflict'],
})
