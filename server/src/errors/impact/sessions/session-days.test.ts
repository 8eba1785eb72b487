import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Chunk, eachText, type RowText } from '../../../analytics/tally/chunk.ts'
import { splitRows } from '../../../analytics/tally/chunk-rows.ts'
import { currentPeople } from '../../../analytics/tally/event-rows.ts'
import { newRowNumbers, type RowNumbers } from '../../../analytics/tally/row-numbers.ts'
import { minuteMs } from '../../../platform/units.ts'
import { runs } from '../../../testing/runs.ts'
import { dayWalks } from './day-walks.ts'
import { tallySessions } from './session-rows.ts'

const names = ['$pageview', '$click', 'error', '$purchase', '$checkout_start']
const paths = ['/', '/product/1', '/cart', '/checkout']
const texts = ['phone', 'desktop', '']

const row = fc.record({
  session: fc.integer({ min: -1, max: 6 }),
  person: fc.integer({ min: -1, max: 3 }),
  minute: fc.integer({ min: 0, max: 30 }),
  name: fc.nat({ max: names.length - 1 }),
  path: fc.nat({ max: paths.length - 1 }),
  device: fc.nat({ max: texts.length - 1 }),
  fingerprint: fc.integer({ min: 1, max: 3 }),
  /** The part of the day that it lies in. */
  part: fc.nat({ max: 3 }),
})
type Row = typeof row extends fc.Arbitrary<infer One> ? One : never

function numbersOf(): RowNumbers {
  const numbers = newRowNumbers()
  for (let key = 1; key <= 7; key += 1) numbers.sessions.take(key, 0)
  for (let key = 1; key <= 4; key += 1) numbers.people.take(key, 0)
  for (const name of names) numbers.texts.name.take(name)
  for (const path of paths) numbers.texts.path.take(path)
  for (const text of texts) for (const kind of ['device', 'country'] as const) numbers.texts[kind].take(text)
  return numbers
}

function chunkOf(rows: readonly Row[]): Chunk {
  const errors = [...rows.entries()].filter(([, { name }]) => names[name] === 'error')
  const numberOf = (of: RowText, { name, path, device }: Row) =>
    of === 'name' ? name : of === 'path' ? path : of === 'device' || of === 'country' ? device : 0
  return {
    count: rows.length,
    session: Int32Array.from(rows, ({ session }) => session),
    person: Int32Array.from(rows, ({ person }) => person),
    ms: Float64Array.from(rows, ({ minute }) => minute * minuteMs),
    // Of one time it says which is first.
    arrival: Float64Array.from(rows.keys()),
    flags: new Uint8Array(rows.length),
    texts: eachText((of) => Int32Array.from(rows, (one) => numberOf(of, one))),
    money: { row: new Int32Array(0), units: new BigInt64Array(0), currency: new Int32Array(0) },
    errors: {
      row: Int32Array.from(errors, ([index]) => index),
      low: Uint32Array.from(errors, ([, { fingerprint }]) => fingerprint),
      high: new Uint32Array(errors.length),
    },
  }
}

const options = {
  previousToMs: 10 * minuteMs,
  currentMs: 12 * minuteMs,
  only: null,
  map: { keys: [], groups: [] },
  limits: { high: 0, medium: 0 },
  payments: new Uint8Array(0),
}

/** Sums of quotients may differ in their last digits. */
const plain = (value: unknown): unknown =>
  typeof value === 'number'
    ? Number(value.toFixed(9))
    : Array.isArray(value)
      ? value.map(plain).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
        : value

test('what sessions did does not depend on the days that their events are kept in', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.boolean(), (rows, isMerged) => {
      const numbers = numbersOf()
      // The first person is the second by now.
      const merges = new Uint8Array(new Uint32Array([1, 0, 2, 0]).buffer)
      const people = currentPeople(numbers.people, isMerged ? merges : null)
      const whole = chunkOf(rows)
      const tallyOf = (chunks: readonly Chunk[]) => {
        const days = chunks.map((chunk) => dayWalks.of(chunk, numbers, () => {}))
        return plain(tallySessions(days, { numbers, people }, options))
      }
      const parts = splitRows(
        whole,
        Int32Array.from(rows, ({ part }) => part),
        4,
      )
      const alone = splitRows(whole, Int32Array.from(rows.keys()), rows.length)
      const once = tallyOf([whole])
      expect(tallyOf(parts)).toEqual(once)
      expect(tallyOf(alone)).toEqual(once)
    }),
    { numRuns: runs(300) },
  )
})
