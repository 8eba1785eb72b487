import { allConsents } from '../consent/reading.ts'
import { readLedger } from '../identity/ledger-reading.ts'
import type { People } from '../identity/people.ts'
import { findPerson, readPerson } from '../identity/person.ts'
import type { Replays } from '../replays/replays.ts'
import type { Events } from '../store/events.ts'
import { type Place, selectDecisionsAfter, selectEventsAfter, selectHeldAfter } from './holdings-store.ts'
import type { Subject } from './subject.ts'

/** Where everything about people lies. */
export type Stores = { people: People; events: Events; replays: Replays }

export type Holding = { name: string; rows: () => AsyncGenerator<unknown> }

/** Everything that is held about somebody, one entry a file. A store that keeps people has its place in this list. */
export function holdingsOf(stores: Stores, workspaceId: string, subject: Subject): Holding[] {
  const { people, events, replays } = stores
  const { bornIds } = subject
  return [
    { name: 'people', rows: () => profiles(people, workspaceId, subject) },
    { name: 'consents', rows: () => allConsents(people, workspaceId, bornIds) },
    { name: 'merge_ledger', rows: () => ledger(people, workspaceId, subject) },
    { name: 'events', rows: () => paged((place) => selectEventsAfter(events, workspaceId, bornIds, place)) },
    {
      name: 'quarantine',
      rows: () => paged((place) => selectHeldAfter(events, workspaceId, bornIds, place)),
    },
    {
      name: 'quarantine_decisions',
      rows: () => paged((place) => selectDecisionsAfter(events, workspaceId, bornIds, place)),
    },
    { name: 'replays', rows: () => replays.holdings(workspaceId, bornIds) },
  ]
}

async function* profiles(people: People, workspaceId: string, { personIds }: Subject) {
  for (const personId of personIds) {
    if ((await findPerson(people, workspaceId, personId)) === null) continue
    yield await readPerson(people, workspaceId, personId)
  }
}

type Paged<Row> = { data: Row[]; next_cursor: string | null }
const pageLimit = 200

async function* allPages<Row>(read: (cursor: string | undefined) => Promise<Paged<Row>>) {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield* page.data
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function* ledger(people: People, workspaceId: string, { personIds }: Subject) {
  const seen = new Set<string>()
  for (const person_id of personIds) {
    const read = (cursor: string | undefined) =>
      readLedger(people, workspaceId, {
        person_id,
        limit: pageLimit,
        ...(cursor !== undefined && { cursor }),
      })
    for await (const entry of allPages(read)) {
      if (!seen.has(entry.id)) yield entry
      seen.add(entry.id)
    }
  }
}

type PlacedRow = Record<string, unknown> & { ms: string | number; event_id: string }

/** Texts that are JSON, which whoever reads the archive should not have to unpack twice. */
const jsonColumns = ['issues', 'properties', 'set_aside', 'context', 'held', 'patch']

async function* paged(read: (place: Place) => Promise<PlacedRow[]>) {
  let place: Place = { ms: 0, eventId: '' }
  for (;;) {
    const rows = await read(place)
    for (const row of rows) yield readable(row)
    const last = rows.at(-1)
    if (last === undefined) return
    place = { ms: Number(last.ms), eventId: last.event_id }
  }
}

/** Without what is empty and what only the paging needed. */
function readable({ ms: _, ...row }: PlacedRow): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    if (value === '' || value === null) continue
    const isJson = jsonColumns.includes(column) && typeof value === 'string'
    kept[column] = isJson ? JSON.parse(value) : value
  }
  return kept
}
