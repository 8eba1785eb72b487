import type { DayWalks } from './day-walks.ts'
import type { MetErrors } from './error-groups.ts'
import type { SessionEvents } from './session-walks.ts'

/** 1 for sessions that lie in several parts, or met an error: what they did is not known part by part. */
export function sessionsApart(days: readonly DayWalks[], sessions: number): Uint8Array {
  const isApart = new Uint8Array(sessions)
  const isMet = new Uint8Array(sessions)
  for (const { session, errors } of days) {
    for (let place = 0; place < session.length; place += 1) {
      const number = session[place] ?? 0
      if (isMet[number] === 1) isApart[number] = 1
      isMet[number] = 1
    }
    for (const place of errors.place) isApart[session[place] ?? 0] = 1
  }
  return isApart
}

/** All events of sessions that lie apart, put together from their parts, and the errors among them. */
export function joinSessions(
  days: readonly DayWalks[],
  isApart: Uint8Array,
): { events: SessionEvents; errors: MetErrors } {
  const { numberOf, starts } = numberSessions(days, isApart)
  const sessions = starts.length - 1
  const size = starts[sessions] ?? 0
  const firsts = {
    person: new Int32Array(sessions).fill(-1),
    device: new Int32Array(sessions),
    country: new Int32Array(sessions),
    ms: new Float64Array(sessions).fill(Infinity),
    arrival: new Float64Array(sessions).fill(Infinity),
  }
  const events = { starts, ms: new Float64Array(size), kinds: new Uint8Array(size), firsts }
  const next = starts.slice()
  for (const day of days)
    for (let place = 0; place < day.session.length; place += 1) {
      const number = numberOf[day.session[place] ?? 0] ?? -1
      if (number === -1) continue
      next[number] = copyEvents(day, place, events, next[number] ?? 0)
      noteFirst(day, place, firsts, number)
    }
  return { events, errors: joinErrors(days, numberOf) }
}

/** Sessions that lie apart by numbers from 0, -1 for the others; and where the events of each are to begin. */
function numberSessions(
  days: readonly DayWalks[],
  isApart: Uint8Array,
): { numberOf: Int32Array; starts: Int32Array } {
  const numberOf = new Int32Array(isApart.length).fill(-1)
  const sizes: number[] = []
  for (const { session, events } of days)
    for (let place = 0; place < session.length; place += 1) {
      const own = session[place] ?? 0
      if (isApart[own] === 0) continue
      if (numberOf[own] === -1) numberOf[own] = sizes.push(0) - 1
      const number = numberOf[own] ?? 0
      sizes[number] = (sizes[number] ?? 0) + (events.starts[place + 1] ?? 0) - (events.starts[place] ?? 0)
    }
  const starts = new Int32Array(sizes.length + 1)
  for (let number = 0; number < sizes.length; number += 1)
    starts[number + 1] = (starts[number] ?? 0) + (sizes[number] ?? 0)
  return { numberOf, starts }
}

/** Returns the place behind the last one. */
function copyEvents(
  { events: { starts, baseMs, ms, kinds } }: DayWalks,
  place: number,
  joined: Pick<SessionEvents, 'ms' | 'kinds'>,
  first: number,
): number {
  let to = first
  for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at += 1) {
    joined.ms[to] = baseMs + (ms[at] ?? 0)
    joined.kinds[to] = kinds[at] ?? 0
    to += 1
  }
  return to
}

function noteFirst(
  { firsts: own }: DayWalks,
  place: number,
  firsts: DayWalks['firsts'],
  number: number,
): void {
  const [ms, arrival] = [own.ms[place] ?? 0, own.arrival[place] ?? 0]
  const knownMs = firsts.ms[number] ?? 0
  if (ms > knownMs || (ms === knownMs && arrival >= (firsts.arrival[number] ?? 0))) return
  firsts.ms[number] = ms
  firsts.arrival[number] = arrival
  firsts.person[number] = own.person[place] ?? -1
  firsts.device[number] = own.device[place] ?? 0
  firsts.country[number] = own.country[place] ?? 0
}

/** A session with an error lies apart, so all errors are there. */
function joinErrors(days: readonly DayWalks[], numberOf: Int32Array): MetErrors {
  const count = days.reduce((sum, { errors }) => sum + errors.place.length, 0)
  const joined = {
    low: new Uint32Array(count),
    high: new Uint32Array(count),
    session: new Int32Array(count),
    ms: new Float64Array(count),
  }
  let first = 0
  for (const { session, events, errors } of days) {
    joined.low.set(errors.low, first)
    joined.high.set(errors.high, first)
    for (let index = 0; index < errors.place.length; index += 1) {
      joined.session[first + index] = numberOf[session[errors.place[index] ?? 0] ?? 0] ?? -1
      joined.ms[first + index] = events.baseMs + (errors.ms[index] ?? 0)
    }
    first += errors.place.length
  }
  return joined
}
