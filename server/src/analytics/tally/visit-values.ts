import { tieOf } from '../../store/event-order.ts'
import type { EventRows, TextColumn } from './event-rows.ts'
import { rowFlags } from './row-store.ts'

/**
 * The value that every visit has, by its number; -1 where it has none. As `visitValue` says it of a statement: a visit
 * came from where its first event did that has a channel; what describes the visitor is the first value that is set.
 * Only events of the current period say anything.
 */
export function visitValues(
  rows: EventRows,
  { texts, numbers }: TextColumn,
  kind: 'arrival' | 'description',
  period: Uint8Array,
): Int32Array {
  const ties = texts.map(tieOf)
  const unset = kind === 'description' ? texts.indexOf('') : -1
  const lastBit = kind === 'arrival' ? rowFlags.unsourced : 0
  const { session, ms, arrival, flags } = rows
  const isBefore = (one: number, other: number) =>
    ((flags[one] ?? 0) & lastBit) - ((flags[other] ?? 0) & lastBit) ||
    (ms[one] ?? 0) - (ms[other] ?? 0) ||
    (arrival[one] ?? 0) - (arrival[other] ?? 0) ||
    (ties[numbers[one] ?? 0] ?? 0) - (ties[numbers[other] ?? 0] ?? 0)
  const first = new Int32Array(rows.sessions).fill(-1)
  for (let row = 0; row < rows.count; row += 1) {
    const visit = session[row] ?? -1
    if (visit === -1 || period[row] !== 1 || numbers[row] === unset) continue
    const known = first[visit] ?? -1
    // Most rows come in the order of time.
    if (known !== -1 && (ms[row] ?? 0) > (ms[known] ?? 0) && ((flags[known] ?? 0) & lastBit) === 0) continue
    if (known === -1 || isBefore(row, known) < 0) first[visit] = row
  }
  // A visit with no event that has the value: one with an empty text is among its events.
  for (let visit = 0; visit < first.length; visit += 1) {
    const row = first[visit] ?? -1
    first[visit] = row === -1 ? unset : (numbers[row] ?? -1)
  }
  return first
}
