import { type Example, freshId } from './example.ts'
import type { Things } from './things.ts'

const queryTile = {
  id: 'query',
  type: 'question',
  kind: 'query',
  question: { metrics: ['visitors'] },
  view: 'number',
}

function keptExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  const siteId = { siteId: t.siteId }
  const at = '2026-01-01T10:00:00Z'
  const question = { window: '30d', steps: [{ path: '/' }, { event: '$purchase' }] }
  const place = { x: 0, y: 0, width: 6, height: 4, title: 'Tile' }
  const tiles = [
    { ...place, id: 'report', type: 'report', reportId: t.reportId },
    { ...place, id: 'question', type: 'question', kind: 'funnel', question },
    { ...place, ...queryTile },
    { ...place, id: 'text', type: 'text', text: 'Hello' },
  ]
  return {
    listAnnotations: [
      {
        query: {
          ...siteId,
          from: '2026-01-01',
          to: '2026-01-31',
          timezone: 'UTC',
          kind: 'manual',
          limit: '10',
        },
      },
    ],
    createAnnotation: [
      { body: { ...siteId, at, text: `Prices raised ${freshId}`, link: 'https://example.com/prices' } },
    ],
    updateAnnotation: [
      { params: { id: t.annotationId }, body: { at, text: 'Prices raised', link: 'https://example.com/' } },
    ],
    deleteAnnotation: [{ params: { id: 'ann_none' }, answers: 404 }],
    listBoards: [{ query: { ...siteId, limit: '10', cursor: '' } }],
    createBoard: [
      {
        body: {
          ...siteId,
          name: 'Ours',
          description: 'x',
          narrowing: { window: '7d', timezone: 'UTC', country: 'DE' },
          tiles,
        },
      },
    ],
    getBoard: [{ params: { id: t.boardId } }, { params: { id: `traffic.${t.siteId}` } }],
    updateBoard: [
      { params: { id: t.boardId }, body: { name: 'Yours', description: 'y', narrowing: {}, tiles } },
    ],
    deleteBoard: [{ params: { id: 'brd_none' }, answers: 404 }],
    duplicateBoard: [{ params: { id: t.boardId }, body: { name: `Copy ${freshId}` } }],
    getTileResult: [
      {
        params: { id: t.boardId, tile: 'question' },
        query: { window: '7d', timezone: 'UTC', path: '/', country: 'DE', device: 'desktop', source: 'news' },
      },
    ],
    listReports: [{ query: { ...siteId, kind: 'funnel', limit: '10', cursor: '' } }],
    createReport: [{ body: { ...siteId, kind: 'funnel', name: 'To the cart', description: 'x', question } }],
    getReport: [{ params: { id: t.reportId } }],
    updateReport: [{ params: { id: t.reportId }, body: { name: 'To the till', description: 'y', question } }],
    deleteReport: [{ params: { id: 'rep_none' }, answers: 404 }],
    getReportResult: [
      {
        params: { id: t.reportId },
        query: { window: '7d', timezone: 'UTC', path: '/', country: 'DE', device: 'desktop', source: 'news' },
      },
    ],
  }
}

function goalExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  const siteId = { siteId: t.siteId }
  return {
    listGoals: [{ query: { ...siteId, limit: '10', cursor: '' } }],
    createGoal: [
      {
        body: {
          ...siteId,
          name: 'Bought for 50',
          event: '$purchase',
          page: '/thanks',
          filters: [['gte', 'property:amount', 50]],
        },
      },
    ],
    getGoal: [{ params: { id: t.goalId } }],
    updateGoal: [
      {
        params: { id: t.goalId },
        body: { name: 'Bought', event: '$purchase', page: '/thanks', filters: [['isSet', 'property:plan']] },
      },
    ],
    deleteGoal: [{ params: { id: 'goal_none' }, answers: 404 }],
  }
}

function shareExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  const siteId = { siteId: t.siteId }
  return {
    listShares: [{ query: { ...siteId, limit: '10', cursor: '' } }],
    createShare: [
      {
        body: {
          ...siteId,
          type: 'board',
          targetId: t.boardId,
          narrowing: { device: 'desktop' },
          expiresAt: '2099-01-01T00:00:00Z',
          origins: ['https://example.com'],
          theme: 'dark',
        },
      },
    ],
    getShare: [{ params: { id: t.shareId } }],
    updateShare: [
      { params: { id: t.shareId }, body: { narrowing: {}, expiresAt: null, origins: [], theme: 'light' } },
    ],
    revokeShare: [{ params: { id: 'shr_none' }, answers: 404 }],
    getShared: [{ params: { token: t.shareToken } }],
    getSharedResult: [
      { params: { token: t.shareToken, tile: 'question' }, query: { window: '7d', timezone: 'UTC' } },
    ],
  }
}

function digestExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  const siteId = { siteId: t.siteId }
  const recipients = ['ada@example.com', 'grace@example.com']
  const time = { frequency: 'weekly', weekday: 2, hour: 7 }
  return {
    listDigests: [{ query: { ...siteId, limit: '10', cursor: '' } }],
    createDigest: [
      {
        body: {
          ...siteId,
          type: 'board',
          targetId: t.boardId,
          narrowing: { device: 'desktop' },
          ...time,
          recipients,
          isPaused: true,
        },
      },
    ],
    getDigest: [{ params: { id: t.digestId } }],
    updateDigest: [
      { params: { id: t.digestId }, body: { narrowing: {}, ...time, recipients, isPaused: true } },
    ],
    deleteDigest: [{ params: { id: 'dig_none' }, answers: 404 }],
    testDigest: [{ params: { id: t.digestId }, body: { email: 'ada@example.com' } }],
    getSubscription: [{ params: { token: 'dgr_none.x' }, answers: 404 }],
    unsubscribe: [{ params: { token: 'dgr_none.x' }, answers: 404 }],
  }
}

function alertExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  const question = {
    metric: { as: 'rate', formula: 'bought / visitors' },
    parts: ['visitors', { as: 'bought', event: '$purchase', math: 'people' }],
    filters: [['is', 'country', ['DE']]],
    includeBots: false,
  }
  const judged = { question, interval: 'day', condition: { type: 'below', value: 10 } }
  const channels = {
    recipients: ['ada@example.com'],
    slackUrl: 'https://hooks.invalid/services/T0/B0/secret',
    notice: true,
    isPaused: true,
  }
  return {
    listAlerts: [{ query: { siteId: t.siteId, limit: '10', cursor: '' } }],
    createAlert: [{ body: { siteId: t.siteId, name: `Rate ${freshId}`, ...judged, ...channels } }],
    getAlert: [{ params: { id: t.alertId } }],
    updateAlert: [{ params: { id: t.alertId }, body: { name: 'Rate', ...judged, ...channels } }],
    deleteAlert: [{ params: { id: 'alr_none' }, answers: 404 }],
    previewAlert: [
      { body: { siteId: t.siteId, ...judged } },
      {
        body: {
          siteId: t.siteId,
          question: { metric: 'visitors' },
          interval: 'hour',
          condition: { type: 'changedBy', share: 0.5, direction: 'either' },
        },
      },
      {
        body: {
          siteId: t.siteId,
          question: { metric: 'visitors' },
          interval: 'week',
          condition: { type: 'unusual', sensitivity: 'high' },
        },
      },
    ],
    getAlertPreview: [{ params: { id: t.alertId } }],
    listFirings: [{ params: { id: t.alertId }, query: { limit: '10', cursor: '' } }],
  }
}

/** Things that members save to look at again, or to show. */
export function savedExamples(t: Things): Readonly<Record<string, readonly Example[]>> {
  return {
    ...keptExamples(t),
    ...goalExamples(t),
    ...shareExamples(t),
    ...digestExamples(t),
    ...alertExamples(t),
  }
}
