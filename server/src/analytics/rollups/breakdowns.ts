import type { BreakdownRow } from '../breakdown-store.ts'
import { byBytes } from '../tally/bytes-order.ts'
import { rowFlags } from '../tally/row-store.ts'
import { distinct } from '../tally/tally.ts'
import type { JoinedVisits } from './joined-visits.ts'
import { type Crowd, type KeyRollup, type Tally, tallyKeys } from './key-rollup.ts'
import type { Part } from './part.ts'
import type { VisitDimension } from './visit-rollup.ts'

/** By pages or names of events. */
export function breakDownEvents(
  parts: readonly Part[],
  kind: 'pages' | 'events',
  texts: readonly string[],
  crowd: Crowd,
  most: number,
): BreakdownRow[] {
  const rollups = parts.map(({ rollup }): KeyRollup => rollup[kind])
  return topOf(texts, tallyKeys(rollups, texts.length, crowd), most)
}

/** By the value of each visit; events without a visit have their own. */
export function breakDownVisits(
  parts: readonly Part[],
  visits: JoinedVisits,
  name: VisitDimension,
  texts: readonly string[],
  crowd: Crowd,
  most: number,
): BreakdownRow[] {
  const counted = () => new Int32Array(texts.length)
  const tally = { rows: counted(), events: counted(), sessions: counted() }
  const keyOfVisit = visits.values[name]
  for (let place = 0; place < visits.places; place += 1)
    addTo(tally, keyOfVisit[place] ?? -1, visits.rows[place] ?? 0, visits.events[place] ?? 0, 1)
  const loose = looseOf(parts)
  const { place: places, person } = visits.owners
  const keyOf = new Int32Array(places.length + loose.length)
  const owner = new Int32Array(keyOf.length)
  const { current } = crowd
  for (let pair = 0; pair < places.length; pair += 1) {
    keyOf[pair] = keyOfVisit[places[pair] ?? 0] ?? -1
    owner[pair] = personNow(current, person[pair] ?? -1)
  }
  for (const [index, { part, row }] of loose.entries()) {
    const key = part.chunk.texts[name][row] ?? -1
    keyOf[places.length + index] = key
    owner[places.length + index] = personNow(current, part.chunk.person[row] ?? -1)
    addTo(tally, key, 1, (part.chunk.flags[row] ?? 0) & rowFlags.match, 0)
  }
  return topOf(texts, { ...tally, visitors: distinct(keyOf, texts.length, owner, crowd.people) }, most)
}

const personNow = (current: Int32Array | null, person: number) =>
  current === null || person === -1 ? person : (current[person] ?? person)

/** Events without a visit. */
export const looseOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => Array.from(part.rollup.loose, (row) => ({ part, row })))

function addTo(
  tally: Omit<Tally, 'visitors'>,
  key: number,
  rows: number,
  events: number,
  sessions: number,
): void {
  if (key === -1) return
  tally.rows[key] = (tally.rows[key] ?? 0) + rows
  tally.events[key] = (tally.events[key] ?? 0) + events
  tally.sessions[key] = (tally.sessions[key] ?? 0) + sessions
}

/** By visitors, then by events, then by the bytes of the text, as the store orders texts. */
function topOf(texts: readonly string[], tally: Tally, most: number): BreakdownRow[] {
  const { visitors, events, sessions, rows } = tally
  const keys = Array.from(texts.keys()).filter((key) => (rows[key] ?? 0) > 0)
  return keys
    .sort(
      (a, b) =>
        (visitors[b] ?? 0) - (visitors[a] ?? 0) ||
        (events[b] ?? 0) - (events[a] ?? 0) ||
        byBytes(texts[a] ?? '', texts[b] ?? ''),
    )
    .slice(0, most)
    .map((key) => ({
      key: texts[key] ?? '',
      visitors: visitors[key] ?? 0,
      sessions: sessions[key] ?? 0,
      events: events[key] ?? 0,
    }))
}
