import type { BreakdownRow } from '../breakdown-store.ts'
import type { RevenueRow, SeriesRow, TotalsRow } from '../store.ts'
import { type EventRows, type RawRows, type TextColumn, toEventRows } from './event-rows.ts'
import { rowFlags } from './row-store.ts'
import { type Tally, tallyBy } from './tally.ts'
import { visitValues } from './visit-values.ts'

export type Breakdowns = Record<'pages' | 'sources' | 'countries' | 'devices' | 'events', BreakdownRow[]>

/** The figures of an overview, as the store's own statements give them. */
export type OverviewFigures = {
  totals: { current: TotalsRow; previous: TotalsRow }
  revenue: { current: RevenueRow[]; previous: RevenueRow[] }
  series: SeriesRow[]
  breakdowns: Breakdowns
}

export type TallyOptions = {
  /** Where the current period begins. */
  currentMs: number
  /** Of the intervals of the current period. */
  starts: readonly number[]
  /** Rows of each breakdown. */
  breakdownRows: number
}

/** Counts everything in an overview from one reading of its events; pure. */
export function tallyOverview(raw: RawRows, options: TallyOptions): OverviewFigures {
  return tallyRows(toEventRows(raw), options)
}

export function tallyRows(rows: EventRows, options: TallyOptions): OverviewFigures {
  const period = periodsOf(rows, options.currentMs)
  const interval = intervalsOf(rows, period, options.starts)
  const series = tallyBy(rows, interval, options.starts.length)
  const both = tallyBy(rows, period, 2)
  const [previous, current] = totalsOf(rows, period, both)
  return {
    totals: { current, previous },
    revenue: revenueOf(rows, period, interval, options.starts),
    series: options.starts.flatMap((start, key) =>
      series.rows[key] === 0 ? [] : [{ bucket: start, ...figuresOf(series, key) }],
    ),
    breakdowns: breakdownsOf(rows, period, options.breakdownRows),
  }
}

/** 1 for events of the current period, 0 for those before it. */
function periodsOf({ ms, count }: EventRows, currentMs: number): Int32Array {
  const periods = new Int32Array(count)
  for (let row = 0; row < count; row += 1) if ((ms[row] ?? 0) >= currentMs) periods[row] = 1
  return periods
}

/** The last interval that began before an event. */
function intervalsOf({ ms, count }: EventRows, period: Int32Array, starts: readonly number[]): Int32Array {
  const intervals = new Int32Array(count).fill(-1)
  for (let row = 0; row < count; row += 1) {
    if (period[row] !== 1) continue
    const at = ms[row] ?? 0
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    intervals[row] = low
  }
  return intervals
}

const figuresOf = (tally: Tally, key: number) => ({
  visitors: tally.visitors[key] ?? 0,
  sessions: tally.sessions[key] ?? 0,
  pageviews: tally.views[key] ?? 0,
  events: tally.events[key] ?? 0,
  conversions: tally.conversions[key] ?? 0,
})

/** A visit that spans both periods counts in each, with its events there. */
function totalsOf(rows: EventRows, period: Int32Array, both: Tally): [TotalsRow, TotalsRow] {
  const places = rows.sessions * 2
  const [first, last] = [new Float64Array(places).fill(Infinity), new Float64Array(places).fill(-Infinity)]
  const [active, reached] = [new Int32Array(places), new Int32Array(places)]
  for (let row = 0; row < rows.count; row += 1) {
    const visit = rows.session[row] ?? -1
    if (visit === -1) continue
    const place = visit * 2 + (period[row] ?? 0)
    const [at, bits] = [rows.ms[row] ?? 0, rows.flags[row] ?? 0]
    if (at < (first[place] ?? 0)) first[place] = at
    if (at > (last[place] ?? 0)) last[place] = at
    if ((bits & rowFlags.active) !== 0) active[place] = (active[place] ?? 0) + 1
    if ((bits & rowFlags.conversion) !== 0) reached[place] = 1
  }
  const ofPeriod = (key: number): TotalsRow => {
    let [bounced, converted, lengthMs] = [0, 0, 0]
    for (let place = key; place < places; place += 2) {
      if (first[place] === Infinity) continue
      if ((active[place] ?? 0) <= 1) bounced += 1
      converted += reached[place] ?? 0
      lengthMs += (last[place] ?? 0) - (first[place] ?? 0)
    }
    return { ...figuresOf(both, key), bounced, converted, duration_ms: lengthMs }
  }
  return [ofPeriod(0), ofPeriod(1)]
}

/** Sums of whole ten-thousandths, which may be beyond what a number of JavaScript counts exactly. */
function revenueOf(
  { money, currencies }: EventRows,
  period: Int32Array,
  interval: Int32Array,
  starts: readonly number[],
): OverviewFigures['revenue'] {
  // bounded: by intervals and currencies.
  const sums = new Map<string, { isCurrent: boolean; currency: string; bucket: number; units: bigint }>()
  for (const [index, row] of money.row.entries()) {
    const number = money.currency[index] ?? 0
    const isCurrent = period[row] === 1
    const place = isCurrent ? (interval[row] ?? 0) : -1
    const key = `${place} ${number}`
    const units = money.units[index] ?? 0n
    const sum = sums.get(key)
    if (sum !== undefined) sum.units += units
    else {
      const currency = (currencies[number] ?? '').slice(1)
      sums.set(key, { isCurrent, currency, bucket: isCurrent ? (starts[place] ?? 0) : 0, units })
    }
  }
  const rowsOf = (wanted: boolean) =>
    [...sums.values()]
      .filter(({ isCurrent }) => isCurrent === wanted)
      .map(({ currency: text, bucket, units }) => ({ currency: text, bucket, revenue: decimalText(units) }))
  return { current: rowsOf(true), previous: rowsOf(false) }
}

const unitsPerOne = 10_000n

function decimalText(units: bigint): string {
  const [sign, size] = units < 0n ? ['-', -units] : ['', units]
  return `${sign}${size / unitsPerOne}.${String(size % unitsPerOne).padStart(4, '0')}`
}

function breakdownsOf(rows: EventRows, period: Int32Array, most: number): Breakdowns {
  const ofEvents = ({ texts, numbers }: TextColumn, onlyName: number | null) => {
    const names = rows.name.numbers
    const keyOf = new Int32Array(rows.count).fill(-1)
    for (let row = 0; row < rows.count; row += 1) {
      if (period[row] === 1 && (onlyName === null || names[row] === onlyName)) keyOf[row] = numbers[row] ?? -1
    }
    return topOf(texts, tallyBy(rows, keyOf, texts.length), most)
  }
  const ofVisits = (name: 'source' | 'country' | 'device') => {
    const kind = name === 'source' ? 'arrival' : 'description'
    const { texts, keyOf } = visitValues(rows, rows[name], kind, period)
    return topOf(texts, tallyBy(rows, keyOf, texts.length), most)
  }
  return {
    pages: ofEvents(rows.path, rows.name.texts.indexOf('$pageview')),
    events: ofEvents(rows.name, null),
    sources: ofVisits('source'),
    countries: ofVisits('country'),
    devices: ofVisits('device'),
  }
}

/** By visitors, then by events, then by the bytes of the text, as the store orders texts. */
function topOf(texts: readonly string[], tally: Tally, most: number): BreakdownRow[] {
  const [visitors, events] = [tally.visitors, tally.events]
  const keys = Array.from(texts.keys()).filter((key) => (tally.rows[key] ?? 0) > 0)
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
      sessions: tally.sessions[key] ?? 0,
      events: events[key] ?? 0,
    }))
}

/** Characters that UTF-16 and UTF-8 do not put into the same order. */
const high = /[\ud800-\uffff]/

function byBytes(one: string, other: string): number {
  if (high.test(one) || high.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : one > other ? 1 : 0
}
