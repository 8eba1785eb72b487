import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import Rudder from '@rudderstack/rudder-sdk-node'
import { Analytics } from '@segment/analytics-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../../server/src/testing/harness.ts'

let world: World

beforeAll(async () => {
  // Both SDKs send as fast as they can; the rate limit is tested below.
  world = await startWorld({ config: { ingestEventsPerSecond: 1e6 } })
})
afterAll(() => world?.close())

const count = 10_000
const perFlush = 200
/** RudderStack’s SDK writes its whole queue as JSON at every call, to measure it: so it is kept short. */
const rudderPerFlush = 50
const secondMs = 1_000
const startMs = Math.floor(Date.now() / secondMs) * secondMs - 2 * 86_400_000

/** Names of the tracking specification, and what they are stored as. */
const kinds = [
  { name: 'Signed Up', properties: { method: 'google' }, stored: '$signup' },
  { name: 'Signed In', properties: { method: 'google' }, stored: '$login' },
  { name: 'Products Searched', properties: { query: 'shoes' }, stored: '$search' },
] as const

type Sent = { name: string; stored: string; userId: string; ts: number; properties: Record<string, string> }

/** Content of the nth event; no two share person and time. */
function nth(index: number): Sent {
  const kind = kinds[index % kinds.length] ?? kinds[0]
  return {
    name: kind.name,
    stored: kind.stored,
    userId: `u${index % 500}`,
    ts: startMs + index * secondMs,
    properties: kind.properties,
  }
}

type Stored = {
  name: string
  sent_name: string
  user_id: string
  ts_ms: string | number
  copies: string | number
}

async function stored(workspace: TestWorkspace): Promise<Stored[]> {
  await workspace.settle()
  return world.product.deps.events.query<Stored>(
    `SELECT name, sent_name, user_id, toUnixTimestamp64Milli(ts) AS ts_ms, count() AS copies FROM events
     WHERE workspace_id = {ws:String} GROUP BY name, sent_name, user_id, ts_ms`,
    { ws: workspace.workspaceId },
  )
}

function expectAll(rows: readonly Stored[]): void {
  const key = (name: string, sent: string, userId: string, ts: number) => `${name} ${sent} ${userId} ${ts}`
  const found = new Set(rows.map((row) => key(row.name, row.sent_name, row.user_id, Number(row.ts_ms))))
  const expected = Array.from({ length: count }, (_, index) => nth(index))
  expect(expected.filter((one) => !found.has(key(one.stored, one.name, one.userId, one.ts)))).toEqual([])
  expect(rows.length).toBe(count)
  expect(rows.filter(({ copies }) => Number(copies) !== 1)).toEqual([])
}

describe('with only host and key changed', () => {
  test('Segment’s Node SDK has 10,000 events stored, each once with its name, person and time', async () => {
    const workspace = await world.newWorkspace()
    const analytics = new Analytics({
      writeKey: workspace.keys.secret,
      host: world.product.url,
      flushAt: perFlush,
    })
    const failures: unknown[] = []
    analytics.on('error', (error) => failures.push(error))
    for (let index = 0; index < count; index++) {
      const { name, userId, ts, properties } = nth(index)
      analytics.track({ event: name, userId, timestamp: new Date(ts), properties })
      // A request gets its timestamp when it is created: one that waits behind many others looks like a wrong
      // clock.
      if (index % perFlush === perFlush - 1) await analytics.flush()
    }
    await analytics.closeAndFlush()
    expect(failures).toEqual([])
    expectAll(await stored(workspace))
  })

  test('RudderStack’s Node SDK has 10,000 events stored, each once with its name, person and time', async () => {
    const workspace = await world.newWorkspace()
    const rudder = new Rudder(workspace.keys.secret, {
      dataPlaneUrl: world.product.url,
      flushAt: rudderPerFlush,
      logLevel: 'error',
    })
    const failures: unknown[] = []
    let answered = 0
    for (let index = 0; index < count; index++) {
      const { name, userId, ts, properties } = nth(index)
      rudder.track({ event: name, userId, timestamp: new Date(ts), properties }, (error?: Error) => {
        if (error) failures.push(error)
        answered += 1
      })
      if (index % rudderPerFlush === rudderPerFlush - 1) {
        await rudder.flush()
        await untilTrue('the SDK’s queue is sent', () => answered === index + 1)
      }
    }
    expect(failures).toEqual([])
    expectAll(await stored(workspace))
  })

  test('their other calls do what they say', async () => {
    const workspace = await world.newWorkspace()
    const analytics = new Analytics({ writeKey: workspace.keys.secret, host: world.product.url })
    analytics.identify({ userId: 'p1', anonymousId: 'd1', traits: { email: 'p1@example.com' } })
    analytics.page({ userId: 'p1', name: 'Home', properties: { url: 'https://shop.example/' } })
    analytics.screen({ userId: 'p1', name: 'Cart' })
    analytics.group({ userId: 'p1', groupId: 'acme', traits: { seats: 3 } })
    analytics.alias({ previousId: 'd2', userId: 'p1' })
    await analytics.closeAndFlush()
    // Page and screen may have the same millisecond: then they are one group of two.
    const names = (await stored(workspace)).flatMap(({ name, copies }) => Array(Number(copies)).fill(name))
    expect(names.sort()).toEqual(['$identify', '$pageview', '$pageview', 'group'])
  })
})

describe('when something is wrong', () => {
  test('an invalid key is reported to the SDK as a failure, once, without endless retries', async () => {
    const analytics = new Analytics({ writeKey: 'sk_live_wrong', host: world.product.url, maxRetries: 2 })
    const failures: string[] = []
    analytics.on('error', ({ reason }) => failures.push(String(reason)))
    analytics.track({ event: 'Signed In', userId: 'u' })
    await analytics.closeAndFlush({ timeout: 20_000 })
    expect(failures).toEqual([expect.stringContaining('401')])
  })

  test('a limit that is hit slows the SDK down, and nothing is lost', async () => {
    const workspace = await world.newWorkspace()
    let refusals = 2
    // A proxy that answers like a used-up limit: 429 with the seconds to wait.
    const proxy = createServer((request, response) => {
      if (refusals-- > 0) {
        request.resume()
        response.writeHead(429, { 'retry-after': '1' }).end()
        return
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', async () => {
        const bytes = Buffer.concat(chunks)
        const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
        const answer = await fetch(`${world.product.url}${request.url}`, {
          method: 'POST',
          headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
          body: text,
        })
        response.writeHead(answer.status).end(await answer.text())
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = proxy.address()
    const port = typeof address === 'object' ? address?.port : 0
    try {
      const analytics = new Analytics({ writeKey: workspace.keys.secret, host: `http://127.0.0.1:${port}` })
      analytics.track({ event: 'Signed In', userId: 'u', properties: { method: 'x' } })
      await analytics.closeAndFlush()
      expect((await stored(workspace)).map(({ name }) => name)).toEqual(['$login'])
    } finally {
      proxy.close()
    }
  })
})
