import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { requestsMax } from '../src/delivery/budget.ts'
import type { Answer } from '../src/delivery/network.ts'
import { ModeledPage } from './testing/modeled-page.ts'
import { makeStorage } from './testing/storage.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const refusals = [0, 302, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503]
const result = fc.record({
  outcome: fc.constantFrom('accept', 'warn', 'reject'),
  retryable: fc.boolean(),
})
const success: fc.Arbitrary<Answer> = fc.record({
  status: fc.constantFrom(200, 202, 204),
  waitMs: fc.constant(0),
  results: fc.oneof(fc.constant([]), fc.array(result, { maxLength: 8 })),
})
const failure: fc.Arbitrary<Answer> = fc.record({
  status: fc.constantFrom(...refusals),
  waitMs: fc.constantFrom(0, 0, 1_000, 30_000, 300_000),
  results: fc.constant([]),
})

type Act = (page: ModeledPage) => unknown
const act = <Value>(values: fc.Arbitrary<Value>, run: (page: ModeledPage, value: Value) => unknown) =>
  values.map(
    (value): Act =>
      (page) =>
        run(page, value),
  )

/** What page, visitor, network and server may do, in any order and at any time. */
const acts: fc.Arbitrary<Act>[] = [
  act(fc.integer({ min: 1, max: 30 }), (page, count) => {
    for (let n = 0; n < count; n += 1) page.track('/v1/batch', 10, false)
  }),
  act(fc.constantFrom('/v1/identify', '/v1/alias'), (page, path) => page.track(path, 10, false)),
  act(fc.constant('/v1/consent'), (page, path) => page.track(path, 10, true)),
  act(fc.constantFrom(9_000, 40_000), (page, bytes) => page.track('/v1/batch', bytes, false)),
  act(success, (page, answer) => page.answer(answer)),
  act(failure, (page, answer) => page.answer(answer)),
  act(fc.constantFrom(1, 500, 2_000, 10_000, 70_000, 301_000), (page, ms) => page.pass(ms)),
  act(fc.boolean(), (page, takesBeacons) => {
    page.takesBeacons = takesBeacons
    page.queue.leave()
  }),
  act(fc.boolean(), (page, isOnline) => {
    page.isOnline = isOnline
    if (isOnline) void page.queue.flush()
  }),
  act(fc.boolean(), (page, isPaused) => page.queue.hold(isPaused)),
  act(fc.constant(0), (page) => void page.queue.flush()),
]
const reload = act(fc.constant(0), (page) => page.reload())

async function live(life: readonly Act[]): Promise<ModeledPage> {
  // The previous page is gone with its timers: it must not write into this one's device.
  vi.clearAllTimers()
  vi.stubGlobal('localStorage', makeStorage())
  const page = new ModeledPage({
    pass: (ms) => vi.advanceTimersByTimeAsync(ms),
    clear: () => vi.clearAllTimers(),
  })
  for (const run of life) {
    await run(page)
    await page.pass(0)
    expect(page.failures).toEqual([])
    expect(page.warnings).toBeLessThanOrEqual(1)
  }
  return page
}

const longest = { minLength: 1, maxLength: 120, size: 'max' } as const

test('whatever happens on a page and whatever the server answers, requests without a 2xx stay a handful', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...acts), longest), async (life) => {
      await live(life)
    }),
    { numRuns: 150 },
  )
})

test('the handful is one over all pages of a visit, where the device may keep something', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...acts, reload, reload), longest), async (life) => {
      await live(life)
    }),
    { numRuns: 150 },
  )
})

test('every event is acknowledged, handed over, still waiting, or lost and counted once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...acts), longest), async (life) => {
      const page = await live(life)
      page.queue.hold(false)
      const kept = page.kept()
      const underWay = page.inFlight?.ids ?? []
      const found = new Set([...page.acknowledged, ...page.handedOver, ...kept, ...underWay])
      expect(kept.filter((id) => page.acknowledged.has(id) || page.handedOver.has(id))).toEqual([])
      expect(page.added.filter((id) => !found.has(id))).toHaveLength(page.lost)
    }),
    { numRuns: 150 },
  )
})

test('every loss is reported once, as soon as something is delivered again', async () => {
  const healthy = { status: 200, waitMs: 0, results: [] }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...acts), longest), async (life) => {
      const page = await live(life)
      const reported = () => [...page.reports.values()].reduce((sum, count) => sum + count, 0)
      expect(reported()).toBeLessThanOrEqual(page.lost)
      page.isOnline = true
      page.queue.hold(false)
      // Two batches of events: the first may still contain an older report.
      for (let round = 0; round < 2; round += 1) {
        page.track('/v1/batch', 10, false)
        await page.pass(400_000)
        for (let n = 0; n < 200 && page.inFlight; n += 1) await page.answer(healthy)
      }
      expect(page.failures).toEqual([])
      const isDone =
        page.added.every((id) => page.acknowledged.has(id) || page.handedOver.has(id)) || page.lost > 0
      if (page.acknowledged.has(page.added.at(-1) ?? '')) expect(reported()).toBe(page.lost)
      else expect(isDone || page.kept().length > 0).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test.each(refusals)(
  'a server that only answers %i gets a handful of requests in a page’s busy hour',
  async (status) => {
    let requests = 0
    const page = await live([])
    for (let minute = 0; minute < 60; minute += 1) {
      for (let n = 0; n < 25; n += 1)
        page.track(n % 9 === 0 ? '/v1/identify' : '/v1/batch', 100, n % 13 === 0)
      if (minute % 7 === 0) page.queue.leave()
      void page.queue.flush()
      await page.pass(60_000)
      for (; page.inFlight; requests += 1) await page.answer({ status, waitMs: 0, results: [] })
    }
    expect(page.failures).toEqual([])
    expect(requests + page.handedOver.size).toBeGreaterThan(0)
    expect(requests).toBeLessThanOrEqual(status === 401 || status === 403 ? 1 : requestsMax)
    expect(page.warnings).toBe(status === 401 || status === 403 ? 1 : 0)
  },
)
