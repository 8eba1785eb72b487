import { expect, test } from 'vitest'
import { discoverFunnels } from '../../server/src/analytics/funnels/discover.ts'
import { countWalks } from '../../server/src/analytics/funnels/walks.ts'
import { type Node, nodesOf, type Token } from '../../server/src/analytics/sequences/nodes.ts'
import type { Sessions } from '../../server/src/analytics/sequences/sessions.ts'
import { wilson90 } from '../../server/src/analytics/statistics.ts'
import { toSessions } from '../../server/src/analytics/testing/sessions.ts'
import type { SiteKey, TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'
import type { StepModel } from '../../server/src/demo/traffic/model.ts'
import { siteTally } from '../../server/src/demo/traffic/tally.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'

/** As the gate and the writer leave the demo's traffic behind: names mapped, bots and bad events out, orders once. */
const mappedNames: Readonly<Record<string, string>> = {
  'Order Completed': '$purchase',
  registration_complete: '$signup',
}
const unseen = new Set(['web_vital', '$identify', 'error', '$error'])

function tokenOf({ wire }: TrafficEvent): Token {
  const name = mappedNames[wire.event] ?? wire.event
  const { properties, context } = wire
  const page = new URL(String(properties.url ?? context?.page?.url ?? 'https://none.example/')).pathname
  const about = name === '$click' ? properties.element : name === '$form_submit' ? properties.form_id : ''
  return { name, detail: name === '$pageview' ? page : String(about), count: 1 }
}

type Read = { nodes: Node[]; sessions: Sessions }

function readSite(events: readonly TrafficEvent[], site: SiteKey): Read {
  const counted = events.filter(
    (event) =>
      event.site === site &&
      !event.isBot &&
      event.wire.session_id !== undefined &&
      (event.expected.outcome === 'accept' || event.expected.outcome === 'warn') &&
      !unseen.has(event.wire.event),
  )
  const found = nodesOf(counted.map(tokenOf))
  const nodes = [...new Set(found)].sort((a, b) => (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map((node, place) => [node, place]))
  const bySession = Map.groupBy([...counted.keys()], (index) => counted[index]?.wire.session_id)
  const sessions = [...bySession.values()].map((indexes) => {
    const sorted = indexes.toSorted((a, b) => (counted[a]?.tsMs ?? 0) - (counted[b]?.tsMs ?? 0))
    return sorted.map((index) => ({
      step: places.get(found[index] ?? nodes[0] ?? nodeless) ?? 0,
      ms: counted[index]?.tsMs ?? 0,
    }))
  })
  return { nodes, sessions: toSessions(sessions) }
}
const nodeless: Node = { id: '', type: 'event', label: '', match: { event: '' } }

function keyOf({ match }: StepModel): string {
  if (match.event === '$pageview') return `page:${match.path}`
  if (match.event === '$click') return `action:${match.element.key}`
  if (match.event === '$form_submit') return `form:${match.formId}`
  return `event:${match.event}`
}

const toMs = Date.parse('2026-11-15T00:00:00Z')

const fromMs = toMs - 30 * dayMs

type Found = { steps: string[]; entered: readonly number[] }

function find(events: readonly TrafficEvent[], site: SiteKey): Found[] {
  const { nodes, sessions } = readSite(events, site)
  return discoverFunnels(sessions, nodes).map(({ steps }) => ({
    steps: steps.map((place) => nodes[place]?.id ?? ''),
    entered: countWalks(sessions, steps, nodes.length).entered,
  }))
}

const byName = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1)

test('in the traffic of the demo exactly the true funnels are found, in order, at their true rates, on one day and the next', () => {
  const { events: stream, truth, tally } = makeTraffic({ seed: 1, events: 110_000, fromMs, toMs })
  const events = [...stream]
  const aDayBefore = events.filter(({ tsMs }) => tsMs < toMs - dayMs)
  for (const { key } of truth.sites) {
    const models = truth.funnels.filter(({ site }) => site === key)
    const found = find(events, key)
    const expected = models.map(({ steps }) => steps.map(keyOf))
    expect(found.map(({ steps }) => steps).toSorted(byName), key).toEqual(expected.toSorted(byName))
    expect(find(aDayBefore, key).map(({ steps }) => steps)).toEqual(found.map(({ steps }) => steps))
    for (const { steps, entered } of found) {
      const model = models.find((one) => one.steps.map(keyOf).join() === steps.join())
      const walked = siteTally(tally, key).funnels.find((one) => one.key === model?.key)?.entered ?? []
      const [low, high] = wilson90(entered.at(-1) ?? 0, entered[0] ?? 0)
      const rate = (walked.at(-1) ?? 0) / (walked[0] ?? 1)
      expect(rate, `${key} ${model?.key}`).toBeGreaterThanOrEqual(low)
      expect(rate, `${key} ${model?.key}`).toBeLessThanOrEqual(high)
      for (const [place, count] of entered.entries()) {
        expect(count / (walked[place] ?? 1), `${model?.key} ${place}`).toBeCloseTo(1, 1)
      }
    }
  }
}, 120_000)
