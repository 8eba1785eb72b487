import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import { judgeLatency, latencySettings } from './latency.ts'
import { type EventProfile, judgeProperties, type PropertyProfile } from './properties.ts'
import { judgeSchema } from './schema.ts'
import { median, wilsonLower } from './statistics.ts'
import { daily, hourly, type Incident, incidentsOf, judgeVolume } from './volume.ts'

const monday = Date.UTC(2026, 5, 1)

/** The same numbers every time: a linear congruential generator (Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Nearly normal: twelve uniform numbers less six. */
function noise(next: () => number): number {
  let sum = -6
  for (let draw = 0; draw < 12; draw++) sum += next()
  return sum
}

/** Counts of a shop: nights are quiet, weekends are busy, and chance is that of counts. */
function traffic(hours: number, level: number, seed: number): number[] {
  const next = numbers(seed)
  return Array.from({ length: hours }, (_, hour) => {
    const ofDay = 1 + 0.8 * Math.sin(((hour % 24) - 8) * (Math.PI / 12))
    const ofWeek = Math.floor(hour / 24) % 7 >= 5 ? 1.3 : 1
    const expected = level * ofDay * ofWeek
    return Math.max(0, Math.round(expected + noise(next) * Math.sqrt(expected)))
  })
}

const find = (counts: readonly number[], settings = hourly): Incident[] =>
  incidentsOf(judgeVolume(counts, monday, settings), settings.binsPerDay === 24 ? 24 : 3)

describe('volume', () => {
  const hours = 90 * 24
  test('ninety days of ordinary traffic raise at most one false alarm a week', () => {
    const alarms = [40, 200, 1_000, 5_000].flatMap((level, index) => find(traffic(hours, level, index + 1)))
    expect(alarms.length).toBeLessThanOrEqual(13)
  })

  test.each([
    ['an outage', 0, 6, 2],
    ['a loss of four fifths', 0.2, 6, 3],
    ['a storm of ten times as much', 10, 3, 1],
  ])('%s by day is found within its bound', (_, factor, length, withinHours) => {
    for (const level of [40, 200, 1_000]) {
      const counts = traffic(hours, level, level)
      const begin = 60 * 24 + 12
      for (let at = begin; at < begin + length; at++) counts[at] = Math.round((counts[at] ?? 0) * factor)
      const found = find(counts).find(({ startMs }) => startMs >= monday + begin * hourMs)
      expect(found?.startMs, `level ${level}`).toBeLessThan(monday + (begin + withinHours) * hourMs)
      expect(Math.sign(found?.score ?? 0)).toBe(factor > 1 ? 1 : -1)
    }
  })

  test('a single spike does not make the same hour of the following weeks look strange', () => {
    const counts = traffic(hours, 200, 7)
    counts[40 * 24 + 12] = 20_000
    const after = find(counts).filter(({ startMs }) => startMs > monday + 41 * dayMs)
    expect(after.filter(({ score }) => score < 0)).toEqual([])
  })

  test('a new level is reported once, and is normal after some time', () => {
    const counts = traffic(hours, 200, 3).map((count, hour) => (hour >= 50 * 24 ? count * 4 : count))
    const found = find(counts).filter(({ startMs }) => startMs >= monday + 50 * dayMs)
    expect(found[0]?.startMs).toBe(monday + 50 * dayMs)
    expect(found.every(({ endMs }) => endMs < monday + 75 * dayMs)).toBe(true)
  })

  test('says nothing while it learns, nor of small numbers that are small', () => {
    expect(
      judgeVolume([0, 500, 0, 900, 3, 0], monday, hourly).every(({ expected }) => expected === null),
    ).toBe(true)
    expect(
      find(
        Array.from({ length: 60 }, (_, day) => day % 3),
        daily,
      ),
    ).toEqual([])
  })

  test('a rare event that stops is found within two days of counts by day', () => {
    const next = numbers(5)
    const counts = Array.from({ length: 60 }, () => Math.round(30 + noise(next) * 5))
    const stopped = counts.map((count, day) => (day >= 45 ? 0 : count))
    expect(find(counts, daily)).toEqual([])
    expect(find(stopped, daily)[0]?.startMs).toBeLessThanOrEqual(monday + 46 * dayMs)
  })
})

describe('latency', () => {
  const bins = 14 * 288
  const ordinary = () => {
    const next = numbers(11)
    return Array.from({ length: bins }, () => Math.exp(Math.log(400) + noise(next) * 0.15))
  }
  test('of an ordinary fortnight raises nothing', () => {
    expect(judgeLatency(ordinary(), monday).filter(({ isAlert }) => isAlert)).toEqual([])
  })
  test('that trebles is found in the same bin, and a gap in between is no finding', () => {
    const values: (number | null)[] = ordinary()
    const begin = 10 * 288
    values[begin - 5] = null
    for (let at = begin; at < begin + 12; at++) values[at] = 3_000
    const [first] = judgeLatency(values, monday).filter(({ isAlert }) => isAlert)
    expect(first?.startMs).toBe(monday + begin * latencySettings.binMs)
  })
})

describe('schema', () => {
  test('a rate that rises by more than five points for sure is found, chance is not', () => {
    const before = { events: 10_000, issues: { type_coerced: 200 } }
    expect(judgeSchema({ events: 1_000, issues: { type_coerced: 120 } }, before)).toMatchObject([
      { code: 'type_coerced', observed: 0.12, expected: 0.02 },
    ])
    expect(judgeSchema({ events: 100, issues: { type_coerced: 10 } }, before)).toEqual([])
    expect(judgeSchema({ events: 99, issues: { type_coerced: 99 } }, before)).toEqual([])
  })
  test('an issue that was never there shows at one event in a hundred', () => {
    const before = { events: 1_000, issues: {} }
    expect(judgeSchema({ events: 1_000, issues: { required_missing: 10 } }, before)).toHaveLength(1)
    expect(judgeSchema({ events: 1_000, issues: { required_missing: 9 } }, before)).toEqual([])
  })
})

describe('properties', () => {
  const plain = (more: Partial<PropertyProfile> = {}): PropertyProfile => ({
    present: 1_000,
    types: { string: 1_000 },
    values: { a: 500, b: 500 },
    quartiles: null,
    ...more,
  })
  const profile = (properties: Record<string, PropertyProfile>, events = 1_000): EventProfile => ({
    events,
    properties: new Map(Object.entries(properties)),
  })
  const euros = plain({ types: { number: 1_000 }, values: null, quartiles: [20, 30, 50] })
  const usual = profile({ kind: plain(), amount: euros })
  const found = (now: EventProfile, newer = usual, older = usual) =>
    judgeProperties(now, newer, older).map(({ code, property }) => `${code}:${property}`)

  test.each([
    ['comes', { kind: plain(), amount: euros, coupon: plain({ present: 30 }) }, ['property_new:coupon']],
    ['goes', { kind: plain() }, ['property_vanished:amount']],
    ['is rarer', { kind: plain({ present: 600 }), amount: euros }, ['property_rarer:kind']],
    [
      'has another type',
      { kind: plain({ types: { string: 950, number: 50 } }), amount: euros },
      ['property_type:kind'],
    ],
    [
      'has a value that was never seen',
      { kind: plain({ values: { a: 480, b: 480, c: 40 } }), amount: euros },
      ['property_value_new:kind'],
    ],
    [
      'has the same values in other parts',
      { kind: plain({ values: { a: 850, b: 150 } }), amount: euros },
      ['property_values_shift:kind'],
    ],
    [
      'is in cents',
      { kind: plain(), amount: { ...euros, quartiles: [2_000, 3_000, 5_000] as const } },
      ['property_number_shift:amount'],
    ],
  ])('one that %s is found', (_, now, expected) => {
    expect(found(profile(now))).toEqual(expected)
  })

  test('chance, few events, and what changes from week to week anyway are not', () => {
    expect(found(usual)).toEqual([])
    const few = profile({ kind: plain({ present: 99, types: { number: 99 } }) }, 99)
    expect(found(few)).toEqual([])
    const campaigns = (name: string) => profile({ kind: plain({ values: { [name]: 1_000 } }), amount: euros })
    expect(found(campaigns('third'), campaigns('second'), campaigns('first'))).toEqual([])
    const next = numbers(3)
    for (let round = 0; round < 200; round++) {
      const of = (events: number) => {
        const hits = Array.from({ length: events }, () => (next() < 0.3 ? 1 : 0)).reduce<number>(
          (a, b) => a + b,
          0,
        )
        const kind = plain({
          present: events,
          types: { string: events },
          values: { a: hits, b: events - hits },
        })
        return profile({ kind }, events)
      }
      expect(found(of(150), of(1_000), of(1_000))).toEqual([])
    }
  })

  test('named like something that every object has are properties like others', () => {
    const odd = profile({ constructor: plain(), ['__proto__']: plain(), amount: euros, kind: plain() })
    expect(found(odd).sort()).toEqual(['property_new:__proto__', 'property_new:constructor'])
  })
})

test('the middle of numbers, and the least a share can be', () => {
  expect([median([]), median([3]), median([4, 1, 3, 2])]).toEqual([0, 3, 2.5])
  expect(wilsonLower(0, 0)).toBe(0)
  expect(wilsonLower(50, 100)).toBeCloseTo(0.4038, 4)
})

const reference = join(import.meta.dirname, '../../../../../shared/data/anomaly/nab')
if (existsSync(reference)) {
  const windows: Record<string, [string, string][]> = JSON.parse(
    readFileSync(join(reference, 'windows.json'), 'utf8'),
  )
  const utc = (text: string) => Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`)
  const read = (file: string) =>
    readFileSync(join(reference, file), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => ({ ms: utc(line.split(',')[0] ?? ''), value: Number(line.split(',')[1]) }))

  function byHour(file: string): { firstMs: number; counts: number[] } {
    const rows = read(file)
    const firstMs = Math.floor((rows[0]?.ms ?? 0) / hourMs) * hourMs
    const counts: number[] = []
    for (const { ms, value } of rows) {
      const hour = Math.floor((ms - firstMs) / hourMs)
      counts[hour] = (counts[hour] ?? 0) + value
    }
    return { firstMs, counts: Array.from(counts, (count) => count ?? 0) }
  }

  function score(file: string, incidents: readonly Incident[], binMs: number) {
    const labelled = (windows[file] ?? []).map(([from, to]) => [utc(from), utc(to)] as const)
    const meets = ({ startMs, endMs }: Incident, [from, to]: readonly [number, number]) =>
      startMs <= to && endMs + binMs >= from
    return {
      found: labelled.filter((window) => incidents.some((incident) => meets(incident, window))).length,
      extra: incidents.filter((incident) => !labelled.some((window) => meets(incident, window))).length,
    }
  }

  test('on the labelled counts: all windows of the taxis with two extra at most, 0.25 extra a week over all', () => {
    let [extra, weeks] = [0, 0]
    for (const file of Object.keys(windows).filter((name) => !name.startsWith('ec2'))) {
      const { firstMs, counts } = byHour(file)
      const result = score(file, incidentsOf(judgeVolume(counts, firstMs, hourly), 24), hourMs)
      console.info(`${file}: ${result.found} of ${windows[file]?.length} windows, ${result.extra} extra`)
      if (file === 'nyc_taxi.csv') {
        expect(result.found).toBe(5)
        expect(result.extra).toBeLessThanOrEqual(2)
      }
      extra += result.extra
      weeks += counts.length / 168
    }
    console.info(`${extra} extra in ${Math.round(weeks)} weeks`)
    expect(extra / weeks).toBeLessThanOrEqual(0.25)
  })

  test('on the labelled latencies: all three windows and nothing else', () => {
    const file = 'ec2_request_latency_system_failure.csv'
    const rows = read(file)
    const judged = judgeLatency(
      rows.map(({ value }) => value),
      rows[0]?.ms ?? 0,
    )
    const timed = judged.map((one, index) => ({ ...one, startMs: rows[index]?.ms ?? 0 }))
    expect(score(file, incidentsOf(timed, 288), 300_000)).toEqual({ found: 3, extra: 0 })
  })
} else console.info('The labelled series are not at hand; only generated ones are tested.')
