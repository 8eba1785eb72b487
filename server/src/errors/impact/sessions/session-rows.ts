import type { KeptRead } from '../../../analytics/kept-rows/kept-read.ts'
import { type ChunkRows, type CurrentPeople, personsNow } from '../../../analytics/tally/event-rows.ts'
import type { Tallied } from '../landmark-store.ts'
import type { OrderCell } from '../order-value.ts'
import { Payments } from '../payments.ts'
import type { ValueLimits } from '../value-store.ts'
import { joinSessions, sessionsApart } from './apart-sessions.ts'
import { type DayWalks, dayWalks } from './day-walks.ts'
import { groupErrors, type WantedErrors } from './error-groups.ts'
import { SessionSums } from './session-sums.ts'
import { eachWalk, type FirstEvents } from './session-walks.ts'

type SessionTallyOptions = WantedErrors & {
  previousToMs: number
  currentMs: number
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
  isOfSums: () => true,
  read: (view, options) => tallySessions(view.counts(dayWalks), view, options),
}

/**
 * Sums of all sessions and of those that each group met, as `selectSessionTally` has them from the store. Most sessions
 * lie in one part and met no error: they are added as they were walked once. The others are walked for this question.
 */
export function tallySessions(
  days: readonly DayWalks[],
  { numbers, people }: Pick<ChunkRows, 'numbers' | 'people'>,
  options: SessionTallyOptions,
): TalliedOrders {
  const isApart = sessionsApart(days, numbers.sessions.size)
  const { events, errors } = joinSessions(days, isApart)
  const firsts = { ...events.firsts, person: personsNow(events.firsts.person, people) }
  const { groups, bySession } = groupErrors(errors, events.starts.length - 1, options)
  const payments = new Payments(options.payments)
  const paidBefore = payments.numbered(people)
  const limits = options.limits ?? payments.limits()
  const { device, country } = numbers.texts
  const sums = new SessionSums({ devices: device.texts, countries: country.texts, groups }, limits)
  const kept = days.map((day) => keptVisits(day, isApart, people))
  const firstMs = firstTimes(people, firsts, kept)
  const side = { isNow: false, isBack: false, net: 0 }
  const isSided = (startedMs: number, place: number) => {
    side.isNow = startedMs >= options.currentMs
    side.isBack = (firstMs[place] ?? 0) < startedMs
    return side.isNow || startedMs < options.previousToMs
  }
  for (const { walks, visits, places } of kept)
    for (let index = 0; index < visits.length; index += 1) {
      const visit = visits[index] ?? 0
      if (isSided(walks.firsts.ms[visit] ?? 0, places[index] ?? 0)) sums.addKept(walks, visit, side)
    }
  eachWalk({ ...events, firsts }, bySession, (walk) => {
    const { person, startedMs } = walk
    if (!isSided(startedMs, placeOf(people, person))) return
    sums.add(walk, { ...side, net: person === -1 ? 0 : paidBefore(person, startedMs) })
  })
  return { tallied: sums.taken(), orders: payments.orderCells(limits) }
}

/** Sessions without a person count as those of one, which is the last. */
const placeOf = ({ people }: CurrentPeople, person: number) => (person === -1 ? people : person)

/** Of a day: the sessions that need not be walked again, and who is who by now. */
type KeptVisits = { walks: DayWalks; visits: Int32Array; places: Int32Array }

function keptVisits(walks: DayWalks, isApart: Uint8Array, { people, current }: CurrentPeople): KeptVisits {
  const { session, firsts } = walks
  const visits = new Int32Array(session.length)
  let size = 0
  for (let visit = 0; visit < session.length; visit += 1) {
    if (isApart[session[visit] ?? 0] === 1) continue
    visits[size] = visit
    size += 1
  }
  const places = new Int32Array(size)
  for (let index = 0; index < size; index += 1) {
    const stored = firsts.person[visits[index] ?? 0] ?? -1
    // As in `placeOf`.
    places[index] = stored === -1 ? people : current === null ? stored : (current[stored] ?? stored)
  }
  return { walks, visits: visits.subarray(0, size), places }
}

/** When the first session of each person began. */
function firstTimes(people: CurrentPeople, firsts: FirstEvents, kept: readonly KeptVisits[]): Float64Array {
  const firstMs = new Float64Array(people.people + 1).fill(Infinity)
  for (let session = 0; session < firsts.ms.length; session += 1) {
    const place = placeOf(people, firsts.person[session] ?? -1)
    firstMs[place] = Math.min(firstMs[place] ?? Infinity, firsts.ms[session] ?? 0)
  }
  for (const { walks, visits, places } of kept)
    for (let index = 0; index < visits.length; index += 1) {
      const [place, startedMs] = [places[index] ?? 0, walks.firsts.ms[visits[index] ?? 0] ?? 0]
      if (startedMs < (firstMs[place] ?? 0)) firstMs[place] = startedMs
    }
  return firstMs
}
