import type { Board, ReportKind, Tile } from '@assay/contract'
import type { SavedQuestion } from '../reports/questions.ts'

type ReadyBoard = Pick<Board, 'name' | 'description' | 'tiles'>

/** From top to bottom, over the whole width or side by side. */
function tile(
  id: string,
  title: string,
  [x, y, width, height]: readonly [number, number, number, number],
  kind: ReportKind,
  question: SavedQuestion = {},
): Tile {
  return { id, title, x, y, width, height, type: 'question', kind, question }
}

const toPurchase = [{ event: '$pageview' }, { event: '$purchase' }]
const toCustomer = [{ event: '$pageview' }, { event: '$signup' }, { event: '$purchase' }]

/** What most teams look at first. Nothing of them is stored, so a new version of the product may improve them. */
const readyBoards: Readonly<Record<string, ReadyBoard>> = {
  traffic: {
    name: 'Traffic',
    description: 'Visitors, where they come from, and the paths they take.',
    tiles: [
      tile('overview', 'Overview', [0, 0, 12, 6], 'overview'),
      tile('channels', 'Channels', [0, 6, 6, 5], 'query', {
        metrics: ['visitors', 'bounceRate', 'conversionRate'],
        dimensions: ['channel'],
      }),
      tile('entries', 'Entry pages', [6, 6, 6, 5], 'query', {
        metrics: ['sessions', 'bounceRate', 'viewsPerSession'],
        dimensions: ['entryPage'],
      }),
      tile('journeys', 'First steps', [0, 11, 6, 5], 'journeys', { steps: 3, limit: 20 }),
      tile('flow', 'Flow', [6, 11, 6, 5], 'flow', { nodes: 20 }),
    ],
  },
  product: {
    name: 'Product',
    description: 'Retention, active people, top events and errors.',
    tiles: [
      tile('retention', 'Retention', [0, 0, 12, 6], 'retention'),
      tile('active', 'Active people, last 7 days', [0, 6, 6, 5], 'query', {
        metrics: ['visitors'],
        dimensions: ['time:day'],
        rolling: 7,
      }),
      tile('events', 'Top events', [6, 6, 6, 5], 'query', {
        metrics: [{ as: 'people', math: 'people' }, { as: 'perPerson', math: 'perPerson' }, 'events'],
        dimensions: ['event'],
      }),
      tile('flow', 'Flow', [0, 11, 6, 5], 'flow', { nodes: 40 }),
      tile('errors', 'Errors', [6, 11, 6, 5], 'errors', { state: 'open', limit: 20 }),
    ],
  },
  revenue: {
    name: 'Revenue',
    description: 'Purchases, conversion, campaigns and repeat buyers.',
    tiles: [
      tile('purchases', 'Sessions with a purchase', [0, 0, 12, 6], 'overview', { event: '$purchase' }),
      tile('conversion', 'From visit to purchase', [0, 6, 6, 5], 'funnel', {
        steps: toPurchase,
        by: 'person',
      }),
      tile('customers', 'From visit to customer', [6, 6, 6, 5], 'funnel', {
        steps: toCustomer,
        within: '30d',
        by: 'person',
      }),
      tile('days', 'Revenue by day', [0, 11, 6, 5], 'query', {
        metrics: ['revenue', 'conversions'],
        dimensions: ['time:day'],
        compare: 'previous',
      }),
      tile('campaigns', 'Revenue by campaign', [6, 11, 6, 5], 'query', {
        metrics: ['revenue', 'visitors', 'conversionRate'],
        dimensions: ['utm.campaign'],
      }),
      tile('buyers', 'Repeat buyers', [0, 16, 12, 6], 'retention', {
        firstEvent: '$purchase',
        returnEvent: '$purchase',
      }),
    ],
  },
}

export const readyNames = Object.keys(readyBoards)

export function readyBoard(name: string, siteId: string): Board | null {
  const ready = Object.hasOwn(readyBoards, name) ? readyBoards[name] : undefined
  if (ready === undefined) return null
  return {
    id: `${name}.${siteId}`,
    siteId,
    ...ready,
    narrowing: {},
    isReady: true,
    owner: null,
    createdAt: null,
    updatedAt: null,
  }
}

/** The name and the site of a ready board, by its id. */
export function readReadyId(id: string): { name: string; siteId: string } | null {
  const [name = '', siteId = '', ...rest] = id.split('.')
  return rest.length === 0 && readyNames.includes(name) && siteId !== '' ? { name, siteId } : null
}
