import { Problem, replayLimits, type SessionReplay } from '@assay/contract'
import type { People } from '../identity/people.ts'
import { requirePerson } from '../identity/profiles/person.ts'
import type { Clock } from '../platform/clock.ts'
import { pageOf } from '../platform/page.ts'
import { dayMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import { readChunk } from './chunk.ts'
import {
  type Place,
  type ReplayRow,
  type StoredChunk,
  selectChunks,
  selectReplay,
  selectReplays,
} from './store.ts'

export type Reader = { control: Control; people: People; now: Clock; retentionDays: number }

export type RecordingQuery = {
  siteId?: string | undefined
  sessionId?: string | undefined
  personId?: string | undefined
}
export type Page<Item> = { data: Item[]; next_cursor: string | null }

const chunksPerHolding = 20
const replaysPerHolding = 100
/** A page of large chunks has fewer than requested, since the response is built in memory. */
const pageCharactersMax = 8 * replayLimits.chunkCharactersMax

/** Recordings made before are expired, whether or not their rows are deleted yet. */
export function keptSince({ now, retentionDays }: Pick<Reader, 'now' | 'retentionDays'>): Date {
  return new Date(now() - retentionDays * dayMs)
}

export async function listRecorded(
  reader: Reader,
  workspaceId: string,
  { siteId, sessionId, personId }: RecordingQuery,
  cursor: string | undefined,
  limit: number,
): Promise<Page<SessionReplay>> {
  const { control, people } = reader
  const originalIds =
    personId === undefined ? null : (await requirePerson(people, workspaceId, personId)).originalIds
  const place = cursor === undefined ? null : readCursor(cursor)
  const filter = { siteId: siteId ?? null, sessionId: sessionId ?? null, originalIds }
  const rows = await selectReplays(control, workspaceId, keptSince(reader), filter, place, limit + 1)
  const { page, next } = pageOf(rows, limit, placeOf)
  return { data: page.map((row) => toReplay(reader, row)), next_cursor: next }
}

export async function readRecorded(reader: Reader, workspaceId: string, id: string): Promise<SessionReplay> {
  const row = await selectReplay(reader.control, workspaceId, keptSince(reader), id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such replay.' })
  return toReplay(reader, row)
}

/** What was recorded, some chunks at a time, in the order in which it happened. */
export async function readEvents(
  { control }: Pick<Reader, 'control'>,
  workspaceId: string,
  id: string,
  cursor: string | undefined,
  chunks: number,
): Promise<Page<unknown>> {
  const place = cursor === undefined ? { ms: -1, id: '' } : readCursor(cursor)
  const rows = await selectChunks(control, workspaceId, id, place, chunks + 1)
  const page: StoredChunk[] = []
  const data: unknown[] = []
  let characters = 0
  for (const row of rows.slice(0, chunks)) {
    const recorded = await readChunk(row.events)
    characters += recorded?.characters ?? 0
    page.push(row)
    for (const event of recorded?.events ?? []) data.push(event)
    if (characters >= pageCharactersMax) break
  }
  const last = page.at(-1)
  const isMore = rows.length > page.length && last !== undefined
  return { data, next_cursor: isMore ? `${last.first_ms}.${last.id}` : null }
}

/** All recordings of a person, given by all their original ids, one replay at a time. */
export async function* everythingOf(reader: Reader, workspaceId: string, originalIds: readonly string[]) {
  const filter = { siteId: null, sessionId: null, originalIds }
  let place: Place | null = null
  for (;;) {
    const since = keptSince(reader)
    const rows: ReplayRow[] = await selectReplays(
      reader.control,
      workspaceId,
      since,
      filter,
      place,
      replaysPerHolding,
    )
    for (const row of rows) {
      let cursor: string | undefined
      do {
        const page = await readEvents(reader, workspaceId, row.id, cursor, chunksPerHolding)
        yield { ...toReplay(reader, row), recorded: page.data }
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    place = readCursor(placeOf(last))
  }
}

const placeOf = ({ started_at, id }: ReplayRow): string => `${started_at.getTime()}.${id}`

function readCursor(cursor: string): Place {
  const [, ms, id] = /^(\d{1,15})\.([A-Za-z0-9._-]{1,100})$/.exec(cursor) ?? []
  if (ms !== undefined && id !== undefined) return { ms: Number(ms), id }
  const message = 'must be the next_cursor of the page before'
  throw new Problem('invalid-parameter', {
    detail: `cursor ${message}.`,
    errors: [{ field: 'cursor', message }],
  })
}

function toReplay({ retentionDays }: Reader, row: ReplayRow): SessionReplay {
  const { created_at, started_at, ended_at, ...rest } = row
  return {
    ...rest,
    started_at: started_at.toISOString(),
    ended_at: ended_at.toISOString(),
    expires_at: new Date(created_at.getTime() + retentionDays * dayMs).toISOString(),
  }
}
