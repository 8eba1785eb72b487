import { tieOf } from '../../store/event-order.ts'
import type { Chunk } from './chunk.ts'
import type { TextColumn } from './event-rows.ts'
import { rowFlags } from './row-store.ts'

/** An arrival is of the first event that has a channel, a description of the first one that has the value. */
type VisitValueKind = 'arrival' | 'description'

type OrderColumns = Pick<Chunk, 'count' | 'ms' | 'arrival' | 'flags'>

/**
 * The event that says the value of each visit, as `visitValue` says it of a statement; -1 where none does. `placeOf`
 * says which visit each event is of, -1 for none.
 */
export function firstRows(
  rows: OrderColumns,
  column: TextColumn,
  kind: VisitValueKind,
  placeOf: Int32Array,
  places: number,
): Int32Array {
  const { numbers, texts } = column
  const { ms, flags } = rows
  const unset = kind === 'description' ? texts.indexOf('') : -1
  const lastBit = kind === 'arrival' ? rowFlags.unsourced : 0
  const first = new Int32Array(places).fill(-1)
  for (let row = 0; row < rows.count; row += 1) {
    const visit = placeOf[row] ?? -1
    if (visit === -1 || numbers[row] === unset) continue
    const known = first[visit] ?? -1
    // Most rows come in the order of time.
    if (known !== -1 && (ms[row] ?? 0) > (ms[known] ?? 0) && ((flags[known] ?? 0) & lastBit) === 0) continue
    if (known === -1 || isBefore({ rows, column, row }, { rows, column, row: known }, kind))
      first[visit] = row
  }
  return first
}

/** An event among some rows. */
export type ValueRow = { rows: OrderColumns; column: TextColumn; row: number }

/** Whether the value of a visit is the first one's. */
export function isBefore(one: ValueRow, other: ValueRow, kind: VisitValueKind): boolean {
  const lastBit = kind === 'arrival' ? rowFlags.unsourced : 0
  const bitOf = ({ rows, row }: ValueRow) => (rows.flags[row] ?? 0) & lastBit
  const msOf = ({ rows, row }: ValueRow) => rows.ms[row] ?? 0
  const arrivalOf = ({ rows, row }: ValueRow) => rows.arrival[row] ?? 0
  const order = bitOf(one) - bitOf(other) || msOf(one) - msOf(other) || arrivalOf(one) - arrivalOf(other)
  return (order || tieAt(one) - tieAt(other)) < 0
}

const tieAt = ({ column: { texts, numbers }, row }: ValueRow) => tieOf(texts[numbers[row] ?? 0] ?? '')

/** The value of each visit by its number; -1 where it has none. */
export function visitValues(
  rows: OrderColumns,
  column: TextColumn,
  kind: VisitValueKind,
  placeOf: Int32Array,
  places: number,
): Int32Array {
  const unset = unsetOf(column, kind)
  return firstRows(rows, column, kind, placeOf, places).map((row) =>
    row === -1 ? unset : (column.numbers[row] ?? -1),
  )
}

/** A visit with no event that has the value: one with an empty text is among its events. */
export function unsetOf({ texts }: Pick<TextColumn, 'texts'>, kind: VisitValueKind): number {
  return kind === 'description' ? texts.indexOf('') : -1
}
