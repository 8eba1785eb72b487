import type { Clock } from '../../platform/clock.ts'
import type { Events } from '../../store/events.ts'
import { bornIdOf, type Identifier } from '../graph/identifier.ts'
import { normalise } from '../graph/normal-form.ts'
import { type BirthRow, idsPerQuery, selectBirth, selectSightings } from './seen-time-store.ts'

/** First and last event of an original person. */
export type Sighting = { firstMs: number; lastMs: number; events: number; outcomes: number }

export type Sightings = {
  /** Which of these have events so far. */
  find: (workspaceId: string, bornIds: readonly string[]) => Promise<Map<string, Sighting>>
  /** Ingest records whom it sees, since events need a moment until they can be queried. */
  note: (workspaceId: string, bornId: string, ms: number) => void
  forget: (workspaceId: string, bornId: string) => void
  /** The identifier of an original person, for people known from events only. */
  birthOf: (workspaceId: string, bornId: string) => Promise<Identifier | null>
  count: (workspaceId: string, bornIds: readonly string[]) => Promise<{ events: number; outcomes: number }>
}

type Asking = {
  running: Promise<void>
  /** The next query, to which more ids may be added. */
  next: { ids: Set<string>; found: Promise<Map<string, Sighting>> } | undefined
}

/** Recently seen people: more than arrive between an event and its load, at 100 bytes each. */
const recentMax = 50_000

export function createSightings(
  events: Events,
  keyOf: (workspaceId: string) => string,
  now: Clock,
): Sightings {
  // By workspace, since a sender may name an id of another one. bounded: by recentMax, of ids of ours.
  const recent = new Map<string, number>()
  const keyIn = (workspaceId: string, bornId: string) => `${workspaceId} ${bornId}`

  const ask = createAsking(events)

  async function find(workspaceId: string, bornIds: readonly string[]): Promise<Map<string, Sighting>> {
    if (bornIds.length === 0) return new Map()
    const all = await ask(workspaceId, bornIds)
    const found = new Map<string, Sighting>()
    for (const bornId of bornIds) {
      const sighting = all.get(bornId)
      if (sighting !== undefined) found.set(bornId, sighting)
    }
    for (const bornId of bornIds) {
      const ms = recent.get(keyIn(workspaceId, bornId))
      if (ms !== undefined && !found.has(bornId)) {
        found.set(bornId, { firstMs: Math.min(ms, now()), lastMs: ms, events: 0, outcomes: 0 })
      }
    }
    return found
  }

  return {
    find,
    note(workspaceId, bornId, ms) {
      const key = keyIn(workspaceId, bornId)
      if (recent.has(key)) return
      recent.set(key, ms)
      if (recent.size <= recentMax) return
      const [oldest] = recent.keys()
      if (oldest !== undefined) recent.delete(oldest)
    },
    forget: (workspaceId, bornId) => void recent.delete(keyIn(workspaceId, bornId)),
    async birthOf(workspaceId, bornId) {
      const row = await selectBirth(events, workspaceId, bornId)
      return row === null ? null : identifierIn(row, keyOf(workspaceId), bornId)
    },
    async count(workspaceId, bornIds) {
      if (bornIds.length === 0) return { events: 0, outcomes: 0 }
      const sightings = [...(await find(workspaceId, bornIds)).values()]
      return {
        events: sightings.reduce((sum, one) => sum + one.events, 0),
        outcomes: sightings.reduce((sum, one) => sum + one.outcomes, 0),
      }
    },
  }
}

type Ask = (workspaceId: string, bornIds: readonly string[]) => Promise<Map<string, Sighting>>

/** One query at a time per workspace; concurrent callers share the next one. */
function createAsking(events: Events): Ask {
  // bounded: by the requests that are being answered.
  const asking = new Map<string, Asking>()
  return (workspaceId, bornIds) => {
    const next = asking.get(workspaceId)?.next
    if (next !== undefined) {
      for (const bornId of bornIds) next.ids.add(bornId)
      return next.found
    }
    const ids = new Set(bornIds)
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
  bornIds: readonly string[],
): Promise<Map<string, Sighting>> {
  const found = new Map<string, Sighting>()
  for (let start = 0; start < bornIds.length; start += idsPerQuery) {
    const part = bornIds.slice(start, start + idsPerQuery)
    for (const row of await selectSightings(events, workspaceId, part)) {
      found.set(row.born_id, {
        firstMs: Number(row.first_ms),
        lastMs: Number(row.last_ms),
        events: Number(row.events),
        outcomes: Number(row.outcomes),
      })
    }
  }
  return found
}

/** The event has several identifiers; the one that hashes to the id is the one. */
function identifierIn(row: BirthRow, personKey: string, bornId: string): Identifier | null {
  const candidates: Identifier[] = [
    { type: 'user_id', value: row.user_id },
    { type: 'anonymous_id', value: row.anonymous_id },
  ]
  for (const { type, value } of candidates) {
    const found = normalise({ type, value })
    if ('refused' in found) continue
    const identifier = { type, value: found.value }
    if (bornIdOf(personKey, identifier) === bornId) return identifier
  }
  return null
}
