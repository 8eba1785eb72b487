import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

/**
 * The calls of other tools' mobile SDKs, which do not run on Node: addresses, headers and bodies as in their sources
 * (analytics-react-native 2.24 `api.ts`, analytics-kotlin `HTTPClient.kt`, analytics-swift `HTTPClient.swift`,
 * rudder-sdk-android `RudderNetworkManager.java`, rudder-sdk-ios `RSServerConfigManager.m`).
 */
let world: World
let ours: TestWorkspace
beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
})
afterAll(() => world?.close())

let last = 0
const eventsOf = (library: string, os: string) => {
  last += 1
  const anonymousId = `device-${last}`
  const context = {
    app: { name: 'Shop', version: '2.1.0', build: '7', namespace: 'example.shop' },
    device: { id: 'd1', manufacturer: 'Maker', model: 'Phone', name: 'phone', type: os.toLowerCase() },
    library: { name: library, version: '1.0.0' },
    locale: 'de-DE',
    os: { name: os, version: '14' },
    screen: { width: 1080, height: 2400, density: 2 },
    timezone: 'Europe/Berlin',
  }
  const common = { anonymousId, context, integrations: {}, originalTimestamp: new Date().toISOString() }
  return [
    { ...common, type: 'track', event: 'Signed Up', properties: { method: 'email' }, messageId: `t-${last}` },
    { ...common, type: 'screen', name: 'Cart', properties: { name: 'Cart' }, messageId: `s-${last}` },
    { ...common, type: 'identify', userId: `u-${last}`, traits: { plan: 'pro' }, messageId: `i-${last}` },
  ]
}

type Sent = { path: string; headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> }

async function accepted({ path, headers, body }: Sent): Promise<string[]> {
  const agent = { 'user-agent': 'okhttp/4.12.0' }
  const answer = await fetch(`${world.product.url}${path}`, {
    method: 'POST',
    headers: { ...agent, ...headers },
    body,
  })
  // RudderStack's clients take nothing but 200 for success.
  expect(answer.status).toBe(200)
  const { results }: { results: { outcome: string; counted_as_bot?: boolean }[] } = JSON.parse(
    await answer.text(),
  )
  expect(results.filter(({ counted_as_bot }) => counted_as_bot === true)).toEqual([])
  return results.map(({ outcome }) => outcome)
}

const basic = () => `Basic ${Buffer.from(`${ours.keys.public}:`).toString('base64')}`
const three = ['accept', 'accept', 'accept']

test('Segment’s SDK for React Native reads its settings, and its batches count', async () => {
  const settings = await fetch(`${world.product.url}/v1/projects/${ours.keys.public}/settings`)
  expect(await settings.json()).toMatchObject({
    integrations: { 'Segment.io': { apiKey: ours.keys.public } },
  })
  const batch = eventsOf('analytics-react-native', 'Android')
  const body = JSON.stringify({ batch, sentAt: new Date().toISOString(), writeKey: ours.keys.public })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  expect(await accepted({ path: '/v1/b', headers, body })).toEqual(three)
})

test('Segment’s SDKs for Kotlin and Swift have their batches count', async () => {
  for (const [library, os] of [
    ['analytics-kotlin', 'Android'],
    ['analytics-swift', 'iOS'],
  ] as const) {
    const sent = {
      batch: eventsOf(library, os),
      sentAt: new Date().toISOString(),
      writeKey: ours.keys.public,
    }
    const packed = gzipSync(JSON.stringify(sent))
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip', authorization: basic() }
    expect(await accepted({ path: '/v1/b', headers, body: packed })).toEqual(three)
  }
})

test.each([
  'sourceConfig?p=android&v=1.28.1&bv=34',
  'sourceConfig?p=ios&v=1.31.1',
  'sourceConfig/?p=npm&v=3.31.4&build=modern&writeKey=x&lockIntegrationsVersion=true',
])('RudderStack’s clients learn from %s that they may send', async (path) => {
  const answer = await fetch(`${world.product.url}/${path}`, { headers: { authorization: basic() } })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ source: { enabled: true, destinations: [] } })
})

test('RudderStack’s SDKs for Android and iOS have their batches count', async () => {
  const batch = eventsOf('com.rudderstack.android.sdk.core', 'Android')
  const body = JSON.stringify({ sentAt: new Date().toISOString(), batch })
  const anonymousId = Buffer.from('device-1').toString('base64')
  const headers = { 'content-type': 'application/json', authorization: basic(), anonymousid: anonymousId }
  expect(await accepted({ path: '/v1/batch', headers, body })).toEqual(three)
  const packed = { ...headers, 'content-encoding': 'gzip' }
  const second = JSON.stringify({ batch: eventsOf('rudder-ios-library', 'iOS') })
  expect(await accepted({ path: '/v1/batch', headers: packed, body: gzipSync(second) })).toEqual(three)
})

test('events of these SDKs are of apps, by their system', async () => {
  await ours.settle()
  const rows = await world.product.deps.events.query<{ surface: string; names: string[] }>(
    `SELECT surface, arraySort(groupUniqArray(name)) AS names FROM events WHERE workspace_id = {id:String}
     GROUP BY surface ORDER BY surface`,
    { id: ours.workspaceId },
  )
  const names = ['$identify', '$pageview', '$signup']
  expect(rows).toEqual([
    { surface: 'android', names },
    { surface: 'ios', names },
  ])
})
