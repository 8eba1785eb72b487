import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordLog } from '../testing/recorded-log.ts'
import { forEachItem } from './items.ts'
import { createFailures, logAgainMs } from './logging/failures.ts'
import { startRepeating } from './scheduler.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('whichever items fail, every other one is done, in order, and each failure is reported once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 30 }), async (fails) => {
      const [done, failed]: [number[], number[]] = [[], []]
      const work = async (index: number) => {
        if (fails[index]) throw new Error(`item ${index}`)
        done.push(index)
      }
      await forEachItem(fails.keys(), work, (_, index) => void failed.push(index))
      expect(done).toEqual([...fails.keys()].filter((index) => !fails[index]))
      expect(failed).toEqual([...fails.keys()].filter((index) => fails[index]))
    }),
  )
})

function watched() {
  const { logger, entries } = recordLog({ now: Date.now })
  return { entries, failures: createFailures(Date.now, logger) }
}

test('a failure is logged with the stacks of its causes, counted, and shown until the part works again', () => {
  const { entries, failures } = watched()
  failures.report('drift', new TypeError('outer', { cause: new RangeError('inner') }), { site: 'site_1' })
  expect(entries).toMatchObject([
    { level: 'error', component: 'drift', kind: 'TypeError/RangeError', site: 'site_1' },
  ])
  expect(entries[0]?.stack).toMatch(
    /TypeError: outer[\s\S]*scheduler\.test[\s\S]*Caused by: RangeError: inner/,
  )
  expect(failures.failing()).toEqual([{ part: 'drift', since: Date.now(), kind: 'TypeError/RangeError' }])
  failures.recovered('drift')
  expect(failures.failing()).toEqual([])
  expect([...failures.counts()]).toEqual([['drift', 1]])
})

test('what fails again and again is one entry a minute, which says how many there were', () => {
  const { entries, failures } = watched()
  for (let n = 0; n < 1_000; n += 1) failures.report('loader', new Error('away'))
  expect(entries).toHaveLength(1)
  failures.report('loader', new RangeError('another kind'))
  expect(entries).toHaveLength(2)
  vi.advanceTimersByTime(logAgainMs)
  failures.report('loader', new Error('away'))
  expect(entries.at(-1)).toMatchObject({ kind: 'Error', unlogged: 999 })
  expect(failures.counts().get('loader')).toBe(1_002)
})

test('whatever is thrown is reported, and the memory of it stays bounded', () => {
  const { entries, failures } = watched()
  fc.assert(fc.property(fc.anything(), (thrown) => failures.report('any', thrown)))
  for (let n = 0; n < 2_000; n += 1) failures.report(`part ${n}`, new Error('x'))
  expect(entries.length).toBeGreaterThan(2_000)
  expect(failures.counts().get('part 1999')).toBe(1)
})

test('a failing job is retried at its interval, counts as failing until a run succeeds completely, and never stops the others', async () => {
  const { failures } = watched()
  let isBroken = true
  let runs = 0
  const stop = startRepeating(
    [
      [1_000, 'one that rejects', () => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve())],
      [1_000, 'one with a bad item', async (onFailure) => void (isBroken && onFailure(new Error('item')))],
      [1_000, 'one that works', async () => void runs++],
    ],
    failures,
  )
  await vi.advanceTimersByTimeAsync(3_000)
  expect(failures.failing().map(({ part }) => part)).toEqual(['one that rejects', 'one with a bad item'])
  expect(failures.counts().get('one that rejects')).toBe(3)
  expect(runs).toBe(3)
  isBroken = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(failures.failing()).toEqual([])
  await stop()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(runs).toBe(4)
})
