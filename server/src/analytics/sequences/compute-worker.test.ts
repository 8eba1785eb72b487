import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createComputeWorker } from './compute-worker.ts'
import { stepBytes } from './sequence-store.ts'
import type { RawSequences } from './sequences.ts'

const here = createComputeWorker(Number.POSITIVE_INFINITY)
const beside = createComputeWorker(-1)
afterAll(() => Promise.all([here.close(), beside.close()]))

const names = ['$pageview', '$pageview', '$click', '$purchase']
const details = ['/', '/cart', 'buy', '']
const startMs = Date.UTC(2026, 5, 1)
const period = { fromMs: startMs, toMs: startMs + 86_400_000, timezone: 'UTC', nowMs: 0 }

/** Sessions as the store gives them out: the session, the time and the kind of every step. */
function rawOf(sessions: readonly (readonly number[])[]): RawSequences {
  const steps = sessions.flatMap((kinds, session) => kinds.map((kind, place) => ({ session, kind, place })))
  const bytes = new Uint8Array(steps.length * stepBytes)
  const view = new DataView(bytes.buffer)
  for (const [row, { session, kind, place }] of steps.entries()) {
    view.setBigUint64(row * stepBytes, BigInt(session + 1), true)
    view.setFloat64(row * stepBytes + 8, startMs + session * 60_000 + place * 1_000, true)
    view.setBigUint64(row * stepBytes + 16, BigInt(kind + 1), true)
  }
  const tokens = names.map((name, kind) => ({
    token: String(kind + 1),
    name,
    detail: details[kind] ?? '',
    count: steps.filter((step) => step.kind === kind).length,
  }))
  return { tokens, steps: bytes, sampledShare: 1 }
}

test('the worker thread gives the same results as this one, several at a time', async () => {
  const session = fc.array(fc.integer({ min: 0, max: names.length - 1 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(session, { minLength: 1, maxLength: 60 }), async (sessions) => {
      const flow = { siteId: 's', period, nodesMax: 10, around: undefined }
      const journeys = { siteId: 's', period, stepsMax: 4, limit: 10, startsAt: undefined }
      const funnels = { siteId: 's', fromMs: startMs, known: [] }
      const all = (computeWorker: typeof here) =>
        Promise.all([
          computeWorker.run('flow', rawOf(sessions), flow),
          computeWorker.run('journeys', rawOf(sessions), journeys),
          computeWorker.run('funnels', rawOf(sessions), funnels),
        ])
      expect(await all(beside)).toEqual(await all(here))
    }),
    { numRuns: 30 },
  )
})

test('a refusal in another thread is the same refusal here, and what comes after it is answered', async () => {
  const flow = { siteId: 's', period, nodesMax: 10, around: 'page:/nowhere' }
  const refused = { slug: 'invalid-parameter', options: { errors: [{ field: 'around' }] } }
  await expect(here.run('flow', rawOf([[0, 1]]), flow)).rejects.toMatchObject(refused)
  await expect(beside.run('flow', rawOf([[0, 1]]), flow)).rejects.toMatchObject(refused)
  const sound = { ...flow, around: undefined }
  expect((await beside.run('flow', rawOf([[0, 1]]), sound)).sessions).toBe(1)
  await beside.close()
  expect((await beside.run('flow', rawOf([[0, 1], [1]]), sound)).sessions).toBe(2)
})
