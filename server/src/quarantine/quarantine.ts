import {
  heldDays,
  invalidParameter,
  type QuarantinedEvent,
  type QuarantineFilter,
  type QuarantineState,
  readTime,
} from '@assay/contract'
import {
  issuesOf,
  type QuarantinedPayload,
  type QuarantinedRow,
  readQuarantined,
} from '../ingest/row/quarantined-event.ts'
import { iso } from '../platform/clock.ts'
import { pageOf } from '../platform/page.ts'
import { dayMs } from '../platform/units.ts'
import type { Events } from '../store/events.ts'
import { examplesOf } from './examples.ts'
import {
  dropMonthsBefore,
  type GroupRow,
  type Place,
  type QuarantineQuery,
  type StateRow,
  selectBetween,
  selectDays,
  selectFinalStates,
  selectGroups,
  selectNewest,
  selectSamples,
} from './store.ts'

type QuarantineParameters = QuarantineFilter & {
  site_id?: string | undefined
  state?: QuarantineState | undefined
}

/** How long what was decided about, or has expired, can still be looked at. */
const shownMsMax = 60 * dayMs
/** Decisions, the gate: events without a decision expire. */
const heldMsMax = heldDays * dayMs
/** The last year that every column of time can hold. */
const timeMsMax = Date.UTC(2105, 0, 1)
/** Anyone may send names that are not known; the page is for those that matter. */
const groupsMax = 200
/** What was sent is read for these: up to 32 KB for each sample. */
const groupsWithExamplesMax = 50
const samplesMax = 5

export function toQuery(workspaceId: string, wanted: QuarantineParameters, nowMs: number): QuarantineQuery {
  const fromMs = readBound('from', wanted.from, 0)
  const toMs = readBound('to', wanted.to, timeMsMax)
  return {
    workspaceId,
    fromMs,
    toMs,
    expiryMs: Math.max(0, nowMs - heldMsMax),
    state: wanted.state,
    names: wanted.event === undefined ? undefined : [wanted.event],
    code: wanted.code,
    siteId: wanted.site_id,
  }
}

function readBound(field: 'from' | 'to', text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const read = readTime(text)
  if (read === undefined) throw invalidParameter(field, 'must be a time such as 2026-03-01T00:00:00Z')
  return Math.min(Math.max(read.ms, 0), timeMsMax)
}

type QuarantinePage = { data: QuarantinedEvent[]; next_cursor: string | null }

export async function listQuarantinedEvents(
  events: Events,
  query: QuarantineQuery,
  cursor: string | undefined,
  limit: number,
): Promise<QuarantinePage> {
  const keys = await selectNewest(events, query, readCursor(cursor), limit + 1)
  const { page, next } = pageOf(keys, limit, ({ ms, hash }) => `${ms}.${hash}`)
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined) return { data: [], next_cursor: null }
  const found = await readStanding(
    events,
    { ...query, eventIds: page.map((key) => key.event_id) },
    last,
    first,
  )
  return {
    data: found.map(toQuarantinedEvent).reverse(),
    next_cursor: next,
  }
}

/** A time of arrival and a hash, both of at most 20 digits. */
const cursorPattern = /^(\d{1,15})\.(\d{1,20})$/
const hashMax = 2n ** 64n

function readCursor(text: string | undefined): Place | null {
  if (text === undefined) return null
  const [, ms, hash] = cursorPattern.exec(text) ?? []
  if (ms === undefined || hash === undefined || BigInt(hash) >= hashMax) {
    throw invalidParameter('cursor', 'must be the next_cursor of the page before')
  }
  return { ms: String(Math.min(Number(ms), timeMsMax)), hash }
}

/** A quarantined event with all that is known of it. */
type DecidedRow = {
  row: QuarantinedRow
  held: QuarantinedPayload
  state: QuarantineState
  expiresMs: number
  /** Set once it is decided. */
  decision: StateRow | null
}

/** `query` names the events by their ids; first and last are the earliest and the latest of them. */
async function readStanding(
  events: Events,
  query: QuarantineQuery,
  first: Place,
  last: Place,
): Promise<DecidedRow[]> {
  const [rows, states] = await Promise.all([
    selectBetween(events, query, first, last),
    selectFinalStates(events, query),
  ])
  return rows.map((row) => {
    const decision = states.find((one) => isOf(one, row)) ?? null
    const isExpired = Number(row.received_ms) < query.expiryMs
    const state = decision?.state ?? (isExpired ? 'expired' : 'held')
    return {
      row,
      held: readQuarantined(row.held),
      state,
      expiresMs: Number(row.received_ms) + heldMsMax,
      decision,
    }
  })
}

function isOf(state: StateRow, row: QuarantinedRow): boolean {
  return state.event_id === row.event_id && state.received_ms === row.received_ms
}

/** The latest sighting of an id, in whatever state it is. */
export async function findQuarantined(
  events: Events,
  workspaceId: string,
  eventId: string,
  nowMs: number,
): Promise<DecidedRow | null> {
  const query = { ...toQuery(workspaceId, {}, nowMs), eventIds: [eventId] }
  const [key] = await selectNewest(events, query, null, 1)
  if (key === undefined) return null
  const [found] = await readStanding(events, query, key, key)
  return found ?? null
}

export const idPrefix = 'qtn_'

/** Null when it cannot be the id of a quarantined event. */
export function eventIdOf(heldId: string): string | null {
  return heldId.startsWith(idPrefix) ? heldId.slice(idPrefix.length) : null
}

export function toQuarantinedEvent({ row, held, state, expiresMs, decision }: DecidedRow): QuarantinedEvent {
  return {
    id: idPrefix + row.event_id,
    event_id: row.event_id,
    site_id: row.site_id,
    state,
    name: row.sent_name,
    canonical_name: row.name,
    code: row.code,
    issues: issuesOf(row, held),
    received_at: iso(row.received_ms),
    ts: iso(held.verdict.ts),
    expires_at: iso(expiresMs),
    decided_at: decision === null ? null : iso(decision.decided_ms),
    decided_by: decision === null || decision.decided_by === '' ? null : decision.decided_by,
  }
}

export async function countsOf(events: Events, query: QuarantineQuery) {
  const held = { ...query, state: 'held' } as const
  const [groups, days] = await Promise.all([selectGroups(events, held, groupsMax), selectDays(events, query)])
  const shown = groups.slice(0, groupsWithExamplesMax)
  const samples = shown.length === 0 ? [] : await selectSamples(events, held, shown, samplesMax)
  const samplesOf = Map.groupBy(samples, groupKey)
  return {
    groups: groups.map((row) => ({
      site_id: row.site_id,
      name: row.name,
      code: row.code,
      held: Number(row.events),
      last_received_at: iso(row.last_ms),
      examples: examplesOf(samplesOf.get(groupKey(row)) ?? []),
    })),
    days: days.map((row) => ({ day: row.day, code: row.code, events: Number(row.events) })),
  }
}

function groupKey({ site_id, code, name }: Pick<GroupRow, 'site_id' | 'code' | 'name'>): string {
  return `${site_id} ${code} ${name}`
}

/**
 * Deletes months that are completely beyond what is shown: after 60 to 91 days a quarantined event is gone.
 */
export async function deleteOldQuarantined(events: Events, nowMs: number): Promise<void> {
  const firstShown = iso(nowMs - shownMsMax)
  await dropMonthsBefore(events, firstShown.slice(0, 7).replace('-', ''))
}
