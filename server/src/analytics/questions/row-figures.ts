import type { Money } from '../../store/money.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { rowFlags } from '../tally/row-store.ts'
import { distinct, orderedBy } from '../tally/tally.ts'
import { type Visits, visitsIn } from '../tally/visits.ts'
import type { RowFigure } from './plan.ts'
import { amountsIn } from './row-amounts.ts'

/** Counts a figure of each key; events with the key -1 are left out. Money is a decimal text. */
export type CountFigure = (figure: RowFigure, keyOf: Int32Array, keys: number) => ArrayLike<FigureValue>
type FigureValue = number | string | readonly string[]

/** What visits were is of the whole visit, in every group and interval that it is in. */
export function figuresIn(rows: EventRows, money: Money): CountFigure {
  // Only what is asked for is counted.
  let amounts: ReturnType<typeof amountsIn> | undefined
  const ofMoney = () => (amounts ??= amountsIn(rows, money))
  const viewName = rows.name.texts.indexOf('$pageview')
  const names = rows.name.numbers
  let visits: Visits | undefined
  const ofVisits = () => (visits ??= visitsIn({ ...rows, names, viewName }, rows.session, rows.sessions))
  const bounced = (visit: number) => (ofVisits().active[visit] ?? 0) <= 1
  const converted = (visit: number) => (ofVisits().conversions[visit] ?? 0) > 0
  const isMatch = (row: number) => ((rows.flags[row] ?? 0) & rowFlags.match) !== 0
  const visitsWith = (holds: (visit: number) => boolean, keyOf: Int32Array, keys: number) => {
    const isHeld = Uint8Array.from({ length: rows.sessions }, (_, visit) => (holds(visit) ? 1 : 0))
    const own = new Int32Array(keyOf.length)
    for (let row = 0; row < own.length; row += 1)
      own[row] = isHeld[rows.session[row] ?? -1] === 1 ? (keyOf[row] ?? -1) : -1
    return distinct(own, keys, rows.session, rows.sessions)
  }
  return (figure, keyOf, keys) => {
    switch (figure) {
      case 'visitors':
        return distinct(keyOf, keys, rows.person, rows.people)
      case 'sessions':
        return distinct(keyOf, keys, rows.session, rows.sessions)
      case 'events':
        return countIf(keyOf, keys, isMatch)
      case 'views':
        return countIf(keyOf, keys, (row) => names[row] === viewName && isMatch(row))
      case 'conversions':
        return countIf(keyOf, keys, (row) => ((rows.flags[row] ?? 0) & rowFlags.conversion) !== 0)
      case 'bounced':
        return visitsWith(bounced, keyOf, keys)
      case 'converted':
        return visitsWith(converted, keyOf, keys)
      case 'lengthMs':
        return lengths(rows, keyOf, keys, ofVisits())
      case 'revenue':
        return ofMoney().sums(keyOf, keys, false)
      case 'orderValue':
        return ofMoney().sums(keyOf, keys, true)
      case 'orders':
        return ofMoney().orders(keyOf, keys)
      case 'unknownCurrencies':
        return ofMoney().unknown(keyOf, keys, false)
      case 'unknownOrderCurrencies':
        return ofMoney().unknown(keyOf, keys, true)
    }
  }
}

function countIf(keyOf: Int32Array, keys: number, holds: (row: number) => boolean): Int32Array {
  const counts = new Int32Array(keys)
  for (let row = 0; row < keyOf.length; row += 1) {
    const key = keyOf[row] ?? -1
    if (key !== -1 && holds(row)) counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** A visit is in many rows of a group, and its length counts once. */
function lengths(
  rows: EventRows,
  keyOf: Int32Array,
  keys: number,
  { firstMs, lastMs }: Visits,
): Float64Array {
  const { order, starts } = orderedBy(keyOf, keys)
  const sums = new Float64Array(keys)
  const lastKey = new Int32Array(rows.sessions).fill(-1)
  for (let key = 0; key < keys; key += 1) {
    const end = starts[key + 1] ?? 0
    for (let place = starts[key] ?? 0; place < end; place += 1) {
      const session = rows.session[order[place] ?? 0] ?? -1
      if (session === -1 || lastKey[session] === key) continue
      lastKey[session] = key
      sums[key] = (sums[key] ?? 0) + (lastMs[session] ?? 0) - (firstMs[session] ?? 0)
    }
  }
  return sums
}
