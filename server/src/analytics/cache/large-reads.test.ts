import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { readLarge } from './large-reads.ts'
import { createReportCache } from './report-cache.ts'

const clock = { ms: 0 }
const kept = createReportCache(
  () => clock.ms,
  () => {},
)
const app = Fastify()
let made = 0
const reading = {
  filter: {
    workspaceId: 'ws1',
    siteId: 'site1',
    includeBots: false,
    readOverlays: { overlay: null, superseded: null, hasMerges: false },
  },
  money: { currency: 'EUR', rates: [] },
  period: { fromMs: 0, toMs: 1, timezone: 'UTC', nowMs: 0 },
}
const until: number[] = []
const read = {
  isAwaited: false,
  dataUntilMs: () => clock.ms - 1_000,
  reachesUntil: (ms: number) => void until.push(ms),
}
app.get<{ Querystring: { size: string } }>('/read', (request, reply) =>
  readLarge(kept, { name: 'test', asked: request.query, read, request, reply }, reading, async () => {
    made += 1
    return { value: { made }, isLarge: request.query.size === 'large' }
  }),
)
afterAll(() => app.close())

async function ask(size: string, headers: Record<string, string> = {}) {
  const answer = await app.inject({ url: `/read?size=${size}`, headers })
  return { ...answer.json<{ made: number }>(), age: answer.headers.age }
}

test('a large read says how old it is, and is computed again on request', async () => {
  expect(await ask('large')).toEqual({ made: 1, age: '0' })
  clock.ms = 20_500
  expect(await ask('large')).toEqual({ made: 1, age: '20' })
  expect(await ask('large', { 'cache-control': 'no-cache' })).toEqual({ made: 2, age: '0' })
  kept.forget('ws1 ')
  expect(await ask('large')).toEqual({ made: 3, age: '0' })
})

test('a large read states its freshness, also when it comes from the cache', async () => {
  kept.forget('ws1 ')
  until.length = 0
  clock.ms = 60_000
  await ask('large')
  clock.ms = 90_000
  await ask('large')
  expect(until).toEqual([59_000, 59_000])
})

test('a small read is made each time and has no age', async () => {
  expect(await ask('small')).toEqual({ made: 5 })
  expect(await ask('small')).toEqual({ made: 6 })
})
