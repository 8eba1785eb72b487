import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { PersonReference, paging, SnakePage, Time } from '../shapes.ts'
import { reads, writes } from './access.ts'
import { personParams } from './identity-shapes.ts'

export const noteLimits = {
  /** A note, not a file: some 300 words. Counted as JSON Schema does, by code points. */
  textCharactersMax: 2_000,
  /** Of one person: some pages, of which no one reads more. */
  perPersonMax: 500,
} as const

export const PersonNote = Type.Object({
  id: Type.String(),
  person_id: Type.String({ description: 'The original person that it was written on' }),
  text: Type.String(),
  author: Type.String({ description: 'The member or the key that wrote it' }),
  created_at: Time,
})
export type PersonNote = Static<typeof PersonNote>

export const addPersonNote = route({
  ...writes,
  id: 'addPersonNote',
  method: 'POST',
  path: '/v1/identity/person/:id/notes',
  summary: 'Write a note on a person',
  description:
    'The text is stored without spaces around it. The note follows the person through merges and reversals. A person ' +
    `has at most ${noteLimits.perPersonMax} notes.`,
  params: personParams,
  body: Type.Object(
    {
      text: Type.String({
        minLength: 1,
        maxLength: noteLimits.textCharactersMax,
        description: 'More than spaces',
      }),
    },
    { additionalProperties: false },
  ),
  audit: { action: 'person.note_added' },
  success: { status: 201, body: PersonNote },
  problems: [...lookupProblems, 'identity-limit'],
})

export const listPersonNotes = route({
  ...reads,
  id: 'listPersonNotes',
  method: 'GET',
  path: '/v1/identity/person/:id/notes',
  summary: 'The notes on a person, newest first, over all identifiers',
  params: personParams,
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: SnakePage(PersonNote) },
  problems: lookupProblems,
})

export const deletePersonNote = route({
  ...writes,
  id: 'deletePersonNote',
  method: 'DELETE',
  path: '/v1/identity/person/:id/notes/:note_id',
  summary: 'Delete a note for good',
  params: Type.Object({ id: PersonReference, note_id: Type.String({ maxLength: 64 }) }),
  audit: { action: 'person.note_deleted' },
  success: { status: 204, body: null },
  problems: lookupProblems,
})

export const personNoteRoutes = [addPersonNote, listPersonNotes, deletePersonNote] as const
