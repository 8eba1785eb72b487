import type { AlertCondition, AlertInterval } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intervalStarts } from '../../analytics/period.ts'
import { dayMs, hourMs } from '../../platform/units.ts'
import { limitsAt } from './conditions.ts'
import { countOpenings, judge } from './judge.ts'
import { askedPeriod, previewIntervals, settledSpan, settleMs } from './spans.ts'
import { type AlertState, nextState } from './states.ts'
import { type Series, seriesOf } from './usual-range.ts'

const timezone = 'Europe/Berlin'
const lengths = { hour: hourMs, day: dayMs, week: 7 * dayMs } as const

/** Intervals that follow each other, over the change of clocks in autumn. */
function series(interval: AlertInterval, values: readonly (number | null)[], isCount = true): Series {
  const fromMs = Date.UTC(2026, 9, 5) - 2 * hourMs
  const toMs = fromMs + (values.length + 2) * lengths[interval]
  const starts = intervalStarts({ fromMs, toMs, timezone }, interval)
  const points = values.map((value, nth) => ({ startMs: starts[nth] ?? 0, value }))
  return seriesOf(points, { interval, timezone, isCount, beginsMs: 0 })
}

const statesOf = (condition: AlertCondition, one: Series, before: AlertState = 'unknown') =>
  judge(condition, one, 0, before).map(({ state }) => state)

const condition: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({ type: fc.constantFrom('above', 'below'), value: fc.integer({ min: 0, max: 200 }) }),
  fc.record({
    type: fc.constant('changedBy' as const),
    share: fc.double({ min: 0.01, max: 2, noNaN: true }),
    direction: fc.constantFrom('up', 'down', 'either'),
  }),
  fc.record({ type: fc.constant('unusual' as const), sensitivity: fc.constantFrom('low', 'medium', 'high') }),
)
const figures = fc.array(fc.option(fc.integer({ min: 0, max: 300 }), { freq: 15 }), {
  minLength: 1,
  maxLength: 90,
})
const interval = fc.constantFrom<AlertInterval>('day', 'week')
const begins = fc.integer({ min: Date.UTC(2026, 9, 1), max: Date.UTC(2027, 0, 1) })

describe('an alert', () => {
  test('opens beyond a limit, and closes only when the value is back by a tenth of it', () => {
    const below = series('day', [120, 99, 100, 105, 109, 110, 100])
    expect(statesOf({ type: 'below', value: 100 }, below)).toEqual([
      'ok',
      'firing',
      'firing',
      'firing',
      'firing',
      'ok',
      'ok',
    ])
    const above = series('day', [100, 101, 91, 90, 100])
    expect(statesOf({ type: 'above', value: 100 }, above)).toEqual(['ok', 'firing', 'firing', 'ok', 'ok'])
  })

  test('about nothing at all closes with the first event', () => {
    expect(statesOf({ type: 'below', value: 1 }, series('day', [3, 0, 1]))).toEqual(['ok', 'firing', 'ok'])
  })

  test('of a change compares with the same hour a week before, also where clocks changed between', () => {
    const hours = Array.from({ length: 3 * 168 + 1 }, (_, nth) => 100 + (nth % 24))
    const of = series('hour', hours)
    const limits = limitsAt({ type: 'changedBy', share: 0.5, direction: 'either' }, of, hours.length - 1)
    const last = of.points.at(-1)
    const before = of.points.filter(({ slot }) => slot === last?.slot).at(-2)
    expect(limits).toMatchObject({ expected: before?.value })
    expect((last?.startMs ?? 0) - (before?.startMs ?? 0)).toBe(7 * dayMs + hourMs)
  })

  test('does not judge a change of nothing, and keeps its state then', () => {
    const week = [0, 0, 0, 0, 0, 0, 0]
    expect(statesOf({ type: 'changedBy', share: 1, direction: 'up' }, series('day', [...week, 500]))).toEqual(
      [...week.map(() => 'unknown'), 'unknown'],
    )
    expect(nextState('firing', null, null)).toBe('firing')
  })

  test('of unusual values needs history, ignores small counts, and finds a day without visitors', () => {
    const unusual = { type: 'unusual', sensitivity: 'high' } as const
    const quiet = Array.from({ length: 56 }, (_, nth) => (nth % 7 === 0 ? 1 : 0))
    expect(statesOf(unusual, series('day', [...quiet, 3])).at(-1)).toBe('ok')
    const busy = Array.from({ length: 56 }, (_, nth) => 1_000 + (nth % 7) * 100 + ((nth * 37) % 60))
    expect(statesOf(unusual, series('day', [...busy, 1_020, 0, 5_000])).slice(-3)).toEqual([
      'ok',
      'firing',
      'firing',
    ])
    expect(
      statesOf(unusual, series('day', busy))
        .slice(0, 20)
        .every((state) => state === 'unknown'),
    ).toBe(true)
  })

  test('takes no zero of before the site began for a value', () => {
    const of = { ...series('day', [0, 0, 5]), beginsMs: Date.UTC(2026, 9, 5, 22) }
    expect(statesOf({ type: 'below', value: 1 }, of)).toEqual(['unknown', 'firing', 'ok'])
  })
})

describe('for any history', () => {
  test('a preview is what the job finds, interval after interval, with only what it asks for', () => {
    fc.assert(
      fc.property(
        condition,
        figures,
        interval,
        fc.boolean(),
        begins,
        (wanted, values, unit, isCount, beginsMs) => {
          const whole = { ...series(unit, values, isCount), beginsMs }
          const shown = judge(wanted, whole, 0, 'unknown')
          let state: AlertState = 'unknown'
          for (const [nth, point] of whole.points.entries()) {
            const { fromMs } = askedPeriod(
              { interval: unit, condition: wanted },
              point.startMs + lengths[unit],
              1,
            )
            const points = whole.points.slice(0, nth + 1).filter(({ startMs }) => startMs >= fromMs)
            const [judged] = judge(wanted, { ...whole, points }, points.length - 1, state)
            expect(judged).toEqual(shown[nth])
            state = judged?.state ?? state
          }
        },
      ),
    )
  })

  test('the same holds for hours', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 720, maxLength: 760 })
    fc.assert(
      fc.property(condition, hours, (wanted, values) => {
        const whole = series('hour', values)
        const first = values.length - 10
        const shown = judge(wanted, whole, first, 'ok')
        let state: AlertState = 'ok'
        for (const [nth, expected] of shown.entries()) {
          const endMs = expected.startMs + hourMs
          const { fromMs } = askedPeriod({ interval: 'hour', condition: wanted }, endMs, 1)
          const points = whole.points.slice(0, first + nth + 1).filter(({ startMs }) => startMs >= fromMs)
          const [judged] = judge(wanted, { ...whole, points }, points.length - 1, state)
          expect(judged).toEqual(expected)
          state = judged?.state ?? state
        }
      }),
      { numRuns: 20 },
    )
  })

  test('there are never two openings without a closing between', () => {
    fc.assert(
      fc.property(condition, figures, interval, (wanted, values, unit) => {
        const judged = judge(wanted, series(unit, values), 0, 'unknown')
        const closings = judged.filter(
          ({ state }, nth) => state !== 'firing' && judged[nth - 1]?.state === 'firing',
        ).length
        const openings = countOpenings(judged, 'unknown')
        expect([closings, closings + 1]).toContain(openings)
        // What cannot be judged closes nothing.
        for (const [nth, { value, state }] of judged.entries()) {
          if (judged[nth - 1]?.state === 'firing' && value === null) expect(state).toBe('firing')
        }
      }),
    )
  })

  test('a value that stays between limit and margin never flaps', () => {
    const limit = fc.integer({ min: 2, max: 1_000 })
    fc.assert(
      fc.property(
        limit,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.boolean(),
        (value, parts, isAbove) => {
          const margin = Math.max(1, value / 10)
          // Inside of the limit, by less than the margin.
          const between = parts.map((part) => value + (isAbove ? -1 : 1) * part * margin * 0.999)
          const wanted = { type: isAbove ? 'above' : 'below', value } as const
          for (const before of ['ok', 'firing'] as const) {
            const states = judge(wanted, series('day', between), 0, before).map(({ state }) => state)
            expect(new Set([before, ...states]).size).toBe(1)
          }
        },
      ),
    )
  })

  test('the judged interval is over, settled, and followed by the next check', () => {
    const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 31) })
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(at, zone, fc.constantFrom('hour', 'day', 'week'), (nowMs, ofSite, unit) => {
        const { startMs, endMs, nextCheckMs } = settledSpan(unit, ofSite, nowMs)
        expect(startMs).toBeLessThan(endMs)
        expect(endMs).toBeLessThanOrEqual(nowMs - settleMs)
        expect(nextCheckMs).toBeGreaterThan(nowMs)
        expect(settledSpan(unit, ofSite, nextCheckMs).startMs).toBe(endMs)
        const { fromMs, toMs } = askedPeriod(
          { interval: unit, condition: { type: 'unusual', sensitivity: 'low' } },
          endMs,
          previewIntervals[unit],
        )
        expect((toMs - fromMs) / lengths[unit]).toBeLessThanOrEqual(1_000)
        expect(toMs - fromMs).toBeLessThanOrEqual(400 * dayMs)
      }),
    )
  })
})
