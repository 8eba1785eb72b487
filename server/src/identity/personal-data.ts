import { isRecord } from '@assay/contract'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { unpacked } from '../store/people/person-export.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { normalise } from './graph/normal-form.ts'
import { readLedger } from './ledger/entries.ts'
import { countNotes } from './notes/note-store.ts'
import { allNotes, forgetNotes } from './notes/notes.ts'
import type { People } from './people.ts'
import { countIdentity, mappingTable, selectContactTraits, selectValues } from './personal-data-store.ts'
import { findPerson, readPerson } from './profiles/person.ts'

type World = { control: Control; events: Events; people: People }

/**
 * The identity of a person. Erased last: the values by which other modules know the person are found here.
 */
export function identityData({ control, events, people }: World): PersonalDataPlace[] {
  return [
    mappingTable(events),
    {
      kind: 'table',
      name: 'identity',
      covers: {
        control: [
          'identifiers',
          'person_traits',
          'conditional_traits',
          'identity_links',
          'identity_apart',
          'identity_ledger',
        ],
      },
      method: () => 'deleted, and suppressed by keyed hashes',
      count: ({ workspaceId, originalIds }) => countIdentity(control, workspaceId, originalIds),
      erase: async ({ workspaceId, originalIds, requestIds }) =>
        void (await people.forget(workspaceId, originalIds, requestIds.length === 0 ? ['late'] : requestIds)),
      isAlwaysErased: true,
      exported: [
        { name: 'people', rows: (person) => profiles(people, person) },
        { name: 'merge_ledger', rows: (person) => ledger(people, person) },
      ],
    },
  ]
}

/** What members wrote on a person. */
export function noteData(people: People): PersonalDataPlace[] {
  return [
    {
      kind: 'table',
      name: 'person_notes',
      covers: { control: ['person_notes'] },
      method: () => 'deleted',
      count: ({ workspaceId, originalIds }) => countNotes(people.control, workspaceId, originalIds),
      erase: ({ workspaceId, originalIds }) => forgetNotes(people, workspaceId, originalIds),
      // One may have been on its way while they were counted.
      isAlwaysErased: true,
      exported: [
        {
          name: 'person_notes',
          rows: ({ workspaceId, originalIds }) => allNotes(people, workspaceId, originalIds),
        },
      ],
    },
  ]
}

async function* profiles(people: People, { workspaceId, personIds }: DataSubject) {
  for (const personId of personIds) {
    if ((await findPerson(people, workspaceId, personId)) === null) continue
    yield await readPerson(people, workspaceId, personId)
  }
}

const entriesPerRead = 200

async function* ledger(people: People, { workspaceId, personIds }: DataSubject) {
  const seen = new Set<string>()
  for (const person_id of personIds) {
    let cursor: string | undefined
    do {
      const asked = { person_id, limit: entriesPerRead, ...(cursor !== undefined && { cursor }) }
      const page = await readLedger(people, workspaceId, asked)
      for (const entry of page.data) {
        if (!seen.has(entry.id)) yield entry
        seen.add(entry.id)
      }
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
}

/** All known identifiers of a person, and contacts among their traits. */
export async function valuesOf(
  { control, people }: Pick<World, 'control' | 'people'>,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<string[]> {
  const known = await selectValues(control, workspaceId, originalIds)
  const isKnown = new Set(known.map((one) => one.original_id))
  // A person without a row is known by events only, and by one identifier.
  const births = await Promise.all(
    originalIds
      .filter((originalId) => !isKnown.has(originalId))
      .map(async (originalId) => (await people.sightings.birthOf(workspaceId, originalId))?.value),
  )
  const traits = await selectContactTraits(control, workspaceId, originalIds)
  const contacts = traits.flatMap(({ key, json }) => contactsIn(key, unpacked(json)))
  const values = [...known.map(({ value }) => value), ...births, ...contacts]
  return [...new Set(values.flatMap((value) => value || []))]
}

/**
 * Addresses and numbers under these names, at any depth, as sent and in their normal form. Other values are
 * not searched for: they would match the data of others.
 */
function contactsIn(key: string, value: unknown): string[] {
  const found: string[] = []
  const open: [string, unknown][] = [[key.toLowerCase(), value]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, one] = next
    if (Array.isArray(one)) for (const item of one) open.push([name, item])
    else if (isRecord(one)) {
      for (const [at, item] of Object.entries(one)) open.push([at.toLowerCase(), item])
    } else if (name === 'email' || name === 'phone') {
      const said = String(one).trim()
      const normal = normalise({ type: name, value: said })
      if ('value' in normal) found.push(said, normal.value)
    }
  }
  return found
}
