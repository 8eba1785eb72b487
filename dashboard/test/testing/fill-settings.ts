import {
  createAlert,
  createAnnotation,
  createBoard,
  createDestination,
  createDigest,
  createErrorRule,
  createGoal,
  createMapping,
  createReport,
  createShare,
  createWebhookConnection,
  inviteMember,
} from '@assay/contract'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'

/** One of everything that pages list and change, so that every dialog can be opened. */
export async function fillSettings(shop: TestWorkspace): Promise<void> {
  const { siteId } = shop
  const recipients = ['ada@example.com']
  const visitors = {
    question: { metric: 'visitors' },
    interval: 'day',
    condition: { type: 'above', value: 9 },
  } as const
  const question = { steps: [{ event: '$pageview' }, { event: '$purchase' }] }
  await Promise.all([
    shop.call(createGoal, { body: { siteId, name: 'Bought', event: '$purchase' } }),
    shop.call(createAnnotation, { body: { siteId, at: new Date().toISOString(), text: 'Prices raised' } }),
    shop.call(createReport, { body: { siteId, kind: 'funnel', name: 'To the order', question } }),
    shop.call(createBoard, { body: { siteId, name: 'Ours', tiles: [] } }),
    shop.call(createShare, { body: { siteId, type: 'overview' } }),
    shop.call(createDigest, {
      body: { siteId, type: 'overview', frequency: 'monthly', hour: 7, recipients },
    }),
    shop.call(createAlert, { body: { siteId, name: 'Many visitors', ...visitors, recipients } }),
    shop.call(createMapping, { body: { siteId, source: 'order_done', target: '$purchase' } }),
    shop.call(createErrorRule, { body: { siteId, match: { type: 'RangeError' }, errorGroup: 'Ranges' } }),
    shop.call(createWebhookConnection, {
      body: { provider: 'stripe', site_id: siteId, secrets: ['whsec_x'] },
    }),
    shop.call(createDestination, {
      body: { name: 'Warehouse', url: 'https://there.invalid/', events: ['*'] },
    }),
    shop.call(inviteMember, { body: { email: 'grace@example.com', role: 'viewer' } }),
  ])
}
