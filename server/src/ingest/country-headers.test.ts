import { batch, identify, siteIngest, track } from '@assay/contract'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
afterEach(() => world.close())

/** All requests come from this machine, so a proxy is trusted where its network is the loop. */
async function startBehind(setting: string): Promise<TestWorkspace> {
  const { trustProxy } = readConfig({ ASSAY_TRUST_PROXY: setting })
  world = await startWorld({ config: { trustProxy } })
  return world.newWorkspace()
}

const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country', 'cloudfront-viewer-country', 'x-country-code']
const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
}
const login = (event_id: string) => ({
  event: '$login',
  event_id,
  anonymous_id: 'a',
  properties: { method: 'x' },
})

/** By every endpoint that takes events of a visitor, each with another of the headers. */
async function sendAll(shop: TestWorkspace, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const options = (place: number) => ({
    key: shop.keys.public,
    headers: { ...browser, ...more, [countryHeaders[place] ?? '']: 'JP' },
  })
  const { siteId, siteToken: token } = shop
  const answers = [
    await shop.call(track, { body: login('by-track') }, options(0)),
    await shop.call(batch, { body: { batch: [{ type: 'track', ...login('by-batch') }] } }, options(1)),
    await shop.call(identify, { body: { user_id: 'u', anonymous_id: 'a', traits: {} } }, options(2)),
    await shop.call(
      siteIngest,
      { body: { siteId, token, events: [{ type: 'pageview', url: '/a' }] } },
      options(3),
    ),
  ]
  expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2, 2, 2])
  await shop.settle()
}

async function countriesOf({ workspaceId }: TestWorkspace): Promise<string[]> {
  const rows = await world.product.deps.events.query<{ country: string }>(
    'SELECT toString(country) AS country FROM events WHERE workspace_id = {workspaceId:String} ORDER BY event_id',
    { workspaceId },
  )
  return rows.map((row) => row.country)
}

test('the country from a trusted proxy is stored with the event', async () => {
  const shop = await startBehind('loopback')
  await sendAll(shop)
  expect(await countriesOf(shop)).toEqual(['JP', 'JP', 'JP', 'JP'])
})

test.each([
  ['without a proxy', '', {}],
  [
    'from outside of the network of proxies, which it claims to be in',
    '10.0.0.0/8',
    { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' },
  ],
])('a country from anyone else is not stored: %s', async (_how, setting, more) => {
  const shop = await startBehind(setting)
  await sendAll(shop, more)
  expect(await countriesOf(shop)).toEqual(['', '', '', ''])
})
