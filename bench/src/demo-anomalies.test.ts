import { describe, expect, test } from 'vitest'
import type { SiteKey, TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'
import { planFaults } from '../../server/src/demo/traffic/faults.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { judgeLatency } from '../../server/src/event-health/detect/latency.ts'
import { incidentsOf } from '../../server/src/event-health/detect/volume.ts'
import {
  defaultSettings,
  schemaFindings,
  seriesOf,
  volumeIncidents,
} from '../../server/src/event-health/watch/findings.ts'
import { dayMs, hourMs } from '../../server/src/platform/units.ts'
import { percentile } from './statistics.ts'

/** Six seconds of arithmetic, on a machine that is busy with other test files. */
const slowMsMax = 180_000
const days = 90
const toMs = Date.UTC(2026, 8, 14)
const fromMs = toMs - days * dayMs
const hours = days * 24
const binMs = 300_000
/** Five minutes with fewer say nothing, as in the product. */
const latencyEventsLeast = 10
/** A shop of 100 orders a day, a paper, and a product for offices with events enough to time them by five minutes. */
const sizes: Readonly<Record<SiteKey, number>> = { shop: 250_000, media: 90_000, saas: 250_000 }

/** Faults that the generator knows not of: some weeks before its own, so that one does not hide the other. */
const storm = { fromMs: toMs - 20 * dayMs + 10 * hourMs, toMs: toMs - 20 * dayMs + 16 * hourMs }
const silence = { fromMs: toMs - 30 * dayMs, toMs: toMs - 27 * dayMs }
const viewLoss = { fromMs: toMs - 40 * dayMs + 9 * hourMs, toMs: toMs - 40 * dayMs + 19 * hourMs }
const orderLoss = { fromMs: toMs - 50 * dayMs, toMs: toMs - 47 * dayMs }
const lossOf: Readonly<Record<string, Span>> = { $pageview: viewLoss, $purchase: orderLoss }
/** Of what is nearly lost one in so many comes through. */
const lossKeeps = 10
const planned = planFaults(fromMs, toMs)

type Span = { fromMs: number; toMs: number }
type HourRow = Parameters<typeof seriesOf>[0][number]
type Alarm = { type: string; site: string; name: string; issue: string; atMs: number }

/** What the product counts on arrival: by hour, name and issue; by surface; and how late each five minutes came. */
class Counts {
  readonly #arrivals = new Map<string, Float64Array>()
  readonly #issues = new Map<string, Float64Array>()
  readonly #repeats = new Map<string, Float64Array>()
  readonly #surfaces = new Map<string, Float64Array>()
  readonly #late = new Map<string, number[][]>()
  #lost = 0

  add({ site, tsMs, receivedAtMs, expected, wire }: TrafficEvent): void {
    const hour = Math.floor((tsMs - fromMs) / hourMs)
    if (hour < 0 || hour >= hours) return
    if (site === 'shop' && isWithin(lossOf[wire.event], tsMs) && this.#lost++ % lossKeeps !== 0) return
    const surface = wire.context.library.name
    if (surface === '@assay/server' && isWithin(silence, tsMs)) return
    const name = `${site} ${expected.storedAs ?? wire.event}`
    countIn(this.#arrivals, name, hour)
    if (expected.code !== null) countIn(this.#issues, `${name} ${expected.code}`, hour)
    if (site === 'shop' && wire.event === '$pageview' && isWithin(storm, tsMs))
      countIn(this.#repeats, name, hour)
    if (expected.outcome !== 'accept' && expected.outcome !== 'warn') return
    countIn(this.#surfaces, `${site} ${surface}`, hour)
    const bins = this.#late.get(site) ?? []
    this.#late.set(site, bins)
    const bin = Math.floor((tsMs - fromMs) / binMs)
    const lateMs = Math.max(0, receivedAtMs - tsMs)
    if (lateMs >= dayMs) return
    const own = bins[bin] ?? []
    bins[bin] = own
    own.push(lateMs)
  }

  alarms(): Alarm[] {
    return [
      ...this.#volume(this.#arrivals, ''),
      ...this.#volume(this.#surfaces, 'surface'),
      ...this.#schema(),
      ...this.#latency(),
    ]
  }

  /** When the bin ended whose count was the first to be an alert. */
  #volume(counted: ReadonlyMap<string, Float64Array>, issue: string): Alarm[] {
    const rows = [...counted].flatMap(([key, counts]) => rowsOf(key, counts))
    const beginnings = [...Map.groupBy(rows, ({ site_id }) => site_id)].map(
      ([site, own]) => [site, Math.min(...own.map(({ hour_ms }) => Number(hour_ms)))] as const,
    )
    return seriesOf(rows, toMs, new Map(beginnings))
      .flatMap((series) => volumeIncidents(series, defaultSettings))
      .map(({ siteId: site, name, toldMs }) => ({ type: 'volume', site, name, issue, atMs: toldMs }))
  }

  /** As the product looks: after each hour, the day before against the two weeks before that. */
  #schema(): Alarm[] {
    const open = new Set<string>()
    const found: Alarm[] = []
    const sums = new Map([...this.#arrivals, ...this.#issues].map(([key, counts]) => [key, sumsOf(counts)]))
    const repeats = new Map([...this.#repeats].map(([key, counts]) => [key, sumsOf(counts)]))
    for (let hour = 15 * 24; hour <= hours; hour += 1) {
      const span = (list: Float64Array | undefined, first: number, end: number) =>
        list === undefined ? 0 : (list[end] ?? 0) - (list[first] ?? 0)
      const rows = [...this.#arrivals.keys()].flatMap((key) => {
        const [site_id = '', name = ''] = key.split(/ (.*)/)
        const part = (list: Float64Array | undefined) => ({
          now: span(list, hour - 24, hour),
          earlier: span(list, hour - 15 * 24, hour - 24),
        })
        const codes = [...this.#issues.keys()].filter((one) => one.startsWith(`${key} `))
        const coded = codes.map((one) => ({ code: one.slice(key.length + 1), ...part(sums.get(one)) }))
        const all = part(sums.get(key))
        const sound = {
          code: '',
          now: all.now - coded.reduce((sum, { now }) => sum + now, 0),
          earlier: all.earlier - coded.reduce((sum, { earlier }) => sum + earlier, 0),
        }
        const again = part(repeats.get(key))
        return [sound, ...coded].map((row, index) => ({
          site_id,
          name,
          ...row,
          repeats_now: index === 0 ? again.now : 0,
          repeats_earlier: index === 0 ? again.earlier : 0,
        }))
      })
      const now = schemaFindings(rows, 0)
      const keys = new Set(now.map(({ siteId, name, issue }) => `${siteId} ${name} ${issue}`))
      for (const { siteId: site, name, issue } of now) {
        if (open.has(`${site} ${name} ${issue}`)) continue
        found.push({ type: 'schema', site, name, issue, atMs: fromMs + hour * hourMs })
      }
      for (const key of open) if (!keys.has(key)) open.delete(key)
      for (const key of keys) open.add(key)
    }
    return found
  }

  #latency(): Alarm[] {
    return [...this.#late].flatMap(([site, bins]) => {
      const values = Array.from({ length: hours * 12 }, (_, bin) => {
        const own = bins[bin] ?? []
        return own.length >= latencyEventsLeast ? percentile(own, 0.95) : null
      })
      return incidentsOf(judgeLatency(values, fromMs), 24).map(({ startMs }) => ({
        type: 'latency',
        site,
        name: '',
        issue: '',
        atMs: startMs + binMs,
      }))
    })
  }
}

const isWithin = (span: Span | undefined, ms: number) =>
  span !== undefined && ms >= span.fromMs && ms < span.toMs

function countIn(counts: Map<string, Float64Array>, key: string, hour: number): void {
  const own = counts.get(key) ?? new Float64Array(hours)
  counts.set(key, own)
  own[hour] = (own[hour] ?? 0) + 1
}

function rowsOf(key: string, counts: Float64Array): HourRow[] {
  const [site_id = '', name = ''] = key.split(/ (.*)/)
  return Array.from(counts, (arrived, hour) => ({
    site_id,
    name,
    hour_ms: fromMs + hour * hourMs,
    arrived,
  })).filter(({ arrived }) => arrived > 0)
}

function sumsOf(counts: Float64Array): Float64Array {
  const sums = new Float64Array(counts.length + 1)
  for (let hour = 0; hour < counts.length; hour += 1) sums[hour + 1] = (sums[hour] ?? 0) + (counts[hour] ?? 0)
  return sums
}

function alarmsOf(seed: number): Alarm[] {
  const counts = new Counts()
  for (const site of ['shop', 'media', 'saas'] as const) {
    const traffic = makeTraffic({ seed, events: sizes[site], fromMs, toMs, sites: [site] })
    for (const event of traffic.events) counts.add(event)
  }
  return counts.alarms()
}

type Fault = {
  what: string
  site: SiteKey
  fromMs: number
  toMs: number
  withinMs: number
  is: (alarm: Alarm) => boolean
}

const of = (kind: 'volume' | 'schema' | 'latency') => {
  const fault = planned.find((one) => one.kind === kind)
  if (fault === undefined) throw new Error(`the generator plans no fault in ${kind}`)
  return fault
}

const faults: readonly Fault[] = [
  {
    ...viewLoss,
    site: 'shop',
    what: 'an event that nearly falls silent',
    withinMs: 5 * hourMs,
    is: ({ type, name }) => type === 'volume' && name === '$pageview',
  },
  {
    ...orderLoss,
    site: 'shop',
    what: 'a rare one that does',
    withinMs: 30 * hourMs,
    is: ({ type, name }) => type === 'volume' && name === '$purchase',
  },
  {
    ...of('volume'),
    what: 'an event of a few an hour that nearly does for ten of them',
    withinMs: 10 * hourMs,
    is: ({ type, name }) => type === 'volume' && name === '$search',
  },
  {
    ...of('schema'),
    what: 'a release that sends a property in another type',
    withinMs: 6 * hourMs,
    is: ({ type, name }) => type === 'schema' && name === '$pageview',
  },
  {
    ...of('latency'),
    what: 'events that arrive late',
    withinMs: hourMs,
    is: ({ type }) => type === 'latency',
  },
  {
    ...storm,
    site: 'shop',
    what: 'a storm of repeats',
    withinMs: 3 * hourMs,
    is: ({ type, issue }) => type === 'schema' && issue === 'repeated_ids',
  },
  {
    ...silence,
    site: 'shop',
    what: 'a surface that is lost, with few events a day',
    withinMs: 30 * hourMs,
    is: ({ type, issue, name }) => type === 'volume' && issue === 'surface' && name === '@assay/server',
  },
]

describe('ninety days of demo traffic with faults', () => {
  // None of those that the rules were tried on.
  test.each([31, 32])(
    'are watched: each fault is found within its bound, and one false alarm a week at most (seed %i)',
    (seed) => {
      const alarms = alarmsOf(seed)
      for (const { what, site, fromMs: beginMs, withinMs, is } of faults) {
        const found = alarms.find((alarm) => alarm.site === site && is(alarm) && alarm.atMs > beginMs)
        const hoursLater = ((found?.atMs ?? Number.POSITIVE_INFINITY) - beginMs) / hourMs
        console.info(`seed ${seed}: ${what} after ${hoursLater.toFixed(1)} h`)
        expect(hoursLater, what).toBeLessThanOrEqual(withinMs / hourMs)
      }
      // What a fault sets off on its own site until a day after it is over is no false alarm.
      const isExplained = (alarm: Alarm) =>
        [...faults, ...planned].some(
          (fault) =>
            fault.site === alarm.site && alarm.atMs > fault.fromMs && alarm.atMs <= fault.toMs + dayMs,
        )
      const falseAlarms = alarms.filter((alarm) => !isExplained(alarm))
      console.info(`seed ${seed}: ${falseAlarms.length} false alarms in ${days} days`)
      expect(falseAlarms.length).toBeLessThanOrEqual(Math.floor(days / 7))
    },
    slowMsMax,
  )
})
