import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import { holdMs, leapMs, lookAtClock, lookMs, type RemovalClock } from './removal-clock.ts'

const start = Date.UTC(2026, 0, 1)
const right: RemovalClock = { believedMs: start, doubt: null }
const looks = (from: RemovalClock, times: readonly number[]) => times.reduce(lookAtClock, from)
/** What a clock that is off by so much says at each of so many hourly looks. */
const hourly = (fromMs: number, count: number, offMs = 0) =>
  Array.from({ length: count }, (_, index) => fromMs + (index + 1) * hourMs + offMs)

const wrongHours = fc.integer({ min: 0, max: holdMs / lookMs })
const aheadMs = fc.integer({ min: leapMs, max: 100 * 365 * dayMs })

test('a clock that is set right within 72 hours, however far ahead it was, and on however many nodes, is never believed', () => {
  const spell = fc.record({ rightHours: fc.integer({ min: 1, max: 40 }), wrongHours, aheadMs })
  fc.assert(
    fc.property(fc.array(spell, { maxLength: 6 }), (spells) => {
      let clock = right
      let trueMs = start
      for (const one of spells) {
        clock = looks(clock, hourly(trueMs, one.rightHours))
        trueMs += one.rightHours * hourMs
        expect(clock).toEqual({ believedMs: trueMs, doubt: null })
        for (const ms of hourly(trueMs, one.wrongHours, one.aheadMs)) {
          clock = lookAtClock(clock, ms)
          expect(clock.believedMs).toBe(trueMs)
        }
        trueMs += one.wrongHours * hourMs
      }
      expect(lookAtClock(clock, trueMs + hourMs)).toEqual({ believedMs: trueMs + hourMs, doubt: null })
    }),
  )
})

test('a clock that leaps on with every look is not believed sooner than one that holds', () => {
  const leaps = fc.array(fc.integer({ min: -10 * 365 * dayMs, max: 10 * 365 * dayMs }), { maxLength: 72 })
  fc.assert(
    fc.property(leaps, (steps) => {
      let nowMs = start + 100 * 365 * dayMs
      let clock = right
      for (const step of steps) {
        clock = lookAtClock(clock, nowMs)
        // It may come back on its way; beyond that nothing of what it says counts.
        if (nowMs > start + leapMs) expect(clock.believedMs).toBe(start)
        else return
        nowMs += step
      }
    }),
  )
})

test('after any stop the right time counts after 72 hours of running at the latest, though nothing arrives', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 20 * 365 * dayMs }),
      fc.integer({ min: 1, max: 71 }),
      (stoppedMs, hours) => {
        const sooner = looks(right, hourly(start + stoppedMs, hours))
        const isLeap = stoppedMs + hourMs > leapMs
        expect(sooner.believedMs).toBe(isLeap ? start : start + stoppedMs + hours * hourMs)
        // One look begins the doubt, and 72 hours end it; a stop in between is not counted, and forgets nothing.
        const again = start + stoppedMs + hours * hourMs + 30 * dayMs
        const later = looks(sooner, hourly(again, 73))
        expect(later).toEqual({ believedMs: again + 73 * hourMs, doubt: null })
      },
    ),
  )
})

test('a clock that was set back is believed at once', () => {
  const back = start - 400 * dayMs
  expect(lookAtClock(right, back)).toEqual({ believedMs: back, doubt: null })
})
