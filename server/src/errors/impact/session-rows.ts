import type { KeptRead } from '../../analytics/kept-rows/kept-read.ts'
import type { EventRows } from '../../analytics/tally/event-rows.ts'
import type { GroupMap } from '../occurrence-store.ts'
import type { Tallied } from './landmark-store.ts'
import type { OrderCell } from './order-value.ts'
import { Payments } from './payments.ts'
import { SessionSums } from './session-sums.ts'
import { type ErrorGroups, eachWalk, firstRowsOf } from './session-walks.ts'
import type { ValueLimits } from './value-store.ts'

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
  read: (view, options) => tallySessions(view.rows(), options),
}

/** Sums of all sessions and of those that each group met, as `selectSessionTally` has them from the store. */
function tallySessions(rows: EventRows, options: SessionTallyOptions): TalliedOrders {
  const { groups, groupOf } = groupsOf(rows, options)
  const payments = new Payments(options.payments)
  const paidBefore = payments.numbered(rows)
  const limits = options.limits ?? payments.limits()
  const texts = { devices: rows.device.texts, countries: rows.country.texts, groups }
  const sums = new SessionSums(texts, limits)
  const firsts = firstRowsOf(rows)
  const firstMs = firstTimes(rows, firsts)
  eachWalk(rows, groupOf, firsts, (walk) => {
    const { person, startedMs } = walk
    const isNow = startedMs >= options.currentMs
    if (!isNow && startedMs >= options.previousToMs) return
    const net = person === -1 ? 0 : paidBefore(person, startedMs)
    sums.add(walk, { isNow, isBack: (firstMs[placeOf(rows, person)] ?? 0) < startedMs, net })
  })
  return { tallied: sums.taken(), orders: payments.orderCells(limits) }
}

/** Sessions without a person count as those of one, which is the last. */
const placeOf = ({ people }: EventRows, person: number) => (person === -1 ? people : person)

/** When the first session of each person began. */
function firstTimes(rows: EventRows, firsts: Int32Array): Float64Array {
  const firstMs = new Float64Array(rows.people + 1).fill(Infinity)
  for (const first of firsts) {
    if (first === -1) continue
    const place = placeOf(rows, rows.person[first] ?? -1)
    firstMs[place] = Math.min(firstMs[place] ?? Infinity, rows.ms[first] ?? 0)
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
  const ids = Array.from(errors.row, (_, index) => {
    const key = `${hex(errors.high[index])}${hex(errors.low[index])}`
    return wanted?.has(key) === false ? null : (renamed.get(key) ?? `err_${key}`)
  })
  const groups = ['', ...[...new Set(ids)].filter((id) => id !== null).sort()]
  const numbers = new Map(groups.map((id, number) => [id, number]))
  return { groups, groupOf: Int32Array.from(ids, (id) => (id === null ? -1 : (numbers.get(id) ?? -1))) }
}
