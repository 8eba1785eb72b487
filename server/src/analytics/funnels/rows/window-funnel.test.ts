import { describe, expect, test } from 'vitest'
import { referenceText } from '../../../testing/reference-data.ts'
import { anyOrderFunnel, type FunnelModes, type StepEvent, windowFunnel } from './window-funnel.ts'

/** Letters are events, each a second after the one before; a dot is a second without any. */
function eventsOf(letters: string, steps: string): StepEvent[] {
  return [...letters].flatMap((letter, second) =>
    letter === '.'
      ? []
      : [{ ms: second * 1000, steps: [...steps].flatMap((step, place) => (step === letter ? [place] : [])) }],
  )
}

const level = (letters: string, steps: string, seconds: number, modes: FunnelModes = {}) =>
  windowFunnel(eventsOf(letters, steps), steps.length, seconds * 1000, modes).level

describe('a funnel', () => {
  test.each([
    ['abc', 'abc', 10, {}, 3],
    ['axbxc', 'abc', 10, {}, 3],
    ['cba', 'abc', 10, {}, 1],
    ['xyz', 'abc', 10, {}, 0],
    ['ab...c', 'abc', 4, {}, 2],
    // The window is counted from the latest first step.
    ['a...abc', 'abc', 2, {}, 3],
    ['axbc', 'abc', 10, { strictOrder: true }, 1],
    ['xabc', 'abc', 10, { strictOrder: true }, 3],
    ['acb', 'abc', 10, { strictOrder: true }, 1],
    ['acb', 'abc', 10, { strictOrder: true, allowReentry: true }, 2],
    ['abbc', 'abc', 10, { strictDeduplication: true }, 2],
    // One event is all the steps that it matches, unless each has to be an event of its own.
    ['a', 'aaa', 10, {}, 3],
    ['a', 'aaa', 10, { strictOnce: true }, 1],
    ['aa.a', 'aaa', 10, { strictOnce: true }, 3],
    ['a', 'aa', 10, { strictIncrease: true }, 1],
  ])('%s by the steps %s within %i s %o comes to %i', (letters, steps, seconds, modes, expected) => {
    expect(level(letters, steps, seconds, modes)).toBe(expected)
  })

  test('returns when the steps of the first longest path were taken', () => {
    expect(windowFunnel(eventsOf('a.ab..c', 'abc'), 3, 10_000)).toEqual({
      level: 3,
      times: [2000, 3000, 6000],
    })
  })

  test('in any order counts the most steps that lie near enough to each other', () => {
    expect(anyOrderFunnel(eventsOf('cba', 'abc'), 3, 2000)).toBe(3)
    expect(anyOrderFunnel(eventsOf('c.b..a', 'abc'), 3, 2000)).toBe(2)
    expect(anyOrderFunnel([], 3, 2000)).toBe(0)
  })

  test('equals the 69 published cases that all releases of the events store agree on', () => {
    const text = referenceText('funnels/clickhouse_windowFunnel_cases.json')
    if (text === null) return
    const { sequences, cases } = JSON.parse(text)
    const stable = cases.filter((one: Case) => one.version_dependent !== true)
    expect(stable).toHaveLength(69)
    for (const one of stable) {
      const events: StepEvent[] = sequences[one.events].map(([ms, what]: [number, unknown]) => ({
        ms,
        steps: one.steps.flatMap((step: unknown, place: number) => (step === what ? [place] : [])),
      }))
      // The store knows no arrival: at one time it takes steps in their own order.
      events.sort((a, b) => a.ms - b.ms || (a.steps[0] ?? -1) - (b.steps[0] ?? -1))
      const found = windowFunnel(events, one.steps.length, one.window, modesOf(one.modes)).level
      expect(found, JSON.stringify(one)).toBe(one.expected)
    }
  })
})

test('events of one time are steps in the order in which they arrived', () => {
  const paid = { ms: 5, steps: [1] }
  const carted = { ms: 5, steps: [0] }
  expect(windowFunnel([carted, paid], 2, 10).level).toBe(2)
  expect(windowFunnel([paid, carted], 2, 10).level).toBe(1)
})

test('a step is timed from the last time that the one before was taken, in every mode', () => {
  const events = [
    { ms: 0, steps: [0] },
    { ms: 20_000, steps: [0] },
    { ms: 36_000, steps: [1] },
  ]
  for (const modes of [{}, { strictOnce: true }, { strictIncrease: true }])
    expect(windowFunnel(events, 2, 86_400_000, modes)).toEqual({ level: 2, times: [20_000, 36_000] })
})

type Case = {
  events: string
  window: number
  modes: string[]
  steps: unknown[]
  expected: number
  version_dependent?: boolean
}

const modesOf = (names: readonly string[]): FunnelModes => ({
  strictOrder: names.includes('strict_order'),
  strictIncrease: names.includes('strict_increase'),
  strictOnce: names.includes('strict_once'),
  strictDeduplication: names.includes('strict_deduplication'),
  allowReentry: names.includes('allow_reentry'),
})
