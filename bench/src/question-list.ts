import { type Filter, getOverview, type Metric, queryFunnel, runQuery } from '@assay/contract'
import { type Address, ask } from './api.ts'
import type { Read } from './read-list.ts'

/** One of each class of question: what makes it another statement, or another way to count. */

const windowOf = { window: '30d', timezone: 'UTC' }
const msMost = { 1e6: 150 }
const filteredMsMost = { 1e6: 200 }

type Asked = {
  metrics?: readonly Metric[]
  dimensions?: readonly string[]
  filters?: readonly Filter[]
} & Partial<Record<'compare' | 'cumulative' | 'rolling' | 'other', unknown>>

const query = (work: string, asked: Asked): Read => ({
  work: `query: ${work}`,
  fresh: (product: Address) =>
    ask(product, runQuery.path, {
      siteId: product.keys.siteId,
      ...windowOf,
      metrics: ['visitors'],
      ...asked,
    }),
  msMost,
})

const filtered = (work: string, filter: Filter): readonly Read[] => [
  query(`by day, ${work}`, { dimensions: ['time:day'], filters: [filter] }),
  {
    work: `overview, ${work}`,
    fresh: (product) => {
      const query = { siteId: product.keys.siteId, ...windowOf, filters: JSON.stringify([filter]) }
      return ask(product, `${getOverview.path}?${new URLSearchParams(query)}`)
    },
    msMost: filteredMsMost,
  },
]

const metrics: readonly (readonly [string, readonly Metric[]])[] = [
  ['visits and their rates', ['sessions', 'bounceRate', 'avgSessionMs', 'viewsPerSession', 'conversionRate']],
  ['revenue', ['revenue', 'averageOrderValue', 'conversions']],
  ['new visitors', ['newVisitors']],
  ['people of an event', [{ as: 'A', event: '$search', math: 'people' }]],
  ['per person', [{ as: 'A', event: '$search', math: 'perPerson' }]],
  ['p90 of a property', [{ as: 'A', event: '$purchase', math: 'p90', property: 'amount' }]],
  ['distinct of a property', [{ as: 'A', event: 'add_to_cart', math: 'distinct', property: 'product_id' }]],
  [
    'formula of two',
    [
      { as: 'A', event: '$purchase', math: 'people' },
      { as: 'B', event: 'add_to_cart', math: 'people' },
      { as: 'C', formula: 'A / B' },
    ],
  ],
]

const dimensions = ['page', 'entryPage', 'source', 'utm.campaign', 'country', 'device', 'event', 'screen']

const filters: readonly (readonly [string, Filter])[] = [
  ['is', ['is', 'country', ['DE']]],
  ['is page pattern', ['is', 'page', ['/product/:id']]],
  ['contains', ['contains', 'page', ['/product']]],
  ['matches', ['matches', 'page', ['^/product/\\d+$']]],
  ['property is', ['is', 'property:product_id', ['p-1']]],
  ['property gt', ['gt', 'property:amount', 50]],
  ['entry page', ['is', 'entryPage', ['/']]],
  ['did', ['did', { event: '$purchase' }]],
  ['did twice in 7 days', ['did', { event: '$search', within: '7d', count: { op: 'gte', value: 2 } }]],
  ['did not', ['didNot', { event: '$purchase' }]],
  ['trait is', ['is', 'trait:plan', ['pro']]],
  [
    'or of and',
    [
      'or',
      [
        [
          'and',
          [
            ['is', 'device', ['mobile']],
            ['is', 'country', ['DE', 'FR']],
          ],
        ],
        ['not', ['contains', 'page', ['/product']]],
      ],
    ],
  ],
]

export const questionReads: readonly Read[] = [
  query('no dimension', {}),
  query('by day', { dimensions: ['time:day'] }),
  query('by hour', { dimensions: ['time:hour'] }),
  query('by day, compared', { dimensions: ['time:day'], compare: 'previous' }),
  query('by day, rolling week', { dimensions: ['time:day'], rolling: 7 }),
  query('by day, cumulative', { dimensions: ['time:day'], cumulative: true }),
  ...metrics.map(([name, asked]) => query(`by day, ${name}`, { metrics: asked, dimensions: ['time:day'] })),
  ...dimensions.map((name) => query(`by ${name}`, { dimensions: [name] })),
  query('by property', { dimensions: ['property:product_id'], other: true }),
  query('by trait', { dimensions: ['trait:plan'] }),
  query('by day and source', { dimensions: ['time:day', 'source'], other: true }),
  query('by country, device and browser', { dimensions: ['country', 'device', 'browser'] }),
  query('revenue by campaign', { metrics: ['revenue'], dimensions: ['utm.campaign'] }),
  ...filters.flatMap(([name, filter]) => filtered(name, filter)),
  {
    work: 'funnel, with a filter',
    fresh: (product) =>
      ask(product, queryFunnel.path, {
        siteId: product.keys.siteId,
        ...windowOf,
        steps: [{ path: '/product/:id' }, { path: '/cart' }, { event: '$purchase' }],
        filters: [['is', 'country', ['DE']]],
      }),
    msMost: filteredMsMost,
  },
]
