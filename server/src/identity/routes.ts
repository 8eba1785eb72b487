import type { Person } from '@assay/contract'
import {
  addPersonNote,
  deletePersonNote,
  getPerson,
  getTimeline,
  listLedger,
  listPeople,
  listPersonNotes,
  mergePeople,
  resolveIdentity,
  reverseMerge,
  verifyLedger,
} from '@assay/contract'
import { actorIdOf, type Principal } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { RequireSite } from '../sites/sites.ts'
import { mergeOnPurpose, reverseEntry } from './commands/merge.ts'
import { requireWriter, resolve } from './commands/resolve.ts'
import { checkLedger, readLedger } from './ledger/entries.ts'
import { addNote, readNotes, removeNote } from './notes/notes.ts'
import type { People } from './people.ts'
import type { MatchPeople } from './people-list/filter.ts'
import { readPeople } from './people-list/people-list.ts'
import { readPerson } from './profiles/person.ts'
import { readTimeline } from './profiles/timeline.ts'

type Needs = Pick<Platform, 'events' | 'newId'> & {
  people: People
  overlays: Overlays
  requireSite: RequireSite
  /** A person's consent, under any of these ids. */
  consentOf: (workspaceId: string, originalIds: readonly string[]) => Promise<Person['consent']>
  matchPeople: MatchPeople
}

function isTestKey(caller: Principal): boolean {
  return caller.kind === 'key' && caller.keyKind === 'test'
}

export function identityRoutes(plane: Plane, needs: Needs): void {
  const { people, events, overlays, requireSite, consentOf, matchPeople } = needs
  serve(plane, resolveIdentity, ({ body, caller }) => {
    if (body.read_only !== true) requireWriter(caller.scopes, isTestKey(caller))
    return resolve(people, caller.workspaceId, body, actorIdOf(caller))
  })

  serve(plane, getPerson, async ({ params, caller: { workspaceId } }) => {
    const person = await readPerson(people, workspaceId, params.id)
    const consent = await consentOf(workspaceId, [person.person_id, ...person.merged_ids])
    return { ...person, consent }
  })

  serve(plane, listPeople, async ({ query, caller: { workspaceId } }) => {
    if (query.site_id !== undefined) await requireSite(workspaceId, query.site_id)
    return readPeople({ people, events, matchPeople }, workspaceId, query)
  })

  serve(plane, getTimeline, ({ params, query, caller }) =>
    readTimeline({ events, people, overlays }, caller.workspaceId, params.id, query),
  )

  serve(plane, mergePeople, ({ body, caller, reply }) => {
    if (body.dry_run === true) reply.code(200)
    return mergeOnPurpose(people, caller.workspaceId, body, actorIdOf(caller))
  })

  serve(plane, listLedger, ({ query, caller }) => readLedger(people, caller.workspaceId, query))

  serve(plane, verifyLedger, ({ caller }) => checkLedger(people.control, caller.workspaceId))

  serve(plane, reverseMerge, ({ params, body, caller, reply }) => {
    if (body.dry_run === true) reply.code(200)
    return reverseEntry(people, caller.workspaceId, params.id, body, actorIdOf(caller))
  })

  personNoteRoutes(plane, needs)
}

function personNoteRoutes(plane: Plane, { people, newId }: Pick<Needs, 'people' | 'newId'>): void {
  serve(plane, addPersonNote, async ({ params, body, caller, notes }) => {
    const author = actorIdOf(caller)
    const note = await addNote(people, newId, caller.workspaceId, params.id, { ...body, author })
    notes.details.note_id = note.id
    return note
  })

  serve(plane, listPersonNotes, ({ params, query, caller }) =>
    readNotes(people, caller.workspaceId, params.id, query),
  )

  serve(plane, deletePersonNote, async ({ params, caller, notes }) => {
    notes.objectId = params.id
    notes.details.note_id = params.note_id
    await removeNote(people, caller.workspaceId, params.id, params.note_id)
    return undefined
  })
}
