import { batch, getOverview, getReceipt, siteIngest, track } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const purchase = (members: object = {}) => ({
  event: '$purchase',
  user_id: 'u1',
  properties: { amount: 20, currency: 'EUR' },
  ...members,
})

describe('one event', () => {
  test('is acknowledged with its verdict and has a receipt at once', async () => {
    const sent = await shop.call(track, { body: purchase({ event_id: 'first' }) })
    expect(sent.status).toBe(202)
    expect(sent.body).toMatchObject({ event_id: 'first', outcome: 'accept', duplicate: false, issues: [] })
    const receipt = await shop.call(getReceipt, { params: { event_id: 'first' } })
    expect(receipt.body).toMatchObject({
      state: 'stored',
      outcome: 'accept',
      name: { sent: '$purchase', stored: '$purchase', rule: null },
      dedup: { counted: true, duplicate_of: null },
    })
  })
})
