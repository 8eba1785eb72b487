import { batch, getOverview, getReceipt, siteIngest, track, validateEvents } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace
beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const person =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const page = { url: 'https://shop.example/', title: 'Shop' }
const view = (event_id: string, members: object = {}) => ({
  event: '$pageview',
  event_id,
  anonymous_id: 'v1',
  properties: page,
  ...members,
})
const receipt = async (event_id: string) => {
  await shop.settle()
  return (await shop.call(getReceipt, { params: { event_id } })).body
}
const by = (agent: string) => ({ key: shop.keys.public, headers: { 'user-agent': agent } })

describe('an event that reports leave out as that of a bot', () => {
  test.each([
    ['curl/8.5.0', 'user_agent'],
    ['python-requests/2.32.3', 'user_agent'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'user_agent'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0',
      'headless',
    ],
  ])('says so in the answer and in the receipt: %s', async (agent, reason) => {
    const id = `bot ${agent}`.slice(0, 60)
    const { body } = await shop.call(track, { body: view(id) }, by(agent))
    expect(body).toMatchObject({ outcome: 'accept', issues: [{ code: 'counted_as_bot', actual: reason }] })
    expect(await receipt(id)).toMatchObject({
      outcome: 'accept',
      state: 'stored',
      bot: true,
      bot_reason: reason,
      counted: false,
      not_counted_because: 'bot',
    })
  })

  test('says so with the token of a site too, and one of a browser does not', async () => {
    const body = { siteId: shop.siteId, token: shop.siteToken, events: [{ type: 'pageview', ...page }] }
    const codes = async (agent: string) =>
      (await shop.call(siteIngest, { body }, { key: null, headers: { 'user-agent': agent } })).body.results
        .flatMap(({ issues }) => issues)
        .map(({ code }) => code)
    expect(await codes('curl/8.5.0')).toContain('counted_as_bot')
    expect(await codes(person)).not.toContain('counted_as_bot')
  })
})

describe('an event of a secret key', () => {
  const from = (agent: string) => ({ headers: { 'user-agent': agent } })

  test('counts whatever program sends it', async () => {
    for (const [at, agent] of ['curl/8.5.0', 'python-requests/2.32.3', ''].entries()) {
      const { body } = await shop.call(track, { body: view(`server-${at}`) }, from(agent))
      expect(body).toMatchObject({ outcome: 'accept', issues: [] })
      expect(await receipt(`server-${at}`)).toMatchObject({
        bot: false,
        bot_reason: null,
        counted: true,
        not_counted_because: null,
      })
    }
  })

  test('is a bot by the agent that it passes on, and validation says the same', async () => {
    const passed = (event_id: string, userAgent: string) => view(event_id, { context: { userAgent } })
    const events = [passed('passed-bot', 'Googlebot/2.1'), passed('passed-person', person)]
    const { body } = await shop.call(batch, { body: { batch: events } }, from('curl/8.5.0'))
    const codes = body.results.map(({ issues }) => issues.map(({ code }) => code))
    expect(codes).toEqual([['counted_as_bot'], []])
    const validated = await shop.call(validateEvents, { body: { batch: events } })
    expect(validated.body.results.map(({ issues }) => issues.map(({ code }) => code))).toEqual(codes)
    expect((await receipt('passed-bot')).counted).toBe(false)
    expect((await receipt('passed-person')).counted).toBe(true)
  })
})

test('the overview counts the events of bots apart from all others', async () => {
  const own = await world.newWorkspace()
  await own.call(track, { body: view('a') }, { key: own.keys.public, headers: { 'user-agent': person } })
  for (const id of ['b', 'c']) {
    await own.call(track, { body: view(id) }, { key: own.keys.public, headers: { 'user-agent': 'curl/8' } })
  }
  await own.settle()
  const { body } = await own.call(getOverview, { query: { siteId: own.siteId, window: '7d' } })
  expect(body.metrics.events).toBe(1)
  expect(body.dataQuality).toMatchObject({ botEvents: 2 })
  expect(body.dataQuality.botShare).toBeCloseTo(2 / 3)
})
