import type { RowNumbers } from '../tally/row-numbers.ts'
import { isBefore, type ValueRow } from '../tally/visit-values.ts'
import type { Visits } from '../tally/visits.ts'
import type { Part } from './part.ts'
import {
  countNames,
  type IntColumn,
  type VisitDimension,
  type VisitRollup,
  visitDimensionNames,
  visitDimensions,
} from './visit-rollup.ts'

/** The visits of a period. A place without rows is of a visit that has another place, with all it did. */
export type JoinedVisits = Visits & {
  places: number
  /** The value of each by its number; -1 where it has none. */
  values: Record<VisitDimension, Int32Array>
}

/** Most visits lie in one part; the others are put together. */
export function joinVisits(parts: readonly Part[], numbers: RowNumbers): JoinedVisits {
  const joined = oneAfterTheOther(parts)
  const again = repeatsIn(parts, numbers.sessions.size)
  for (const { place, first } of again) {
    for (const name of countNames) {
      joined[name][first] = (joined[name][first] ?? 0) + (joined[name][place] ?? 0)
      joined[name][place] = 0
    }
    joined.firstMs[first] = Math.min(joined.firstMs[first] ?? 0, joined.firstMs[place] ?? 0)
    joined.lastMs[first] = Math.max(joined.lastMs[first] ?? 0, joined.lastMs[place] ?? 0)
  }
  joinValues(joined, again, numbers)
  const firstOf = new Map(again.map(({ place, first }) => [place, first]))
  const { place: places } = joined.owners
  if (again.length > 0)
    for (let pair = 0; pair < places.length; pair += 1)
      if (joined.rows[places[pair] ?? 0] === 0) places[pair] = firstOf.get(places[pair] ?? 0) ?? 0
  return joined
}

function oneAfterTheOther(parts: readonly Part[]): JoinedVisits {
  const all = parts.map(({ rollup }) => rollup.visits)
  const places = all.reduce((sum, { session }) => sum + session.length, 0)
  const ints = (columnOf: (visits: VisitRollup) => IntColumn) => {
    const whole = new Int32Array(places)
    let at = 0
    for (const visits of all) {
      whole.set(columnOf(visits), at)
      at += visits.session.length
    }
    return whole
  }
  const times = (columnOf: (visits: VisitRollup) => VisitRollup['firstMs']) => {
    const whole = new Float64Array(places)
    let at = 0
    for (const visits of all) {
      whole.set(columnOf(visits), at)
      const end = at + visits.session.length
      if (visits.baseMs !== 0) for (; at < end; at += 1) whole[at] = (whole[at] ?? 0) + visits.baseMs
      at = end
    }
    return whole
  }
  return {
    places,
    rows: ints(({ rows }) => rows),
    events: ints(({ events }) => events),
    views: ints(({ views }) => views),
    conversions: ints(({ conversions }) => conversions),
    active: ints(({ active }) => active),
    firstMs: times(({ firstMs }) => firstMs),
    lastMs: times(({ lastMs }) => lastMs),
    values: {
      source: ints(({ values }) => values.source),
      country: ints(({ values }) => values.country),
      device: ints(({ values }) => values.device),
    },
    owners: ownersOf(all),
  }
}

function ownersOf(all: readonly VisitRollup[]): Visits['owners'] {
  const pairs = all.reduce((sum, { owners }) => sum + owners.place.length, 0)
  const joined = { place: new Int32Array(pairs), person: new Int32Array(pairs) }
  let [at, base] = [0, 0]
  for (const { owners, session } of all) {
    joined.person.set(owners.person, at)
    for (let pair = 0; pair < owners.place.length; pair += 1)
      joined.place[at + pair] = base + (owners.place[pair] ?? 0)
    at += owners.place.length
    base += session.length
  }
  return joined
}

/** A visit that was in an earlier part already, at its first place. */
type Repeat = { part: Part; visit: number; place: number; first: number; firstPart: Part; firstVisit: number }

function repeatsIn(parts: readonly Part[], sessions: number): Repeat[] {
  // One more than the place, so that 0 is none.
  const placeOf = new Int32Array(sessions)
  const found: Repeat[] = []
  const bases: number[] = []
  let base = 0
  for (const part of parts) {
    bases.push(base)
    const { session } = part.rollup.visits
    for (let visit = 0; visit < session.length; visit += 1) {
      const own = session[visit] ?? 0
      const first = (placeOf[own] ?? 0) - 1
      if (first === -1) placeOf[own] = base + visit + 1
      else found.push({ part, visit, place: base + visit, first, ...partAt(parts, bases, first) })
    }
    base += session.length
  }
  return found
}

function partAt(parts: readonly Part[], bases: readonly number[], place: number) {
  const index = bases.findLastIndex((base) => base <= place)
  const firstPart = parts[index]
  if (firstPart === undefined) throw new Error('each place is in a part')
  return { firstPart, firstVisit: place - (bases[index] ?? 0) }
}

/** A visit in several parts has the value that is the first one's of all. */
function joinValues(joined: JoinedVisits, again: readonly Repeat[], numbers: RowNumbers): void {
  for (const name of visitDimensionNames) {
    const kind = visitDimensions[name]
    const { texts } = numbers.texts[name]
    const rowOf = ({ chunk, rollup }: Part, visit: number): ValueRow | null => {
      const row = rollup.visits.first[name][visit] ?? -1
      return row === -1 ? null : { rows: chunk, column: { texts, numbers: chunk.texts[name] }, row }
    }
    const bests = new Map<number, ValueRow | null>()
    for (const { part, visit, place, first, firstPart, firstVisit } of again) {
      const best = bests.has(first) ? (bests.get(first) ?? null) : rowOf(firstPart, firstVisit)
      const own = rowOf(part, visit)
      bests.set(first, own !== null && (best === null || isBefore(own, best, kind)) ? own : best)
      joined.values[name][place] = -1
    }
    for (const [first, best] of bests)
      if (best !== null) joined.values[name][first] = best.column.numbers[best.row] ?? -1
  }
}
