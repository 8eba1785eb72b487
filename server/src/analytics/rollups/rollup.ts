import { minuteMs } from '../../platform/units.ts'
import type { Chunk } from '../tally/chunk.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'
import { bytesOfKeyRollup, type KeyRollup, rollUpBy } from './key-rollup.ts'
import { Marks } from './owners.ts'
import { bytesOfVisits, rollUpVisits, type VisitRollup } from './visit-rollup.ts'

/** Every zone of today begins its hours and days on one of these. */
export const quarterMs = 15 * minuteMs

/**
 * What an overview counts of a few rows, whatever its period, interval and merges are. Rows of a day that do not
 * change any more are counted once, and reports add up days.
 */
export type Rollup = {
  visits: VisitRollup
  /** Rows without a visit. */
  loose: Int32Array
  /** Page views by path. */
  pages: KeyRollup
  /** By name. */
  events: KeyRollup
  /** By quarter of an hour, from the first one on. */
  quarters: KeyRollup & { startMs: number; views: Int32Array; conversions: Int32Array }
}

/** Of one time after the other. */
const marks = { people: new Marks(), sessions: new Marks() }

export function rollUp(chunk: Chunk, numbers: RowNumbers): Rollup {
  marks.people.makeRoom(numbers.people.size)
  marks.sessions.makeRoom(numbers.sessions.size)
  const names = chunk.texts.name
  const viewName = numbers.texts.name.texts.indexOf('$pageview')
  const pathOf = chunk.texts.path.map((path, row) => (names[row] === viewName ? path : -1))
  const rollUpTexts = (name: 'path' | 'name', keyOf: Int32Array) =>
    rollUpBy(chunk, keyOf, numbers.texts[name].texts.length, marks)
  const { startMs, quarterOf, quarters } = quartersOf(chunk)
  return {
    visits: rollUpVisits(chunk, numbers),
    loose: looseRows(chunk),
    pages: rollUpTexts('path', pathOf),
    events: rollUpTexts('name', names),
    quarters: {
      ...rollUpBy(chunk, quarterOf, quarters, marks),
      startMs,
      ...viewsAndConversions(chunk, quarterOf, quarters, viewName),
    },
  }
}

function quartersOf({ ms, count }: Chunk): { startMs: number; quarterOf: Int32Array; quarters: number } {
  let [least, most] = [Infinity, -Infinity]
  for (let row = 0; row < count; row += 1) {
    const quarter = Math.floor((ms[row] ?? 0) / quarterMs)
    if (quarter < least) least = quarter
    if (quarter > most) most = quarter
  }
  if (count === 0) return { startMs: 0, quarterOf: new Int32Array(0), quarters: 0 }
  const quarterOf = new Int32Array(count)
  for (let row = 0; row < count; row += 1) quarterOf[row] = Math.floor((ms[row] ?? 0) / quarterMs) - least
  return { startMs: least * quarterMs, quarterOf, quarters: most - least + 1 }
}

/** Of every quarter, also those without rows. */
function viewsAndConversions(
  { texts, flags }: Chunk,
  quarterOf: Int32Array,
  quarters: number,
  viewName: number,
) {
  const [views, conversions] = [new Int32Array(quarters), new Int32Array(quarters)]
  for (let row = 0; row < quarterOf.length; row += 1) {
    const [quarter, bits] = [quarterOf[row] ?? 0, flags[row] ?? 0]
    if ((bits & rowFlags.conversion) !== 0) conversions[quarter] = (conversions[quarter] ?? 0) + 1
    if ((bits & rowFlags.match) !== 0 && texts.name[row] === viewName)
      views[quarter] = (views[quarter] ?? 0) + 1
  }
  return { views, conversions }
}

function looseRows({ session, count }: Chunk): Int32Array {
  const rows: number[] = []
  for (let row = 0; row < count; row += 1) if (session[row] === -1) rows.push(row)
  return Int32Array.from(rows)
}

export function bytesOfRollup({ visits, loose, pages, events, quarters }: Rollup): number {
  const byKey = [pages, events, quarters].reduce((sum, one) => sum + bytesOfKeyRollup(one), 0)
  return bytesOfVisits(visits) + loose.byteLength + byKey + quarters.views.byteLength * 2
}
