import { evaluateFormula } from '@assay/contract/question-formula'
import type { Money } from '../../store/money.ts'
import type { KeptRead } from '../kept-rows/kept-read.ts'
import { byBytes } from '../tally/bytes-order.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { intervalsOf } from '../tally/intervals.ts'
import { visitValues } from '../tally/visit-values.ts'
import type { Aggregate, Plan, RowFigure } from './plan.ts'
import type { FigureRow, GroupOrder } from './question-store.ts'
import { type CountFigure, figuresIn } from './row-figures.ts'
import type { GroupDimension } from './row-store.ts'

/** Dimensions whose values are among the rows; those of visits by how a visit gets its value. */
const rowDimensions = {
  event: { column: 'name', of: null },
  page: { column: 'path', of: null },
  source: { column: 'source', of: 'arrival' },
  channel: { column: 'channel', of: 'arrival' },
  'utm.campaign': { column: 'campaign', of: 'arrival' },
  country: { column: 'country', of: 'description' },
  device: { column: 'device', of: 'description' },
} as const
type RowDimension = keyof typeof rowDimensions

type RowQuestion = {
  dimension: RowDimension | null
  starts: readonly number[] | null
  figures: readonly { alias: string; figure: RowFigure }[]
  money: Money
  order: readonly GroupOrder[]
  /** How many groups are shown, of which one more is looked for; or the values of those that are shown. */
  shown: number | readonly string[]
}
/** The first groups, one more than are shown where there are more; and figures of those that are shown. */
type RowAnswer = { values: string[]; figures: FigureRow[] }

/** The question where rows can answer it; null where it asks for other dimensions or figures. */
export function questionOfRows(
  dimensions: readonly GroupDimension[],
  { aggregates }: Plan,
): Pick<RowQuestion, 'dimension' | 'figures'> | null {
  const [only, ...others] = dimensions.map((one) => (one.kind === 'column' ? one.name : null))
  const dimension = rowNames.find((name) => name === only) ?? null
  if (others.length > 0 || (only !== undefined && dimension === null)) return null
  const figures = aggregates.flatMap(({ alias, figure }: Aggregate) =>
    figure === null ? [] : [{ alias, figure }],
  )
  return figures.length === aggregates.length ? { dimension, figures } : null
}

// boundary: the names of the table.
const rowNames = Object.keys(rowDimensions) as RowDimension[]

export const questionRead: KeptRead<RowQuestion, RowAnswer> = {
  file: import.meta.url,
  name: 'questionRead',
  isOfVisits: false,
  takesFilters: true,
  read: (view, asked) => answerRows(view.rows(), asked),
}

function answerRows(rows: EventRows, asked: RowQuestion): RowAnswer {
  const { dimension, starts, figures, order, shown } = asked
  const count = figuresIn(rows, asked.money)
  const counted = (keyOf: Int32Array, keys: number) =>
    figures.map(({ alias, figure }) => ({ alias, values: count(figure, keyOf, keys) }))
  const total = { is_total: 1, ...figuresAt(counted(new Int32Array(rows.count), 1), 0) }
  const groups = dimension === null ? null : groupsOf(rows, dimension)
  const values = groups === null ? [] : shownValues(groups, counted, order, shown)
  const most = typeof shown === 'number' ? shown : shown.length
  const places = groups === null ? null : placesOf(groups, values.slice(0, most))
  const bucketOf = starts === null ? null : intervalsOf(rows, starts)
  if (places === null && bucketOf === null) return { values, figures: [total] }
  const width = most + 1
  const keyOf = new Int32Array(rows.count)
  for (let row = 0; row < rows.count; row += 1)
    keyOf[row] = (bucketOf?.[row] ?? 0) * width + (places?.[row] ?? 0)
  const keys = width * (starts?.length ?? 1)
  const sizes = new Int32Array(keys)
  for (let row = 0; row < keyOf.length; row += 1) {
    const key = keyOf[row] ?? 0
    sizes[key] = (sizes[key] ?? 0) + 1
  }
  const all = counted(keyOf, keys)
  const points = Array.from({ length: keys }, (_, key) => ({
    is_total: 0,
    bucket: starts?.[Math.floor(key / width)] ?? 0,
    place: key % width,
    ...figuresAt(all, key),
  }))
  return { values, figures: [total, ...points.filter((_, key) => (sizes[key] ?? 0) > 0)] }
}

type Counted = { alias: string; values: ReturnType<CountFigure> }[]

const figuresAt = (counted: Counted, key: number): Record<string, number | string | readonly string[]> =>
  Object.fromEntries(counted.map(({ alias, values }) => [alias, values[key] ?? 0]))

/** The value of each event, by its number. */
type Groups = { texts: readonly string[]; keyOf: Int32Array }

function groupsOf(rows: EventRows, dimension: RowDimension): Groups {
  const { column, of } = rowDimensions[dimension]
  const { texts, numbers } = rows[column]
  if (of === null) return { texts, keyOf: numbers }
  const ofVisit = visitValues(rows, rows[column], of, rows.session, rows.sessions)
  const keyOf = new Int32Array(rows.count)
  for (let row = 0; row < keyOf.length; row += 1) {
    const session = rows.session[row] ?? -1
    keyOf[row] = session === -1 ? (numbers[row] ?? -1) : (ofVisit[session] ?? -1)
  }
  return { texts, keyOf }
}

/** In the order asked for; equal ones by their values. */
function shownValues(
  { texts, keyOf }: Groups,
  counted: (keyOf: Int32Array, keys: number) => Counted,
  order: readonly GroupOrder[],
  shown: RowQuestion['shown'],
): string[] {
  if (typeof shown !== 'number') return [...shown]
  const found = keysIn(keyOf, texts.length)
  const all = counted(keyOf, texts.length)
  const numberAt = (key: number, alias: string) =>
    Number(all.find((one) => one.alias === alias)?.values[key] ?? 0)
  const termOf = (one: GroupOrder, key: number) =>
    one.by === 'figure' ? evaluateFormula(one.formula, (alias) => numberAt(key, alias)) : (texts[key] ?? '')
  const terms = new Map(found.map((key) => [key, order.map((one) => termOf(one, key))]))
  return found
    .sort((a, b) => {
      for (const [index, { isDescending }] of order.entries()) {
        const by = compared(terms.get(a)?.[index] ?? null, terms.get(b)?.[index] ?? null, isDescending)
        if (by !== 0) return by
      }
      return byBytes(texts[a] ?? '', texts[b] ?? '')
    })
    .slice(0, shown + 1)
    .map((key) => texts[key] ?? '')
}

/** The keys that occur, and -1 if it does. */
function keysIn(keyOf: Int32Array, keys: number): number[] {
  // One more, so that -1 has a place.
  const isFound = new Uint8Array(keys + 1)
  for (let row = 0; row < keyOf.length; row += 1) isFound[(keyOf[row] ?? -1) + 1] = 1
  return Array.from(isFound.keys(), (place) => place - 1).filter((key) => isFound[key + 1] === 1)
}

/** What has no value comes last in either direction. */
function compared(one: number | string | null, other: number | string | null, isDescending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const by =
    typeof one === 'number' && typeof other === 'number' ? one - other : byBytes(String(one), String(other))
  return isDescending ? -by : by
}

/** The place of the group of each event, from 1; 0 for all others. */
function placesOf({ texts, keyOf }: Groups, values: readonly string[]): Int32Array {
  const placeOfText = new Map(values.map((value, index) => [value, index + 1]))
  const placeOfKey = Int32Array.from(texts, (text) => placeOfText.get(text) ?? 0)
  const places = new Int32Array(keyOf.length)
  for (let row = 0; row < places.length; row += 1) places[row] = placeOfKey[keyOf[row] ?? -1] ?? 0
  return places
}
