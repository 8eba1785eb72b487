import type { Clock } from '../../platform/clock.ts'
import { RecentMap } from '../../platform/recent-map.ts'
import type { Events } from '../../store/events.ts'
import { type Identifier, originalIdOf } from '../graph/identifier.ts'
import { normalise } from '../graph/normal-form.ts'
import { type BirthRow, idsPerQuery, selectBirth, selectSightings } from './seen-time-store.ts'

/** First and last event of an original person. */
export type Sighting = {
  firstMs: number
  lastMs: number
  events: number
  outcomes: number
  siteIds: readonly string[]
}

export type Sightings = {
  /** Which of these have events so far. */
  find: (workspaceId: string, originalIds: readonly string[]) => Promise<Map<string, Sighting>>
  /** Ingest records whom it sees, since events need a moment until they can be queried. */
  note: (workspaceId: string, originalId: string, ms: number) => void
  forget: (workspaceId: string, originalId: string) => void
  /** The identifier of an original person, for people known from events only. */
  birthOf: (workspaceId: string, originalId: string) => Promise<Identifier | null>
  /** The identifier among those of an event that makes its original person. */
  identifierIn: (workspaceId: string, originalId: string, row: BirthRow) => Identifier | null
  count: (
    workspaceId: string,
    originalIds: readonly string[],
  ) => Promise<{ events: number; outcomes: number }>
}

type Asking = {
  running: Promise<void>
  /** The next query, to which more ids may be added. */
  next: { ids: Set<string>; found: Promise<Map<string, Sighting>> } | undefined
}

/** Recently seen people: more than arrive between an event and its load, at 100 bytes each, in two generations. */
const recentMax = 50_000

export function createSightings(
  events: Events,
  keyOf: (workspaceId: string) => string,
  now: Clock,
): Sightings {
  // By workspace, since a sender may name an id of another one.
  const recent = new RecentMap<number>(recentMax)
  const keyIn = (workspaceId: string, originalId: string) => `${workspaceId} ${originalId}`

  const ask = createAsking(events)

  async function find(workspaceId: string, originalIds: readonly string[]): Promise<Map<string, Sighting>> {
    if (originalIds.length === 0) return new Map()
    const all = await ask(workspaceId, originalIds)
    const found = new Map<string, Sighting>()
    for (const originalId of originalIds) {
      const sighting = all.get(originalId)
      if (sighting !== undefined) found.set(originalId, sighting)
    }
    for (const originalId of originalIds) {
      const ms = recent.get(keyIn(workspaceId, originalId))
      if (ms !== undefined && !found.has(originalId)) {
        found.set(originalId, {
          firstMs: Math.min(ms, now()),
          lastMs: ms,
          events: 0,
          outcomes: 0,
          siteIds: [],
        })
      }
    }
    return found
  }

  return {
    find,
    note(workspaceId, originalId, ms) {
      const key = keyIn(workspaceId, originalId)
      if (recent.get(key) === undefined) recent.set(key, ms)
    },
    forget: (workspaceId, originalId) => void recent.delete(keyIn(workspaceId, originalId)),
    async birthOf(workspaceId, originalId) {
      const row = await selectBirth(events, workspaceId, originalId)
      return row === null ? null : identifierIn(row, keyOf(workspaceId), originalId)
    },
    identifierIn: (workspaceId, originalId, row) => identifierIn(row, keyOf(workspaceId), originalId),
    async count(workspaceId, originalIds) {
      if (originalIds.length === 0) return { events: 0, outcomes: 0 }
      const sightings = [...(await find(workspaceId, originalIds)).values()]
      return {
        events: sightings.reduce((sum, one) => sum + one.events, 0),
        outcomes: sightings.reduce((sum, one) => sum + one.outcomes, 0),
      }
    },
  }
}

type Ask = (workspaceId: string, originalIds: readonly string[]) => Promise<Map<string, Sighting>>

/** One query at a time per workspace; concurrent callers share the next one. */
function createAsking(events: Events): Ask {
  // bounded: by the requests that are being answered.
  const asking = new Map<string, Asking>()
  return (workspaceId, originalIds) => {
    const next = asking.get(workspaceId)?.next
    if (next !== undefined) {
      for (const originalId of originalIds) next.ids.add(originalId)
      return next.found
    }
    const ids = new Set(originalIds)
    const before = asking.get(workspaceId)?.running ?? Promise.resolve()
    const found = before.then(() => {
      state.next = undefined
      return selectAll(events, workspaceId, [...ids])
    })
    const running = found.then(
      () => undefined,
      () => undefined,
    )
    const state: Asking = { running, next: { ids, found } }
    asking.set(workspaceId, state)
    void running.then(() => {
      if (asking.get(workspaceId) === state) asking.delete(workspaceId)
    })
    return found
  }
}

async function selectAll(
  events: Events,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<Map<string, Sighting>> {
  const found = new Map<string, Sighting>()
  for (let start = 0; start < originalIds.length; start += idsPerQuery) {
    const part = originalIds.slice(start, start + idsPerQuery)
    for (const row of await selectSightings(events, workspaceId, part)) {
      found.set(row.original_id, {
        firstMs: Number(row.first_ms),
        lastMs: Number(row.last_ms),
        events: Number(row.events),
        outcomes: Number(row.outcomes),
        siteIds: row.site_ids,
      })
    }
  }
  return found
}

/** The event has several identifiers; the one that hashes to the id is the one. */
function identifierIn(row: BirthRow, personKey: string, originalId: string): Identifier | null {
  const candidates: Identifier[] = [
    { type: 'user_id', value: row.user_id },
    { type: 'anonymous_id', value: row.anonymous_id },
  ]
  for (const { type, value } of candidates) {
    const found = normalise({ type, value })
    if ('refused' in found) continue
    const identifier = { type, value: found.value }
    if (originalIdOf(personKey, identifier) === originalId) return identifier
  }
  return null
}
