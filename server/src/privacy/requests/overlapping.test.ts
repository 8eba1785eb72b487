import { batch, getReceipt, getSubjectRequest, requestForget } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'

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

type Subject = { type: (typeof types)[number]; value: string }[]
const people = types.flatMap((type) => ['a', 'b', 'c', 'd'].map((value) => ({ type, value })))

/** Requests that name some of eight people, who are in no other case. */
function caseOf(subjects: readonly Subject[]) {
  const run = newId('run')
  const own = (value: string) => `${run}-${value}`
  const events = people.map(({ type, value }) => ({
    event: '$login',
    properties: { method: 'x' },
    [type]: own(value),
  }))
  const requests = subjects.map((named) => named.map(({ type, value }) => ({ type, value: own(value) })))
  return { subjects, events, requests }
}

test('requests made together that name the same people erase everyone whom one of them names, and no one else', async () => {
  const subjects = fc.array(subject, { minLength: 2, maxLength: 4 })
  await fc.assert(
    // Several cases at once: forgetting takes as long as tables are rewritten often, not by how many people leave.
    fc.asyncProperty(fc.array(subjects, { minLength: 3, maxLength: 3 }), async (several) => {
      const cases = several.map(caseOf)
      const sent = await shop.call(batch, { body: { batch: cases.flatMap(({ events }) => events) } })
      const ids = sent.body.results.map(({ event_id }) => event_id ?? '')
      const asked = await Promise.all(
        cases
          .flatMap(({ requests }) => requests)
          .map((identifiers) => shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })),
      )
      for (const { body } of asked) expect(await endOf(body.id)).toBe('completed')
      for (const [place, one] of cases.entries()) {
        const named = new Set(one.subjects.flat().map(({ type, value }) => type + value))
        for (const [index, { type, value }] of people.entries()) {
          const params = { event_id: ids[place * people.length + index] ?? '' }
          const { status } = await shop.call(getReceipt, { params })
          expect([place, type, value, status]).toEqual([
            place,
            type,
            value,
            named.has(type + value) ? 404 : 200,
          ])
        }
      }
    }),
    { numRuns: 1, endOnFailure: true },
  )
}, 300_000)

async function endOf(id: string): Promise<string> {
  const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body.status
  await untilTrue('the request', async () => /completed|failed/.test(await read()), 120_000)
  return read()
}
