import {
  type Input,
  invalidParameter,
  type listPersonNotes,
  noteLimits,
  type Output,
  type PersonNote,
  Problem,
} from '@assay/contract'
import { isId, type NewId } from '../../platform/clock.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Sql } from '../../store/control.ts'
import type { IdentityGraph } from '../graph/identity-graph.ts'
import { noSuchPerson, requireOriginal, requirePerson } from '../profiles/person.ts'
import { selectIdentifiers, selectMembers, selectSuppressed } from '../store.ts'
import { countNotes, deleteNote, deleteNotesOf, insertNote, type NoteRow, selectNotes } from './note-store.ts'

type NewNote = { text: string; author: string }

/**
 * Under the lock of the ledger, so that two callers do not exceed the limit together, and none writes on a person who
 * is being forgotten.
 */
export async function addNote(
  people: IdentityGraph,
  newId: NewId,
  workspaceId: string,
  personId: string,
  { text, author }: NewNote,
): Promise<PersonNote> {
  if (text.trim() === '') throw invalidParameter('text', 'must hold more than spaces')
  const { originalId } = await requireOriginal(people, workspaceId, personId)
  const row: NoteRow = {
    id: newId('note'),
    original_id: originalId,
    text: text.trim(),
    author,
    created_at: new Date(people.now()),
  }
  return people.take(workspaceId, async ({ sql }) => {
    const isForgotten = (await selectSuppressed(sql, workspaceId, [originalId])).length > 0
    if (isForgotten) throw noSuchPerson()
    const originalIds = await allIdsOf(sql, workspaceId, originalId)
    await requireRoom(sql, workspaceId, originalIds)
    await insertNote(sql, workspaceId, row)
    return toNote(row)
  })
}

/** As they are now, which a merge may have changed since the person was found. */
async function allIdsOf(sql: Sql, workspaceId: string, originalId: string): Promise<string[]> {
  const [row] = await selectIdentifiers(sql, workspaceId, [originalId])
  if (row === undefined) return [originalId]
  const members = await selectMembers(sql, workspaceId, [row.person_id])
  return members.map((member) => member.original_id)
}

/** A merge may bring more; then none is added until some are deleted. */
async function requireRoom(sql: Sql, workspaceId: string, originalIds: readonly string[]): Promise<void> {
  const count = await countNotes(sql, workspaceId, originalIds)
  if (count < noteLimits.perPersonMax) return
  throw new Problem('identity-limit', {
    detail: `This person has ${count} notes, and the limit is ${noteLimits.perPersonMax}. Delete one first.`,
  })
}

export async function readNotes(
  people: IdentityGraph,
  workspaceId: string,
  personId: string,
  { limit = pageDefault, cursor }: Input<typeof listPersonNotes>['query'],
): Promise<Output<typeof listPersonNotes>> {
  if (cursor !== undefined && !isId('note', cursor)) {
    throw invalidParameter('cursor', 'must be next_cursor of the page before')
  }
  const { originalIds } = await requirePerson(people, workspaceId, personId)
  const rows = await selectNotes(people.control, workspaceId, originalIds, cursor ?? null, limit + 1)
  const { page, next } = pageOf(rows, limit, ({ id }) => id)
  return { data: page.map(toNote), next_cursor: next }
}

export async function removeNote(
  people: IdentityGraph,
  workspaceId: string,
  personId: string,
  noteId: string,
): Promise<void> {
  const { originalIds } = await requirePerson(people, workspaceId, personId)
  const isNote = isId('note', noteId) && (await deleteNote(people.control, workspaceId, originalIds, noteId))
  if (!isNote) throw new Problem('not-found', { detail: 'There is no such note on this person.' })
}

/** Waits for a note that is just being written, so that it goes too. */
export function forgetNotes(
  people: IdentityGraph,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  return people.take(workspaceId, ({ sql }) => deleteNotesOf(sql, workspaceId, originalIds))
}

const rowsPerRead = 200

/** Every note on these original ids, newest first. Who wrote it is left out: that is about the member. */
export async function* allNotes(
  { control }: IdentityGraph,
  workspaceId: string,
  originalIds: readonly string[],
): AsyncGenerator<Omit<PersonNote, 'author'>> {
  let before: string | null = null
  for (;;) {
    const rows: NoteRow[] = await selectNotes(control, workspaceId, originalIds, before, rowsPerRead)
    for (const row of rows) {
      const { author: _author, ...note } = toNote(row)
      yield note
    }
    before = rows.at(-1)?.id ?? null
    if (rows.length < rowsPerRead) return
  }
}

function toNote({ id, original_id, text, author, created_at }: NoteRow): PersonNote {
  return { id, person_id: original_id, text, author, created_at: created_at.toISOString() }
}
