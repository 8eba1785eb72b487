import type { FlowGraph, Journeys } from '@assay/contract'
import { expect, test } from 'vitest'
import { resultHtml } from './result-tables.ts'

const period = {
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-03T00:00:00Z',
  timezone: 'UTC',
  includesToday: false,
}
const about = { siteId: 'site_1', period, sessions: 9, sampledShare: 1 }
const cart = { id: 'page:/cart', label: '/cart' }
const order = { id: 'action:$purchase:', label: 'Purchase <b>' }

test('steps of flow and journeys have their names, not their ids', () => {
  const node = { sessions: 9, visits: 9, repeats: 0, entries: 0, exits: 0 }
  const flow: FlowGraph = {
    ...about,
    nodes: [
      { ...cart, ...node, type: 'page' },
      { ...order, ...node, type: 'action' },
    ],
    edges: [{ from: cart.id, to: order.id, count: 4, sessions: 3, share: 0.5, medianTimeMs: 1_000 }],
    truncated: true,
  }
  const steps = [cart, order].map(({ id, label }) => ({ key: id, label }))
  const journeys: Journeys = {
    ...about,
    journeys: [{ steps, sessions: 3, share: 0.5, ended: 0, converted: 3, medianTimeMs: null }],
  }
  const pages = [
    resultHtml({ kind: 'flow', result: flow, view: null, dataUntil: period.to }),
    resultHtml({ kind: 'journeys', result: journeys, view: null, dataUntil: period.to }),
  ]
  for (const html of pages) {
    expect(html).toContain('/cart')
    expect(html).toContain('Purchase &lt;b&gt;')
    expect(html).not.toMatch(/page:|action:/)
  }
})
