import {
  getFlowGraph,
  getOverview,
  getRetention,
  getRevenueImpact,
  listFunnels,
  listJourneys,
  queryFunnel,
  runQuery,
} from '@assay/contract'
import { type Address, ask, askAgain } from './api.ts'

export type Read = {
  readonly work: string
  /** Computed for this question. */
  readonly fresh: (product: Address) => Promise<unknown>
  /** As any caller asks: a cached answer will do. Only where answers are cached. */
  readonly cached?: (product: Address) => Promise<unknown>
  /** Milliseconds by number of events, of targets.md; on two cores with the native engine. */
  readonly msMost: Readonly<Record<number, number>>
}

/** As the dashboard asks. */
const windowOf = { window: '30d', timezone: 'UTC' }

type Query = Readonly<Record<string, string>>

function get(path: string, extra: Query, isCached: boolean): Pick<Read, 'fresh' | 'cached'> {
  const address = ({ keys }: Address) =>
    `${path}?${new URLSearchParams({ siteId: keys.siteId, ...windowOf, ...extra })}`
  return {
    fresh: (product) => ask(product, address(product)),
    ...(isCached && { cached: (product) => askAgain(product, address(product)) }),
  }
}

const steps = [{ path: '/product/:id' }, { path: '/cart' }, { event: '$purchase' }]

export const overviewRead: Read = {
  work: 'overview, 30 days',
  ...get(getOverview.path, { interval: 'day' }, true),
  msMost: { 2e3: 25, 1e6: 80, 2e7: 300 },
}

const filteredRead: Read = {
  work: 'overview with one filter',
  ...get(getOverview.path, { interval: 'day', country: 'DE' }, false),
  msMost: { 1e6: 200 },
}

const query = (work: string, extra: object): Read => ({
  work,
  fresh: (product) =>
    ask(product, runQuery.path, {
      siteId: product.keys.siteId,
      ...windowOf,
      metrics: ['visitors'],
      ...extra,
    }),
  msMost: { 1e6: 150 },
})

const queryReads = [
  query('query by day', { dimensions: ['time:day'] }),
  query('query by campaign', { dimensions: ['utm.campaign'] }),
  query('query by property', { dimensions: ['property:product_id'], other: true }),
]

const funnelRead: Read = {
  work: 'funnel of 3 steps',
  fresh: (product) => ask(product, queryFunnel.path, { siteId: product.keys.siteId, ...windowOf, steps }),
  msMost: { 1e6: 40, 2e7: 400 },
}

const flowRead: Read = {
  work: 'flow graph',
  ...get(getFlowGraph.path, {}, true),
  msMost: { 1e6: 250 },
}

const journeysRead: Read = {
  work: 'journeys',
  ...get(listJourneys.path, {}, true),
  msMost: { 1e6: 250 },
}

const retentionRead: Read = {
  work: 'retention by day',
  ...get(getRetention.path, { interval: 'day' }, false),
  msMost: { 1e6: 100 },
}

const revenueImpactRead: Read = {
  work: 'revenue impact',
  fresh: (product) => ask(product, `${getRevenueImpact.path}?siteId=${product.keys.siteId}&window=30d`),
  msMost: { 1e6: 200, 2e7: 1_000 },
}

const discoveryRead: Read = {
  work: 'discovered funnels',
  ...get(listFunnels.path, {}, true),
  msMost: { 1e6: 1_000 },
}

export const allReads: readonly Read[] = [
  overviewRead,
  filteredRead,
  ...queryReads,
  funnelRead,
  retentionRead,
  flowRead,
  journeysRead,
  revenueImpactRead,
  discoveryRead,
]

export const shortReads: readonly Read[] = [overviewRead, funnelRead, flowRead, journeysRead]

export const largeReads: readonly Read[] = [overviewRead, filteredRead, funnelRead, revenueImpactRead]
