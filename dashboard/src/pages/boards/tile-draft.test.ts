import { boardLimits, type Tile } from '@assay/contract'
import { expect, test } from 'vitest'
import { draftOfTile, newTileDraft, tileAfter, tileFrom } from './tile-draft.ts'

const place = { id: 'a', x: 2, y: 3, width: 5, height: 4, title: 'Tile' }
const question = (kind: 'query' | 'funnel' | 'retention' | 'overview', asked: object): Tile => ({
  ...place,
  type: 'question',
  kind,
  question: { ...asked },
})
const chart: Tile = {
  ...place,
  type: 'question',
  kind: 'query',
  question: {
    window: '90d',
    metrics: ['visitors'],
    dimensions: ['time:week', 'device'],
    limit: 3,
    rolling: 7,
    filters: [['or', [['isSet', 'page']]]],
  },
  view: 'stacked',
}

test.each<Tile>([
  chart,
  { ...place, type: 'report', reportId: 'rep_1' },
  { ...place, type: 'text', text: 'Words' },
  question('funnel', {
    within: '7d',
    steps: [
      { path: '/cart', event: '$pageview' },
      { event: '$purchase', where: [['isSet', 'page']] },
    ],
  }),
  question('retention', { interval: 'week', returnEvent: '$purchase' }),
  question('overview', { window: '7d', country: 'DE' }),
])('a tile that is opened and saved again is the same: %j', (tile) => {
  expect(tileAfter(draftOfTile(tile), tile)).toEqual(tile)
})

test.each([
  [{ metrics: ['visitors'], dimensions: ['time:day'] }, 'lines'],
  [{ metrics: ['visitors'], dimensions: ['page'], limit: 10, orderBy: [['visitors', 'asc']] }, 'table'],
  [{ metrics: ['revenue'], compare: 'previous' }, 'number'],
] as const)('a tile without a view gets the one that it was shown in: %j', (asked, view) => {
  const tile = question('query', asked)
  expect(tileAfter(draftOfTile(tile), tile)).toEqual({ ...tile, view })
})

test('another view is another question, which keeps the period, the place and the filters', () => {
  const after = tileAfter({ ...draftOfTile(chart), view: 'number', title: '' }, chart)
  expect(after).toEqual({
    id: 'a',
    x: 2,
    y: 3,
    width: 5,
    height: 4,
    type: 'question',
    kind: 'query',
    view: 'number',
    question: {
      window: '90d',
      metrics: ['visitors'],
      compare: 'previous',
      filters: [['or', [['isSet', 'page']]]],
    },
  })
})

test('a new tile lies on the grid', () => {
  const { x, width } = tileFrom(newTileDraft('text'), [chart])
  expect(x + width).toBeLessThanOrEqual(boardLimits.columns)
})
