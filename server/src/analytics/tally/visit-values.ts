import { tieOf } from '../../store/event-order.ts'
import type { EventRows, TextColumn } from './event-rows.ts'
import { rowFlags } from './row-store.ts'

/** The value that every visit has, for each event of it; and the texts of the values. */
export type VisitValues = { texts: readonly string[]; keyOf: Int32Array }

/**
 * As `visitValue` says it of a statement. A visit came from where its first event did that has a channel; what
 * describes the visitor is the first value that is set. An event without a session has its own value. Events
 * before the current period have no key.
 */
export function visitValues(
  rows: EventRows,
  column: TextColumn,
  kind: 'arrival' | 'description',
  period: Int32Array,
): VisitValues {
  const { texts } = column
  const ties = texts.map(tieOf)
  const unset = texts.indexOf('')
  const { session, ms, arrival, flags } = rows
  const isLast = (row: number) => (kind === 'arrival' ? (flags[row] ?? 0) & rowFlags.unsourced : 0)
  const isBefore = (one: number, other: number) =>
    isLast(one) - isLast(other) ||
    (ms[one] ?? 0) - (ms[other] ?? 0) ||
    (arrival[one] ?? 0) - (arrival[other] ?? 0) ||
    (ties[column.numbers[one] ?? 0] ?? 0) - (ties[column.numbers[other] ?? 0] ?? 0)
  const first = new Int32Array(rows.sessions).fill(-1)
  for (let row = 0; row < rows.count; row += 1) {
    const visit = session[row] ?? -1
    if (visit === -1 || period[row] !== 1) continue
    if (kind === 'description' && column.numbers[row] === unset) continue
    const known = first[visit] ?? -1
    // Most rows come in the order of time.
    if (known !== -1 && (ms[row] ?? 0) > (ms[known] ?? 0) && isLast(known) === 0) continue
    if (known === -1 || isBefore(row, known) < 0) first[visit] = row
  }
  const keyOf = new Int32Array(rows.count)
  for (let row = 0; row < rows.count; row += 1) {
    const visit = session[row] ?? -1
    const from = visit === -1 ? row : (first[visit] ?? -1)
    // A visit with no event that has the value: one with an empty text is among its events.
    keyOf[row] = period[row] !== 1 ? -1 : from === -1 ? unset : (column.numbers[from] ?? -1)
  }
  return { texts, keyOf }
}
