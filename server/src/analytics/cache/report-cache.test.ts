import { expect, test } from 'vitest'
import { minuteMs } from '../../platform/units.ts'
import { raise } from '../../testing/harness.ts'
import { createReportCache, keptBytesMax } from './report-cache.ts'

function setUp() {
  const clock = { ms: 0 }
  const told: string[] = []
  const kept = createReportCache(
    () => clock.ms,
    (error) => void told.push(String(error)),
  )
  let made = 0
  const make = async () => ++made
  return { clock, told, kept, make }
}

test('a kept answer is given out for a minute, then while a new one is made, and after an hour not at all', async () => {
  const { clock, kept, make } = setUp()
  expect(await kept.of('a', make)).toBe(1)
  clock.ms = minuteMs - 1
  expect(await kept.of('a', make)).toBe(1)
  clock.ms = minuteMs
  expect(await kept.of('a', make)).toBe(1)
  await kept.close()
  expect(await kept.of('a', make)).toBe(2)
  clock.ms = 62 * minuteMs
  expect(await kept.of('a', make)).toBe(3)
})

test('an expensive report is computed less often: a twentieth of the time at most', async () => {
  const { clock, kept } = setUp()
  let made = 0
  const make = async () => {
    clock.ms += 30_000
    return ++made
  }
  await kept.of('a', make)
  clock.ms += 9 * minuteMs
  await kept.refresh()
  expect(made).toBe(1)
  clock.ms += 2 * minuteMs
  await kept.refresh()
  expect(made).toBe(2)
})

test('an answer that cannot be made is the fault of who asks first, and later keeps the old one', async () => {
  const { clock, told, kept, make } = setUp()
  const fail = async () => {
    throw new Error('store is away')
  }
  await expect(kept.of('b', fail)).rejects.toThrow('store is away')
  await kept.of('a', make)
  kept.forget('b')
  clock.ms = 2 * minuteMs
  let isAway = true
  expect(await kept.of('c', async () => (isAway ? 'old' : fail()))).toBe('old')
  isAway = false
  clock.ms = 4 * minuteMs
  await kept.refresh()
  expect(told.some((line) => line.includes('store is away'))).toBe(true)
  expect(await kept.of('c', fail)).toBe('old')
})

test('answers are forgotten by the beginning of their key, and the oldest when there are too many', async () => {
  const { kept, make } = setUp()
  for (let key = 0; key < 201; key += 1) await kept.of(`ws1 ${key}`, make)
  expect(await kept.of('ws1 200', make)).toBe(201)
  expect(await kept.of('ws1 0', make)).toBe(202)
  kept.forget('ws1 ')
  expect(await kept.of('ws1 200', make)).toBe(203)
})

test('a small answer is computed for every request; a large one is cached, for ten minutes at most', async () => {
  const { clock, kept, make } = setUp()
  const isLarge = (value: number) => value > 1
  expect(await kept.ofLarge('a', make, isLarge)).toBe(1)
  expect(kept.ageMs('a')).toBeNull()
  expect(await kept.ofLarge('a', make, isLarge)).toBe(2)
  clock.ms = 30_000
  expect(await kept.ofLarge('a', make, isLarge)).toBe(2)
  expect(kept.ageMs('a')).toBe(30_000)
  clock.ms = 11 * minuteMs
  expect(await kept.ofLarge('a', make, isLarge)).toBe(3)
  expect(kept.ageMs('a')).toBe(0)
})

test('an answer that was being made when its workspace changed is given once and not kept', async () => {
  const { kept } = setUp()
  let end = (_: number) => {}
  const making = kept.ofLarge(
    'ws1 a',
    () => new Promise<number>((resolve) => (end = resolve)),
    () => true,
  )
  kept.forget('ws1 ')
  end(1)
  expect(await making).toBe(1)
  expect(kept.ageMs('ws1 a')).toBeNull()
})

/** Questions that end when the test says so. */
function heldUp() {
  const ends: (() => void)[] = []
  const make = () => {
    const turn = ends.length + 1
    return new Promise<number>((resolve) => ends.push(() => resolve(turn)))
  }
  return { ends, make }
}

test('concurrent callers share one computation that started after their request', async () => {
  const { kept } = setUp()
  const { ends, make } = heldUp()
  const ask = () => kept.ofLarge('a', make, () => false)
  const first = ask()
  const others = [ask(), ask(), ask()]
  expect(ends).toHaveLength(1)
  ends[0]?.()
  expect(await first).toBe(1)
  await expect.poll(() => ends.length).toBe(2)
  const late = ask()
  ends[1]?.()
  expect(await Promise.all(others)).toEqual([2, 2, 2])
  await expect.poll(() => ends.length).toBe(3)
  ends[2]?.()
  expect(await late).toBe(3)
})

test('a large answer serves all who waited for it, one that failed does not', async () => {
  const { kept } = setUp()
  const { ends, make } = heldUp()
  const first = kept.ofLarge('a', make, () => true)
  const second = kept.ofLarge('a', make, () => true)
  ends[0]?.()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  const fails = kept.ofLarge(
    'b',
    async () => {
      throw new Error('store is away')
    },
    () => true,
  )
  const answered = kept.ofLarge(
    'b',
    async () => 'well',
    () => true,
  )
  await expect(fails).rejects.toThrow('store is away')
  expect(await answered).toBe('well')
})

test('a new answer is asked for without disturbing others, and an older one never takes its place', async () => {
  const { clock, kept } = setUp()
  const { ends, make } = heldUp()
  const old = kept.ofLarge('a', make, () => true)
  const other = kept.ofLarge('b', make, () => true)
  clock.ms = 1
  const renewed = kept.ofLarge('a', make, () => true, 'new')
  clock.ms = 2
  ends[2]?.()
  expect(await renewed).toBe(3)
  ends[0]?.()
  ends[1]?.()
  expect(await Promise.all([old, other])).toEqual([1, 2])
  expect(await kept.ofLarge('a', make, () => true)).toBe(3)
  expect(await kept.ofLarge('b', make, () => true)).toBe(2)
})

test('an answer that has become small is no longer cached', async () => {
  const { kept, make } = setUp()
  const isLarge = (value: number) => value === 1
  expect(await kept.ofLarge('a', make, isLarge)).toBe(1)
  expect(await kept.ofLarge('a', make, isLarge, 'new')).toBe(2)
  expect(kept.ageMs('a')).toBeNull()
  expect(await kept.ofLarge('a', make, isLarge)).toBe(3)
})

test('after a clock was set back, what was made before it counts as too old', async () => {
  const { clock, kept, make } = setUp()
  clock.ms = 60 * minuteMs
  expect(await kept.of('a', make)).toBe(1)
  expect(await kept.ofLarge('b', make, () => true)).toBe(2)
  clock.ms = 0
  expect(await kept.of('a', make)).toBe(3)
  expect(await kept.ofLarge('b', make, () => true)).toBe(4)
})

test('large answers are evicted, the least recently used first', async () => {
  const kept = createReportCache(() => 0, raise)
  const large = 'x'.repeat(keptBytesMax / 4)
  let made = 0
  const ask = (key: string) =>
    kept.of(key, async () => {
      made += 1
      return large
    })
  for (const key of ['a', 'b', 'c', 'a', 'd']) await ask(key)
  expect(made).toBe(4)
  expect(['a', 'b', 'c', 'd'].map((key) => kept.ageMs(key))).toEqual([0, null, 0, 0])
  await kept.of('whole', async () => 'x'.repeat(keptBytesMax + 1))
  expect(['a', 'c', 'd', 'whole'].map((key) => kept.ageMs(key))).toEqual([null, null, null, null])
  await kept.close()
})
