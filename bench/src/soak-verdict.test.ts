import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatSoak, memoryTrend, type SoakResult, type SoakSample, soakFailures } from './soak-verdict.ts'

const samplesOf = (megabytes: (minute: number) => number, behindSeconds = 0.6): SoakSample[] =>
  Array.from({ length: 61 }, (_, index) => ({
    atMs: index * 15_000,
    megabytes: megabytes(index / 4),
    behindSeconds,
    pendingEvents: 100,
  }))

const sound: SoakResult = {
  samples: samplesOf(() => 800),
  sent: 1_000,
  acknowledged: 1_000,
  refused: 0,
  stored: 1_000,
  p50Ms: 2,
  p99Ms: 9,
  maxMs: 40,
  latestMs: 5,
}

test('a run that keeps up, stays flat and stores everything has no failure', () => {
  expect(soakFailures(sound)).toEqual([])
})

test.each([
  ['behind', { samples: samplesOf(() => 800, 2.1) }, 'the loader was 2.1 s behind'],
  ['memory', { samples: samplesOf((minute) => 800 + 20 * minute) }, 'memory grew'],
  ['lost', { stored: 999 }, '1000 events were acknowledged and 999 are stored'],
  ['doubled', { stored: 1_001 }, '1001 are stored'],
  ['unanswered', { acknowledged: 990, stored: 990, refused: 10 }, 'refused'],
  ['unsampled', { samples: [] }, 'nothing was sampled'],
])('%s is a failure', (_, change, reason) => {
  expect(soakFailures({ ...sound, ...change }).join('\n')).toContain(reason)
})

test('memory that grows during the warm-up only has not grown', () => {
  const warmed = samplesOf((minute) => (minute < 3.75 ? 300 + 130 * minute : 800))
  expect(soakFailures({ ...sound, samples: warmed })).toEqual([])
})

test('the trend is the slope of the memory, however much it starts with', () => {
  const slope = fc.double({ min: -20, max: 20, noNaN: true })
  fc.assert(
    fc.property(slope, fc.integer({ min: 400, max: 4_000 }), (perMinute, start) => {
      const trend = memoryTrend(samplesOf((minute) => start + perMinute * minute))
      expect(trend.megabytesPerMinute).toBeCloseTo(perMinute, 6)
      expect(Math.sign(trend.grownShare)).toBe(
        Math.abs(perMinute) < 1e-9 ? Math.sign(trend.grownShare) : Math.sign(perMinute),
      )
    }),
  )
})

test('the report shows counts, answers, the loader and memory over time', () => {
  const text = formatSoak(sound)
  expect(text).toMatch(/loader behind, p99, max\s+0\.6 s, 0\.6 s/)
  expect(text).toMatch(/answers, p50, p99, max\s+2 ms, 9 ms, 40 ms/)
  expect(text.split('\n').filter((line) => line.includes(' min '))).toHaveLength(10)
})
