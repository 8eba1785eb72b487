import { alias, batch, importEvents, segmentSettings } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const calls = {
  track: { event: 'Signed Up', properties: { method: 'x' } },
  page: { name: 'Home', properties: { url: 'https://shop.example/', title: 'Home' } },
  screen: { name: 'Cart' },
  group: { groupId: 'g1', traits: { name: 'Acme' } },
}

describe('a batch', () => {
  test('may hold calls of every type: each gets its result at its place, and an alias makes one person of two', async () => {
    const items = [
      { type: 'identify', userId: 'b1', anonymousId: 'dev1', traits: { plan: 'pro' }, messageId: 'b-1' },
      { type: 'alias', previousId: 'dev2', userId: 'b1', messageId: 'b-2' },
      { type: 'page', userId: 'b1', messageId: 'b-3', ...calls.page },
      { type: 'alias', userId: 'b1', messageId: 'b-4' },
      { type: 'screen', userId: 'b1', messageId: 'b-5', ...calls.screen },
      { type: 'group', userId: 'b1', messageId: 'b-6', ...calls.group },
      { type: 'track', userId: 'b1', messageId: 'b-7', ...calls.track },
    ]
    const { status, body } = await shop.call(batch, {
      body: { batch: items, sent_at: new Date().toISOString() },
    })
    expect(status).toBe(200)
    expect(body.results.map(({ index, event_id }) => [index, event_id])).toEqual(
      items.map(({ messageId }, index) => [index, messageId]),
    )
    expect(body.results.map(({ outcome }) => outcome === 'reject')).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      false,
    ])
    expect(body.results[3]).toMatchObject({
      issues: [{ message: expect.stringContaining('from') }],
      problem: { status: 422 },
    })
    const again = await shop.call(alias, { body: { previous_id: 'dev2', user_id: 'b1' } })
    expect(again.body.merged).toBe(false)
  })

  test('of packed JSON that calls itself a form is understood, where events are handed in and nowhere else', async () => {
    const send = (path: string) =>
      fetch(`${world.product.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Bearer ${shop.keys.secret}`,
        },
        body: JSON.stringify({ batch: [{ type: 'track', userId: 'u', ...calls.track }] }),
      })
    expect((await send('/v1/batch')).status).toBe(200)
    expect((await send('/v1/b')).status).toBe(200)
    expect((await send('/v1/registry/validate')).status).toBe(415)
  })
})

describe('an import', () => {
  const past = { event: '$login', user_id: 'u', ts: '2021-01-01T00:00:00Z', properties: { method: 'x' } }

  test('takes events of any age, which a batch holds', async () => {
    const imported = await shop.call(importEvents, { body: { batch: [{ ...past, event_id: 'i-1' }] } })
    expect(imported.body.results).toMatchObject([{ outcome: 'accept' }])
    const batched = await shop.call(batch, { body: { batch: [{ ...past, event_id: 'i-2' }] } })
    expect(batched.body.results).toMatchObject([{ outcome: 'quarantine', issues: [{ code: 'too_old' }] }])
  })

  test('is not for public keys', async () => {
    const answer = await shop.call(importEvents, { body: { batch: [past] } }, { key: shop.keys.public })
    expect(answer.status).toBe(403)
  })
})

test('Segment’s browser SDK learns from the settings where to send, for keys of ours only', async () => {
  const ask = (key: string) => shop.call(segmentSettings, { params: { write_key: key } }, { key: null })
  const { host } = new URL(world.product.url)
  expect((await ask(shop.keys.public)).body).toMatchObject({
    integrations: { 'Segment.io': { apiKey: shop.keys.public, apiHost: `${host}/v1`, protocol: 'http' } },
  })
  expect((await ask('nobody')).status).toBe(404)
})
