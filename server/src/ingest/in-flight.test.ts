import { expect, test } from 'vitest'
import { createInFlight } from './in-flight.ts'
import { createSeenIds, neverSeen } from './seen-ids.ts'

function twoWays() {
  const seen = createSeenIds({ recentMax: 1_000, olderMax: 1_000 })
  return { seen, inFlight: createInFlight(seen) }
}

test('a repeat of an event that is being written learns of it only once the first is durable', async () => {
  const { seen, inFlight } = twoWays()
  const write = Promise.withResolvers<void>()
  seen.add(1, 2, 7, 1)
  inFlight.reserve(1, 2, write.promise)
  const outcome = inFlight.find(1, 2)
  const first = await Promise.race([outcome, Promise.resolve('not yet')])
  expect(first).toBe('not yet')
  write.resolve()
  expect(await outcome).toBe('stored')
  expect([inFlight.find(1, 2), inFlight.size, seen.lookup(1, 2)]).toEqual([undefined, 0, 7])
})

test('when the first one fails, its repeats find the id unseen, and exactly one of them becomes the first', async () => {
  const { seen, inFlight } = twoWays()
  const failing = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  let stored = 0
  const send = async (write: Promise<void>): Promise<'stored' | 'repeat'> => {
    for (;;) {
      if (seen.lookup(1, 2) === neverSeen) {
        seen.add(1, 2, 0, 1)
        inFlight.reserve(1, 2, write)
        await write
        stored += 1
        return 'stored'
      }
      const outcome = await inFlight.find(1, 2)
      if (outcome !== 'failed') return 'repeat'
    }
  }
  const first = send(failing.promise)
  const repeats = Array.from({ length: 10 }, () => send(second.promise))
  failing.reject(new Error('disk'))
  await expect(first).rejects.toThrow('disk')
  second.resolve()
  const answers = await Promise.all(repeats)
  expect([answers.filter((answer) => answer === 'stored').length, stored]).toEqual([1, 1])
  expect(inFlight.size).toBe(0)
})

test('the ids of one group land together, those of another write stay in flight', async () => {
  const { seen, inFlight } = twoWays()
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  for (let id = 1; id <= 4; id += 1) {
    seen.add(id, id, 0, 1)
    inFlight.reserve(id, id, id % 2 === 0 ? two.promise : one.promise)
  }
  const outcomes = [inFlight.find(1, 1), inFlight.find(3, 3)]
  one.reject(new Error('disk'))
  expect(await Promise.all(outcomes)).toEqual(['failed', 'failed'])
  expect([1, 2, 3, 4].map((id) => seen.lookup(id, id))).toEqual([neverSeen, 0, neverSeen, 0])
  expect([inFlight.find(1, 1), inFlight.size]).toEqual([undefined, 2])
  two.resolve()
  expect(await inFlight.find(2, 2)).toBe('stored')
})

test('an id that was never reserved is not in flight', () => {
  const { inFlight } = twoWays()
  expect(inFlight.find(5, 5)).toBeUndefined()
})
