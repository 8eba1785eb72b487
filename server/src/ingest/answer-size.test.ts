import { gzipSync } from 'node:zlib'
import { answerBounds } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const longName = fc
  .tuple(fc.constantFrom('x', '\u0001', '漢', '"'), fc.integer({ min: 1, max: 30_000 }))
  .map(([unit, count]) => unit.repeat(count))
const value = fc.oneof(
  fc.constantFrom(1, 1e20, null, 'a@b.example', '\u0001'.repeat(200)),
  fc.array(fc.constant(1), { maxLength: 400 }),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.constantFrom(1, 'a@b.example'), { maxKeys: 60 }),
)
const event = fc.oneof(
  fc.constantFrom(0, null, {}, []),
  fc.record(
    {
      event: fc.oneof(fc.constantFrom('$purchase', '$click'), longName),
      type: fc.constantFrom('purchase', 'click', 'identify'),
      anonymous_id: fc.oneof(fc.constant('a'), longName),
      event_id: longName,
      properties: fc.dictionary(longName, value, { maxKeys: 20 }),
      items: value,
    },
    { requiredKeys: ['event', 'type'] },
  ),
)
/** Up to the largest batch, of one event over and over: what is packed best. */
const batch = fc
  .tuple(fc.array(event, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 250 }))
  .filter(([events, times]) => JSON.stringify(events).length * times < 4_000_000)
  .map(([events, times]) => Array.from({ length: times }, () => events).flat())

type Endpoint = {
  path: string
  wrap: (events: unknown[]) => unknown
  key: 'public' | 'secret' | null
  prefer?: string
}

const endpoints: readonly Endpoint[] = [
  { path: '/v1/batch', wrap: (events) => ({ batch: events }), key: 'public' },
  { path: '/v1/batch', wrap: (events) => ({ batch: events }), key: 'secret', prefer: 'handling=strict' },
  { path: '/v1/track', wrap: ([first]) => first, key: 'public' },
  { path: '/v1/registry/validate', wrap: (events) => ({ batch: events.slice(0, 200) }), key: 'secret' },
  {
    path: '/api/ingest',
    wrap: (events) => ({ siteId: shop.siteId, token: shop.siteToken, events }),
    key: null,
  },
]

test('an answer is at most a small multiple of its request, at every endpoint that takes events', async () => {
  await fc.assert(
    fc.asyncProperty(batch, fc.constantFrom(...endpoints), async (events, { path, wrap, key, prefer }) => {
      const text = JSON.stringify(wrap(events)) ?? 'null'
      const answer = await fetch(`${world.product.url}${path}`, {
        method: 'POST',
        body: gzipSync(text),
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          ...(key !== null && {
            authorization: `Bearer ${key === 'public' ? shop.keys.public : shop.keys.live}`,
          }),
          ...(prefer !== undefined && { prefer }),
        },
      })
      const bytes = (await answer.arrayBuffer()).byteLength
      expect(answer.status).toBeLessThan(500)
      const { perRequestByte, perEventBytes, baseBytes } = answerBounds
      const allowed = perRequestByte * Buffer.byteLength(text) + perEventBytes * events.length + baseBytes
      expect(bytes, `${path} ${answer.status}`).toBeLessThanOrEqual(allowed)
    }),
    { numRuns: 20, endOnFailure: true },
  )
}, 240_000)

test('the context of a batch, which is part of all its events, fits into one of them', async () => {
  const context = { note: 'x'.repeat(40_000) }
  const answer = await fetch(`${world.product.url}/v1/batch`, {
    method: 'POST',
    body: JSON.stringify({ batch: [{ event: '$click', anonymous_id: 'a' }], context }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${shop.keys.public}` },
  })
  expect(answer.status).toBe(413)
})
