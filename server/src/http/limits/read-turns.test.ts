import { Problem } from '@assay/contract'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ReadTurns, type ReadTurnsOptions } from './read-turns.ts'

const options: ReadTurnsOptions = { atOnceMax: 2, waitMsMax: 1_000, runMsMax: 5_000, waitingMax: 3 }
const stays = new AbortController().signal

/** A read that ends when it is asked to. */
function slowRead(turns: ReadTurns, workspaceId: string, gone = stays) {
  const work = Promise.withResolvers<string>()
  const seen = { hasBegun: false }
  const answer = turns.run(workspaceId, gone, () => {
    seen.hasBegun = true
    return work.promise
  })
  answer.catch(() => undefined)
  return { answer, end: () => work.resolve(workspaceId), fail: work.reject, seen }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

async function refusalOf(answer: Promise<unknown>): Promise<Problem> {
  const error: unknown = await answer.then(
    () => null,
    (cause) => cause,
  )
  if (error instanceof Problem) return error
  throw new Error('it was not refused')
}

test('as many run as may, and the next begins where one ends', async () => {
  const turns = new ReadTurns(options)
  const [first, second, third] = ['a', 'a', 'a'].map((name) => slowRead(turns, name))
  await settled()
  expect([first, second, third].map((read) => read?.seen.hasBegun)).toEqual([true, true, false])
  first?.end()
  expect(await first?.answer).toBe('a')
  await settled()
  expect(third?.seen.hasBegun).toBe(true)
})

test('a workspace that runs less comes before one that waits longer', async () => {
  const turns = new ReadTurns(options)
  const running = [slowRead(turns, 'a'), slowRead(turns, 'a')]
  const waiting = slowRead(turns, 'a')
  const other = slowRead(turns, 'b')
  running[0]?.end()
  await running[0]?.answer
  await settled()
  expect([waiting.seen.hasBegun, other.seen.hasBegun]).toEqual([false, true])
})

test('one too many, one that waits too long and one that runs too long are answered as busy', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const turns = new ReadTurns(options)
    const reads = Array.from({ length: 6 }, () => slowRead(turns, 'a'))
    const refused = await refusalOf(reads[5]?.answer ?? Promise.resolve())
    expect([refused.status, refused.options.headers]).toEqual([503, { 'retry-after': '5' }])
    vi.advanceTimersByTime(1_000)
    expect((await refusalOf(reads[2]?.answer ?? Promise.resolve())).slug).toBe('unavailable')
    expect(turns.waiting).toBe(0)
    vi.advanceTimersByTime(4_000)
    expect((await refusalOf(reads[0]?.answer ?? Promise.resolve())).slug).toBe('unavailable')
    // It still runs, so it still has its turn.
    const next = slowRead(turns, 'b')
    await settled()
    expect(next.seen.hasBegun).toBe(false)
    reads[0]?.end()
    await settled()
    expect(next.seen.hasBegun).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

test('a caller who has gone gives the place in the queue away', async () => {
  const turns = new ReadTurns(options)
  const caller = new AbortController()
  const running = [slowRead(turns, 'a'), slowRead(turns, 'a')]
  const left = slowRead(turns, 'a', caller.signal)
  caller.abort()
  await refusalOf(left.answer)
  running[0]?.end()
  await running[0]?.answer
  expect([turns.waiting, left.seen.hasBegun]).toEqual([0, false])
})

test('whatever ends, fails or leaves, every read gets an answer and all turns come back', async () => {
  const step = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c'),
    ending: fc.constantFrom('end', 'fail', 'leave'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const turns = new ReadTurns({ ...options, waitingMax: 100 })
      let running = 0
      let most = 0
      const answers = steps.map(async ({ workspace, ending }) => {
        const caller = new AbortController()
        const answer = turns.run(workspace, caller.signal, async () => {
          most = Math.max(most, ++running)
          await settled()
          running--
          if (ending === 'fail') throw new Error('broken')
          return workspace
        })
        if (ending === 'leave') caller.abort()
        return answer
      })
      await Promise.allSettled(answers)
      expect(most).toBeLessThanOrEqual(options.atOnceMax)
      expect([running, turns.waiting]).toEqual([0, 0])
      expect(await Promise.all(['x', 'y'].map((name) => turns.run(name, stays, () => name)))).toEqual([
        'x',
        'y',
      ])
    }),
  )
})
