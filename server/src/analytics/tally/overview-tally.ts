import type { BreakdownRow } from '../breakdown-store.ts'
import type { RevenueRow, SeriesRow, TotalsRow } from '../store.ts'
import { type EventRows, type RawRows, type TextColumn, toEventRows } from './event-rows.ts'
import { intervalsOf } from './intervals.ts'
import { rowFlags } from './row-store.ts'
import { distinct, type Tally, tallyEvents, tallyVisits } from './tally.ts'
import { visitValues } from './visit-values.ts'
import { type Visits, visitsIn } from './visits.ts'

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
  const interval = intervalsOf(rows, options.starts)
  for (let row = 0; row < rows.count; row += 1) if (period[row] === 0) interval[row] = -1
  const visits = visitsIn(rows, period)
  const [previous, current] = totalsOf(rows, visits, period)
  return {
    totals: { current, previous },
    revenue: revenueOf(rows, period, interval, options.starts),
    series: seriesOf(rows, interval, options.starts),
    breakdowns: breakdownsOf(rows, visits, period, options.breakdownRows),
  }
}

/** 1 for events of the current period, 0 for those before it. */
function periodsOf({ ms, count }: EventRows, currentMs: number): Uint8Array {
  const periods = new Uint8Array(count)
  for (let row = 0; row < count; row += 1) if ((ms[row] ?? 0) >= currentMs) periods[row] = 1
  return periods
}

function seriesOf(rows: EventRows, interval: Int32Array, starts: readonly number[]): SeriesRow[] {
  const { rows: sizes, events, visitors, sessions } = tallyEvents(rows, interval, starts.length)
  const [views, conversions] = [new Int32Array(starts.length), new Int32Array(starts.length)]
  const viewName = rows.name.texts.indexOf('$pageview')
  const names = rows.name.numbers
  for (let row = 0; row < rows.count; row += 1) {
    const key = interval[row] ?? -1
    if (key === -1) continue
    const bits = rows.flags[row] ?? 0
    if ((bits & rowFlags.conversion) !== 0) conversions[key] = (conversions[key] ?? 0) + 1
    if ((bits & rowFlags.match) !== 0 && names[row] === viewName) views[key] = (views[key] ?? 0) + 1
  }
  const figuresOf = (key: number) => ({
    visitors: visitors[key] ?? 0,
    sessions: sessions[key] ?? 0,
    pageviews: views[key] ?? 0,
    events: events[key] ?? 0,
    conversions: conversions[key] ?? 0,
  })
  return starts.flatMap((bucket, key) => (sizes[key] === 0 ? [] : [{ bucket, ...figuresOf(key) }]))
}

/** A visit that spans both periods counts in each, with its events there. */
function totalsOf(rows: EventRows, visits: Visits, period: Uint8Array): [TotalsRow, TotalsRow] {
  const visitors = visitorsOf(rows, visits, period)
  const viewName = rows.name.texts.indexOf('$pageview')
  const ofPeriod = (key: number): TotalsRow => {
    const total = { sessions: 0, pageviews: 0, events: 0, conversions: 0, bounced: 0, converted: 0 }
    let lengthMs = 0
    for (let place = key; place < visits.places; place += 2) {
      if (visits.rows[place] === 0) continue
      total.sessions += 1
      total.pageviews += visits.views[place] ?? 0
      total.events += visits.events[place] ?? 0
      total.conversions += visits.conversions[place] ?? 0
      if ((visits.active[place] ?? 0) <= 1) total.bounced += 1
      if ((visits.conversions[place] ?? 0) > 0) total.converted += 1
      lengthMs += (visits.lastMs[place] ?? 0) - (visits.firstMs[place] ?? 0)
    }
    for (const row of visits.loose) {
      if (period[row] !== key) continue
      const bits = rows.flags[row] ?? 0
      if ((bits & rowFlags.conversion) !== 0) total.conversions += 1
      if ((bits & rowFlags.match) === 0) continue
      total.events += 1
      if (rows.name.numbers[row] === viewName) total.pageviews += 1
    }
    return { visitors: visitors[key] ?? 0, ...total, duration_ms: lengthMs }
  }
  return [ofPeriod(0), ofPeriod(1)]
}

/** The distinct people of each period. */
function visitorsOf(rows: EventRows, { owners, loose }: Visits, period: Uint8Array): Int32Array {
  const owned = owners.place.length
  const keyOf = new Int32Array(owned + loose.length)
  const owner = new Int32Array(keyOf.length)
  owner.set(owners.person)
  for (let pair = 0; pair < owned; pair += 1) keyOf[pair] = (owners.place[pair] ?? 0) & 1
  for (const [index, row] of loose.entries()) {
    keyOf[owned + index] = period[row] ?? 0
    owner[owned + index] = rows.person[row] ?? -1
  }
  return distinct(keyOf, 2, owner, rows.people)
}

/** Sums of whole ten-thousandths, which may be beyond what a number of JavaScript counts exactly. */
function revenueOf(
  { money, currencies }: EventRows,
  period: Uint8Array,
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

export function decimalText(units: bigint): string {
  const [sign, size] = units < 0n ? ['-', -units] : ['', units]
  return `${sign}${size / unitsPerOne}.${String(size % unitsPerOne).padStart(4, '0')}`
}

function breakdownsOf(rows: EventRows, visits: Visits, period: Uint8Array, most: number): Breakdowns {
  const ofEvents = ({ texts, numbers }: TextColumn, onlyName: number | null) => {
    const names = rows.name.numbers
    const keyOf = new Int32Array(rows.count).fill(-1)
    for (let row = 0; row < rows.count; row += 1) {
      if (period[row] === 1 && (onlyName === null || names[row] === onlyName)) keyOf[row] = numbers[row] ?? -1
    }
    return topOf(texts, tallyEvents(rows, keyOf, texts.length), most)
  }
  const ofVisits = (name: 'source' | 'country' | 'device') => {
    const { texts, numbers } = rows[name]
    const keyOfVisit = visitValues(rows, rows[name], name === 'source' ? 'arrival' : 'description', period)
    const keyOfLoose = visits.loose.map((row) => (period[row] === 1 ? (numbers[row] ?? -1) : -1))
    return topOf(texts, tallyVisits(rows, visits, keyOfVisit, keyOfLoose, texts.length), most)
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

export function byBytes(one: string, other: string): number {
  if (high.test(one) || high.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : one > other ? 1 : 0
}
