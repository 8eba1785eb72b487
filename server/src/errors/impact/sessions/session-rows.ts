import type { KeptRead } from '../../../analytics/kept-rows/kept-read.ts'
import { KeyNumbers } from '../../../analytics/sequences/key-numbers.ts'
import type { Chunk } from '../../../analytics/tally/chunk.ts'
import { filterRows, joinChunks } from '../../../analytics/tally/chunk-rows.ts'
import {
  type ChunkRows,
  type CurrentPeople,
  type EventRows,
  eventRowsOf,
} from '../../../analytics/tally/event-rows.ts'
import type { GroupMap } from '../../occurrence-store.ts'
import type { Tallied } from '../landmark-store.ts'
import type { OrderCell } from '../order-value.ts'
import { Payments } from '../payments.ts'
import type { ValueLimits } from '../value-store.ts'
import { type DayWalks, dayWalks } from './day-walks.ts'
import { SessionSums } from './session-sums.ts'
import { type ErrorGroups, eachWalk, firstRowsOf } from './session-walks.ts'

type SessionTallyOptions = {
  previousToMs: number
  currentMs: number
  /** Fingerprints of the only errors that are looked at; all where it is null. */
  only: readonly string[] | null
  map: GroupMap
  /** Null for those of the payments. */
  limits: ValueLimits | null
  /** As `selectPayments` answers. */
  payments: Uint8Array<ArrayBuffer>
}

/** The sums of sessions, and what was ordered. */
export type TalliedOrders = { tallied: Tallied; orders: OrderCell[] }

export const sessionTallyRead: KeptRead<SessionTallyOptions, TalliedOrders> = {
  file: import.meta.url,
  name: 'sessionTallyRead',
  isOfVisits: false,
  takesFilters: false,
  read: (view, options) => tallySessions(view.counts(dayWalks), view, options),
}

type Day = { chunk: Chunk; value: DayWalks }

/**
 * Sums of all sessions and of those that each group met, as `selectSessionTally` has them from the store. Most sessions
 * lie in one part and met no error: they are added as they were walked once. The others are walked for this question.
 */
export function tallySessions(
  days: readonly Day[],
  source: Pick<ChunkRows, 'numbers' | 'people'>,
  options: SessionTallyOptions,
): TalliedOrders {
  const isApart = sessionsApart(days, source.numbers.sessions.size)
  const rows = rowsApart(days, source, isApart)
  const { groups, groupOf } = groupsOf(rows, options)
  const payments = new Payments(options.payments)
  const paidBefore = payments.numbered(rows)
  const limits = options.limits ?? payments.limits()
  const texts = { devices: rows.device.texts, countries: rows.country.texts, groups }
  const sums = new SessionSums(texts, limits)
  const firsts = firstRowsOf(rows)
  const kept = days.map((day) => keptVisits(day, isApart, source.people))
  const firstMs = firstTimes(rows, firsts, kept)
  const side = { isNow: false, isBack: false, net: 0 }
  const isSided = (startedMs: number, place: number) => {
    side.isNow = startedMs >= options.currentMs
    side.isBack = (firstMs[place] ?? 0) < startedMs
    return side.isNow || startedMs < options.previousToMs
  }
  for (const { walks, visits, places } of kept)
    for (let index = 0; index < visits.length; index += 1) {
      const visit = visits[index] ?? 0
      if (isSided(walks.startedMs[visit] ?? 0, places[index] ?? 0)) sums.addKept(walks, visit, side)
    }
  eachWalk(rows, groupOf, firsts, (walk) => {
    const { person, startedMs } = walk
    if (!isSided(startedMs, placeOf(rows, person))) return
    sums.add(walk, { ...side, net: person === -1 ? 0 : paidBefore(person, startedMs) })
  })
  return { tallied: sums.taken(), orders: payments.orderCells(limits) }
}

/** Sessions without a person count as those of one, which is the last. */
const placeOf = ({ people }: EventRows, person: number) => (person === -1 ? people : person)

/** 1 for sessions that lie in several parts, or met an error. */
function sessionsApart(days: readonly Day[], sessions: number): Uint8Array {
  const isApart = new Uint8Array(sessions)
  const isMet = new Uint8Array(sessions)
  for (const { chunk, value } of days) {
    for (const session of value.session) {
      if (isMet[session] === 1) isApart[session] = 1
      isMet[session] = 1
    }
    for (const row of chunk.errors.row) isApart[chunk.session[row] ?? -1] = 1
  }
  return isApart
}

function rowsApart(
  days: readonly Day[],
  { numbers, people }: Pick<ChunkRows, 'numbers' | 'people'>,
  isApart: Uint8Array,
): EventRows {
  const chunks = days.map(({ chunk }) => filterRows(chunk, (row) => isApart[chunk.session[row] ?? -1] === 1))
  return eventRowsOf(joinChunks(chunks), numbers, people)
}

/** Of a day: the sessions that need not be walked again, and who is who by now. */
type KeptVisits = { walks: DayWalks; visits: Int32Array; places: Int32Array }

function keptVisits({ value }: Day, isApart: Uint8Array, { people, current }: CurrentPeople): KeptVisits {
  const { session, person } = value
  const visits = new Int32Array(session.length)
  let size = 0
  for (let visit = 0; visit < session.length; visit += 1) {
    if (isApart[session[visit] ?? 0] === 1) continue
    visits[size] = visit
    size += 1
  }
  const places = new Int32Array(size)
  for (let index = 0; index < size; index += 1) {
    const stored = person[visits[index] ?? 0] ?? -1
    // As in `placeOf`.
    places[index] = stored === -1 ? people : current === null ? stored : (current[stored] ?? stored)
  }
  return { walks: value, visits: visits.subarray(0, size), places }
}

/** When the first session of each person began. */
function firstTimes(rows: EventRows, firsts: Int32Array, kept: readonly KeptVisits[]): Float64Array {
  const firstMs = new Float64Array(rows.people + 1).fill(Infinity)
  for (const first of firsts) {
    if (first === -1) continue
    const place = placeOf(rows, rows.person[first] ?? -1)
    firstMs[place] = Math.min(firstMs[place] ?? Infinity, rows.ms[first] ?? 0)
  }
  for (const { walks, visits, places } of kept)
    for (let index = 0; index < visits.length; index += 1) {
      const [place, startedMs] = [places[index] ?? 0, walks.startedMs[visits[index] ?? 0] ?? 0]
      if (startedMs < (firstMs[place] ?? 0)) firstMs[place] = startedMs
    }
  return firstMs
}

/** The groups by number, in the order of their ids, after the one of all sessions. */
function groupsOf(
  { errors }: EventRows,
  { only, map }: SessionTallyOptions,
): { groups: string[]; groupOf: ErrorGroups } {
  const renamed = new Map(map.keys.map((key, index) => [key, map.groups[index] ?? '']))
  const wanted = only === null ? null : new Set(only)
  const hex = (half: number | undefined) => (half ?? 0).toString(16).padStart(8, '0')
  const fingerprints = new KeyNumbers()
  const ids: (string | null)[] = []
  // Fingerprints repeat: each is looked up once.
  const idOf = Int32Array.from(errors.row, (_, index) => {
    const number = fingerprints.take(errors.low[index] ?? 0, errors.high[index] ?? 0)
    if (number < ids.length) return number
    const key = `${hex(errors.high[index])}${hex(errors.low[index])}`
    ids.push(wanted?.has(key) === false ? null : (renamed.get(key) ?? `err_${key}`))
    return number
  })
  const groups = ['', ...[...new Set(ids)].filter((id) => id !== null).sort()]
  const numbers = new Map(groups.map((id, number) => [id, number]))
  const numberOf = Int32Array.from(ids, (id) => (id === null ? -1 : (numbers.get(id) ?? -1)))
  return { groups, groupOf: idOf.map((id) => numberOf[id] ?? -1) }
}
