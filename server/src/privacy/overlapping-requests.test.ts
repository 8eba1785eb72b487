import { batch, getReceipt, getSubjectRequest, requestForget } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../clock.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1e9 } })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const types = ['user_id', 'anonymous_id'] as const
/** The same text under two types stands for two people. */
const identifier = fc.record({ type: fc.constantFrom(...types), value: fc.constantFrom('a', 'b', 'c', 'd') })
const subject = fc.uniqueArray(identifier, {
  minLength: 1,
  maxLength: 4,
  selector: ({ type, value }) => type + value,
})

test('requests made together that name the same people forget everybody whom one of them names, and nobody else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(subject, { minLength: 2, maxLength: 4 }), async (subjects) => {
      const run = newId('run')
      const own = (value: string) => `${run}-${value}`
      const everybody = types.flatMap((type) => ['a', 'b', 'c', 'd'].map((value) => ({ type, value })))
      const events = everybody.map(({ type, value }) => ({
        event: '$login',
        properties: { method: 'x' },
        [type]: own(value),
      }))
      const sent = await shop.call(batch, { body: { batch: events } })
      const requests = await Promise.all(
        subjects.map((named) => {
          const identifiers = named.map(({ type, value }) => ({ type, value: own(value) }))
          return shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })
        }),
      )
      for (const { body } of requests) expect(await endOf(body.id)).toBe('completed')
      const named = new Set(subjects.flat().map(({ type, value }) => type + value))
      for (const [index, { type, value }] of everybody.entries()) {
        const params = { event_id: sent.body.results[index]?.event_id ?? '' }
        const { status } = await shop.call(getReceipt, { params })
        expect([type, value, status]).toEqual([type, value, named.has(type + value) ? 404 : 200])
      }
    }),
    { numRuns: 3 },
  )
}, 300_000)

async function endOf(id: string): Promise<string> {
  const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body.status
  await untilTrue('the request', async () => /completed|failed/.test(await read()), 120_000)
  return read()
}
