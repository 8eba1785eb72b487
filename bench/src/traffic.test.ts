import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'
import type { FunnelModel, StepModel } from '../../server/src/demo/traffic/model.ts'
import { siteTally } from '../../server/src/demo/traffic/tally.ts'
import { trueLostConversions } from '../../server/src/demo/traffic/truth.ts'
import { makeTraffic, type Traffic, type TrafficOptions } from '../../server/src/demo/traffic.ts'
import { dayMs, hourMs } from '../../server/src/platform/units.ts'
import { writeNdjson } from './ndjson.ts'

const toMs = Date.UTC(2026, 3, 15)
// Spans the change to summer time in Europe (29 March) and in North America (8 March).
const options: TrafficOptions = { seed: 7, events: 240_000, fromMs: toMs - 60 * dayMs, toMs }

function hashOf(seed: number): string {
  const hash = createHash('sha256')
  for (const event of makeTraffic({ ...options, seed, events: 20_000 }).events)
    hash.update(JSON.stringify(event))
  return hash.digest('hex')
}

/** Four standard deviations: a right generator fails one such check in 16,000. */
function expectShare(hits: number, total: number, share: number, name: string) {
  const tolerance = 4 * Math.sqrt((share * (1 - share)) / total)
  expect(Math.abs(hits / total - share), `${name}: ${hits} of ${total}, expected ${share}`).toBeLessThan(
    tolerance,
  )
}

function matches({ wire, expected }: TrafficEvent, { match }: StepModel): boolean {
  if ((expected.storedAs ?? wire.event) !== match.event) return false
  if (match.event === '$pageview') {
    const pattern = new RegExp(`^${match.path.replace(':id', '\\d+')}$`)
    return pattern.test(wire.context.page?.path ?? '')
  }
  if (match.event === '$click') return wire.properties.element === match.element.key
  if (match.event === '$form_submit') return wire.properties.form_id === match.formId
  return true
}

/** How far a session came, found from its events alone. */
function stepsReached(session: readonly TrafficEvent[], funnel: Pick<FunnelModel, 'steps'>): number {
  let reached = 0
  for (const event of session) {
    const step = funnel.steps[reached]
    if (step !== undefined && matches(event, step)) reached += 1
  }
  return reached
}

describe('the generator', () => {
  test('gives the same events for the same seed and others for another', () => {
    expect(hashOf(1)).toBe(hashOf(1))
    expect(hashOf(1)).not.toBe(hashOf(2))
  })

  test('comes within 3 % of the number of events asked for, for any choice of sites', () => {
    for (const sites of [['shop'], ['saas', 'media']] as const) {
      const traffic = makeTraffic({ ...options, sites, events: 20_000 })
      const found = [...traffic.events]
      expect(Math.abs(found.length / 20_000 - 1)).toBeLessThan(0.03)
      expect(new Set(found.map(({ site }) => site))).toEqual(new Set(sites))
    }
  })

  test('makes a million events in a few seconds and in a heap of 48 MB', () => {
    const script = `
      const { makeTraffic } = await import(${JSON.stringify(new URL('../../server/src/demo/traffic.ts', import.meta.url).href)})
      let count = 0
      for (const event of makeTraffic({ seed: 3, events: 1e6, fromMs: 0, toMs: 30 * 86_400_000 }).events) {
        if (event.tsMs >= 0) count += 1
      }
      const { user, system } = process.cpuUsage()
      console.log(JSON.stringify({ count, cpuSeconds: (user + system) / 1e6 }))`
    const args = ['--max-old-space-size=48', '--input-type=module', '--eval', script]
    const run = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
    expect(run.count).toBeGreaterThan(970_000)
    // Quiet it takes under 4 s of processor time; a shared machine lends less of its caches, and less often.
    expect(run.cpuSeconds).toBeLessThan(12)
  }, 240_000)

  test('writes the same text as JSON.stringify, one line an event', () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-traffic-'))
    const path = join(directory, 'events.ndjson')
    const count = writeNdjson(makeTraffic({ ...options, events: 5_000 }).events, path)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const expected = [...makeTraffic({ ...options, events: 5_000 }).events].map(({ wire }) =>
      JSON.stringify(wire),
    )
    rmSync(directory, { recursive: true })
    expect(lines).toEqual(expected)
    expect(count).toBe(lines.length)
  })
})

describe('two months of traffic', () => {
  let traffic: Traffic
  let events: TrafficEvent[]
  const sessions = new Map<string, TrafficEvent[]>()

  beforeAll(() => {
    traffic = makeTraffic(options)
    events = [...traffic.events]
    for (const event of events) {
      const id = event.wire.session_id
      if (id === undefined || event.isBot || event.expected.outcome === 'reject') continue
      const session = sessions.get(id)
      if (session === undefined) sessions.set(id, [event])
      else session.push(event)
    }
  })

  test('never repeats an event id', () => {
    expect(new Set(events.map(({ wire }) => wire.event_id)).size).toBe(events.length)
  })

  test('stays inside its range, and in order for every visitor', () => {
    const last = new Map<string, number>()
    const wrong = events.filter(({ wire, tsMs, receivedAtMs }) => {
      const before = last.get(wire.anonymous_id ?? '') ?? 0
      if (wire.anonymous_id !== undefined) last.set(wire.anonymous_id, tsMs)
      const isInside = tsMs >= options.fromMs && tsMs < toMs && receivedAtMs >= tsMs
      return !isInside || wire.ts !== new Date(tsMs).toISOString() || (wire.anonymous_id && tsMs < before)
    })
    expect(wrong).toEqual([])
  })

  test('leaves more than 30 minutes between the sessions of a visitor and less inside one', () => {
    const last = new Map<string, { session: string; tsMs: number }>()
    const wrong = events.filter(({ wire, tsMs }) => {
      if (wire.anonymous_id === undefined || wire.session_id === undefined) return false
      const before = last.get(wire.anonymous_id)
      last.set(wire.anonymous_id, { session: wire.session_id, tsMs })
      return before && tsMs - before.tsMs > 30 * 60_000 !== (before.session !== wire.session_id)
    })
    expect(wrong).toEqual([])
    expect(last.size).toBeLessThan(sessions.size)
  })

  test('has funnels whose entries are what the tally says and whose rates are what the truth says', () => {
    for (const funnel of traffic.truth.funnels) {
      const entered = funnel.steps.map(() => 0)
      for (const session of sessions.values()) {
        if (session[0]?.site !== funnel.site) continue
        const reached = stepsReached(session, funnel)
        for (let step = 0; step < reached; step += 1) entered[step] = (entered[step] ?? 0) + 1
      }
      const tally = siteTally(traffic.tally, funnel.site).funnels.find(({ key }) => key === funnel.key)
      expect(entered, funnel.name).toEqual(tally?.entered)
      funnel.rates.forEach((rate, step) => {
        expectShare(entered[step + 1] ?? 0, entered[step] ?? 0, rate, `${funnel.name}, step ${step}`)
      })
    }
  })

  test('has errors that cost what the truth says, and harmless ones that cost nothing', () => {
    const striking = traffic.truth.errors.filter(({ at }) => at !== null)
    for (const error of striking) {
      const funnel = traffic.truth.funnels.find(
        ({ site, key }) => site === error.site && key === error.at?.funnel,
      )
      if (funnel === undefined) throw new Error(`no funnel for ${error.key}`)
      const stage = funnel.steps.findIndex(({ key }) => key === error.at?.step)
      const met = { total: 0, progressed: 0 }
      for (const session of sessions.values()) {
        const isMet = session.some(({ wire }) => isOccurrence(wire.properties, error.message))
        if (session[0]?.site !== error.site || !isMet) continue
        met.total += 1
        if (stepsReached(session, funnel) > stage + 1) met.progressed += 1
      }
      const kept = (funnel.rates[stage] ?? 0) / (1 - error.share * error.dropOff)
      expectShare(met.progressed, met.total, kept * (1 - error.dropOff), error.key)
      const tally = siteTally(traffic.tally, error.site).errors.find(({ key }) => key === error.key)
      expect(met.total).toBe(tally?.affectedSessions)
      expect(trueLostConversions(traffic.tally, error) > 0).toBe(error.dropOff > 0)
    }
    expect(striking.filter(({ dropOff }) => dropOff === 0).length).toBeGreaterThan(0)
  })

  test('has the share of bots and of bad events that the truth says', () => {
    const { tally, truth } = traffic
    expectShare(tally.botSessions, tally.sessions, truth.botShare, 'bots')
    const good = events.filter(({ isBot, expected }) => !isBot && expected.outcome !== 'reject').length
    const unregistered = (tally.codes.get('unknown_event') ?? 0) + (tally.codes.get('invalid_name') ?? 0)
    const bad = tally.outcomes.quarantine + tally.outcomes.reject + unregistered
    expect(bad / good).toBeGreaterThan(truth.badShare * 0.9)
    expect(bad / good).toBeLessThan(truth.badShare * 1.1)
    expect(tally.events).toBe(events.length)
  })

  test('reports an order from browser and server under one order id and two event ids', () => {
    const orders = new Map<unknown, TrafficEvent[]>()
    for (const event of events) {
      const isOrder = (event.expected.storedAs ?? event.wire.event) === '$purchase'
      if (!isOrder || event.expected.outcome === 'reject' || event.expected.outcome === 'quarantine') continue
      const id = event.wire.properties.order_id
      orders.set(id, [...(orders.get(id) ?? []), event])
    }
    const { both, browserOnly, serverOnly } = siteTally(traffic.tally, 'shop').orders
    const doubled = [...orders.values()].filter((reports) => reports.length === 2)
    expect(doubled.length).toBe(both)
    expect(orders.size).toBe(both + browserOnly + serverOnly)
    for (const [first, second] of doubled) expect(first?.wire.event_id).not.toBe(second?.wire.event_id)
  })

  test('refunds only orders that were placed before, and in their currency', () => {
    const placed = new Map<unknown, { currency: unknown; tsMs: number }>()
    let refunds = 0
    for (const { wire, tsMs } of events) {
      const { order_id: id, currency } = wire.properties
      if (wire.event === '$purchase' || wire.event === 'Order Completed') placed.set(id, { currency, tsMs })
      if (wire.event !== '$refund') continue
      refunds += 1
      expect(placed.get(id)?.currency).toBe(currency)
      expect(placed.get(id)?.tsMs).toBeLessThan(tsMs)
    }
    expect(refunds).toBeGreaterThan(20)
  })

  test('follows the local clock: a shop is busy in the evening, an office product on weekdays', () => {
    const inBerlin = events.filter(({ wire, isBot }) => !isBot && wire.context.timezone === 'Europe/Berlin')
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hourCycle: 'h23',
      hour: '2-digit',
      weekday: 'short',
    })
    const local = inBerlin.map(({ site, tsMs }) => ({ site, text: clock.format(tsMs) }))
    const count = (site: string, part: (text: string) => boolean) =>
      local.filter((event) => event.site === site && part(event.text)).length
    expect(count('shop', (text) => text.endsWith('20'))).toBeGreaterThan(
      8 * count('shop', (text) => text.endsWith('04')),
    )
    expect(count('saas', (text) => text.startsWith('Tue'))).toBeGreaterThan(
      2 * count('saas', (text) => text.startsWith('Sun')),
    )
  })

  test('carries the injected faults at the times that the truth names', () => {
    const fault = <Kind extends string>(kind: Kind) => {
      const found = traffic.truth.faults.find((candidate) => candidate.kind === kind)
      if (found === undefined) throw new Error(`no ${kind} fault`)
      return found
    }
    const within = (window: { site: string; fromMs: number; toMs: number }, shiftMs = 0) =>
      events.filter(
        ({ site, tsMs }) =>
          site === window.site && tsMs >= window.fromMs + shiftMs && tsMs < window.toMs + shiftMs,
      )
    const searches = (list: TrafficEvent[]) => list.filter(({ wire }) => wire.event === '$search').length
    const volume = fault('volume')
    expect(searches(within(volume))).toBeLessThan(0.3 * searches(within(volume, -7 * dayMs)))
    const broken = (list: TrafficEvent[]) =>
      list.filter(({ wire }) => typeof wire.properties.duration_ms === 'string').length
    const schema = fault('schema')
    expect(broken(within(schema))).toBeGreaterThan(50)
    expect(broken(events)).toBe(broken(within(schema)))
    const late = (list: TrafficEvent[]) =>
      list.filter(({ tsMs, receivedAtMs }) => receivedAtMs - tsMs > 20_000).length / list.length
    expect(late(within(fault('latency')))).toBeGreaterThan(0.9)
    expect(late(within(fault('latency'), -7 * dayMs))).toBeLessThan(0.001)
  })

  test('shows the redesigned buttons only before or after the redesign', () => {
    const drift = traffic.truth.faults.find((fault) => fault.kind === 'drift')
    if (drift?.kind !== 'drift') throw new Error('no drift')
    const clicks = events.filter(({ wire }) => wire.event === '$click')
    for (const { before, after } of drift.changes) {
      const lookOf = ({ selector, text }: { selector: string; text: string }) =>
        clicks.filter(({ wire }) => wire.properties.selector === selector && wire.properties.text === text)
      expect(lookOf(before).length).toBeGreaterThan(20)
      expect(lookOf(before).every(({ tsMs }) => tsMs < drift.fromMs)).toBe(true)
      if (after !== null) expect(lookOf(after).every(({ tsMs }) => tsMs >= drift.fromMs)).toBe(true)
    }
    expect(toMs - drift.fromMs).toBeGreaterThan(24 * hourMs)
  })
})

/** An id stands where the model has `#`. */
function isOccurrence(properties: Readonly<Record<string, unknown>>, message: string): boolean {
  const [head = '', tail = ''] = message.split('#')
  const text = properties.message
  return typeof text === 'string' && text.startsWith(head) && text.endsWith(tail)
}
