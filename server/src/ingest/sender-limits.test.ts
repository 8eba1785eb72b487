import { alias, batch, identify, siteIngest, track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firefox } from '../testing/browser.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

/** Stands still, so that no bucket refills while a test looks on. */
const nowMs = Date.UTC(2026, 4, 1, 12)
const callsPerMinute = {
  apiRead: 1e9,
  apiWrite: 1e9,
  controlRead: 1e9,
  controlWrite: 1e9,
  person: 1e9,
  signIn: 1e9,
  open: 5,
}
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  const config = { ingestEventsPerSecond: 20, publicEventsPerSecondPerAddress: 1e6, callsPerMinute }
  world = await startWorld({ now: () => nowMs, config })
})
afterAll(() => world?.close())

const click = { event: '$click', anonymous_id: 'a1', properties: { element: 'x' } }
/** Not a bot's. */
const inBrowser = { headers: { 'user-agent': firefox } }
const asPublic = (workspace: TestWorkspace) => ({ key: workspace.keys.public })

test('junk by a public key never refuses a batch of the back end', async () => {
  shop = await world.newWorkspace()
  const junk = { batch: Array.from({ length: 40 }, () => ({ event: 7 })) }
  expect((await shop.call(batch, { body: junk }, asPublic(shop))).status).toBe(200)
  expect((await shop.call(batch, { body: { batch: [click] } }, asPublic(shop))).status).toBe(429)
  const body = { siteId: shop.siteId, token: shop.siteToken, events: [{ type: 'click', element: 'x' }] }
  expect((await shop.call(siteIngest, { body }, { key: null })).status).toBe(429)
  const sent = await shop.call(batch, { body: { batch: Array.from({ length: 40 }, () => click) } })
  expect(sent.status).toBe(200)
  expect(sent.headers.get('x-ratelimit-remaining')).toBe('0')
})

test('identify and alias are charged as events, alone and in a batch', async () => {
  shop = await world.newWorkspace()
  const remaining = async (answer: Promise<{ headers: Headers }>) =>
    Number((await answer).headers.get('x-ratelimit-remaining'))
  expect(await remaining(shop.call(identify, { body: { anonymous_id: 'a1', user_id: 'u1' } }))).toBe(39)
  expect(await remaining(shop.call(alias, { body: { from: 'a2', to: 'u1' } }))).toBe(38)
  const both = [{ type: 'alias', previousId: 'a3', userId: 'u1' }, click]
  expect(await remaining(shop.call(batch, { body: { batch: both } }))).toBe(36)
  const many = Array.from({ length: 37 }, (_, n) => ({ type: 'alias', previousId: `b${n}`, userId: 'u1' }))
  expect((await shop.call(batch, { body: { batch: many } })).status).toBe(429)
})

test('historical by a public key or a site token is ignored with a warning, and its age counts', async () => {
  shop = await world.newWorkspace()
  const old = { ...click, ts: '2019-01-01T00:00:00Z', historical: true }
  const codesOf = (issues: readonly { code: string }[]) => issues.map(({ code }) => code).sort()
  const sent = await shop.call(track, { body: old }, { ...asPublic(shop), ...inBrowser })
  expect(sent.body.outcome).toBe('quarantine')
  expect(codesOf(sent.body.issues)).toEqual(['historical_ignored', 'too_old'])
  const event = { type: 'click', element: 'x', ts: 1_546_300_800, historical: true }
  const body = { siteId: shop.siteId, token: shop.siteToken, events: [event] }
  const [ingested] = (await shop.call(siteIngest, { body }, { key: null, ...inBrowser })).body.results
  expect(codesOf(ingested?.issues ?? [])).toEqual(['historical_ignored', 'too_old'])
  const recent = await shop.call(
    track,
    { body: { ...click, historical: true } },
    { ...asPublic(shop), ...inBrowser },
  )
  expect(recent.body).toMatchObject({ outcome: 'warn', issues: [{ code: 'historical_ignored' }] })
  expect((await shop.call(track, { body: old })).body).toMatchObject({ outcome: 'accept', issues: [] })
})

test('wrong site tokens and unknown webhook connections use up the calls of unknown callers', async () => {
  shop = await world.newWorkspace()
  const wrong = { siteId: shop.siteId, token: 'guessed', events: [] }
  const statuses: number[] = []
  for (let guess = 0; guess < 3; guess++) {
    statuses.push((await shop.call(siteIngest, { body: wrong }, { key: null })).status)
    const url = `${world.product.dataUrl}/v1/webhook/stripe?connection=whc_guess${guess}`
    statuses.push((await fetch(url, { method: 'POST', body: '{}' })).status)
  }
  expect(statuses).toEqual([401, 404, 401, 404, 401, 429])
  const right = { ...wrong, token: shop.siteToken }
  expect((await shop.call(siteIngest, { body: right }, { key: null })).status).toBe(202)
})
