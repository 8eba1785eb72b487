import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SeenIds } from './seen-ids.ts'
import { createSeenIds, idHasher, neverSeen, possiblyOlder } from './seen-ids.ts'
import { IdTable } from './seen-ids-table.ts'

/** Ids as a hash would make them, and no two alike: each step of the mixing can be undone. */
function idOf(counter: number): [hi: number, lo: number] {
  return [mix(counter + 1), mix(~counter)]
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

function addRange(seen: SeenIds, from: number, to: number, day: number): void {
  for (let counter = from; counter < to; counter += 1) seen.add(...idOf(counter), counter % 256, day)
}

const answersOf = (seen: SeenIds, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => seen.lookup(...idOf(from + index)))

test('an id is never seen before it was added, known with its payload after, and never seen again once taken back', () => {
  const seen = createSeenIds({ recentMax: 1_000, olderMax: 1_000 })
  expect(seen.lookup(7, 9)).toBe(neverSeen)
  seen.add(7, 9, 0, 1)
  expect(seen.lookup(7, 9)).toBe(0)
  seen.add(7, 9, 255, 1)
  expect([seen.lookup(7, 9), seen.lookup(9, 7), seen.size]).toEqual([255, neverSeen, 1])
  seen.remove(7, 9)
  seen.remove(7, 9)
  expect([seen.lookup(7, 9), seen.size]).toEqual([neverSeen, 0])
})

test('ids at the borders of their range are ids like any other', () => {
  const seen = createSeenIds({ recentMax: 1_000, olderMax: 1_000 })
  const top = 4_294_967_295
  const borders: [number, number][] = [
    [0, 0],
    [0, 2],
    [top, 0],
    [top, top],
    [0, top],
  ]
  for (const [index, [hi, lo]] of borders.entries()) seen.add(hi, lo, index, 1)
  expect(borders.map(([hi, lo]) => seen.lookup(hi, lo))).toEqual([0, 1, 2, 3, 4])
})

test('a payload that is no byte is refused', () => {
  const seen = createSeenIds({ recentMax: 1_000, olderMax: 1_000 })
  expect(() => seen.add(1, 1, 256, 1)).toThrow(RangeError)
  expect(() => seen.add(1, 1, -1, 1)).toThrow(RangeError)
})

/** Few values of `hi`, at both ends, so that ids crowd into the same slots and run over the end of the table. */
const crowdedHi = fc.constantFrom(0, 1, 2, 2_000_000_000, 2_000_000_001, 4_294_967_294, 4_294_967_295)
const tableStep = fc.record({
  act: fc.constantFrom('set', 'set', 'set', 'delete', 'sweep'),
  hi: crowdedHi,
  lo: fc.integer({ min: 1, max: 12 }),
  payload: fc.integer({ min: 0, max: 255 }),
  generation: fc.integer({ min: 0, max: 3 }),
})

test('the table equals a plain map, whatever is set, deleted and swept in any order', () => {
  fc.assert(
    fc.property(fc.array(tableStep, { maxLength: 120 }), (steps) => {
      const table = new IdTable(200)
      const model = new Map<string, { payload: number; generation: number }>()
      for (const { act, hi, lo, payload, generation } of steps) {
        const key = `${hi},${lo}`
        const known = model.get(key)
        if (act === 'set') {
          expect(table.set(hi, lo, payload, generation)).toBe(known?.generation ?? generation)
          model.set(key, { payload, generation: known?.generation ?? generation })
        } else if (act === 'delete') {
          expect(table.delete(hi, lo)).toBe(known?.generation ?? -1)
          model.delete(key)
        } else sweepBoth(table, model, generation)
        expect(table.count).toBe(model.size)
      }
      for (const hi of [0, 1, 2, 2_000_000_000, 2_000_000_001, 4_294_967_294, 4_294_967_295]) {
        for (let lo = 1; lo <= 12; lo += 1)
          expect(table.get(hi, lo)).toBe(model.get(`${hi},${lo}`)?.payload ?? -1)
      }
    }),
    { numRuns: 300 },
  )
})

function sweepBoth(table: IdTable, model: Map<string, { generation: number }>, generation: number): void {
  const left: string[] = []
  table.beginSweep(generation)
  while (table.isSweeping) table.sweep(5, (hi, lo) => left.push(`${hi},${lo}`))
  const expected = [...model].filter(([, entry]) => entry.generation === generation).map(([key]) => key)
  expect(left.toSorted()).toEqual(expected.toSorted())
  for (const key of expected) model.delete(key)
}

test('ids deleted while a sweep is under way do not let others escape it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(crowdedHi, fc.integer({ min: 1, max: 12 })), { maxLength: 60 }), (ids) => {
      const table = new IdTable(90)
      for (const [index, [hi, lo]] of ids.entries()) table.set(hi, lo, 0, index % 2)
      const leaving: [number, number][] = []
      table.beginSweep(1)
      for (const [hi, lo] of ids.filter((_, index) => index % 3 === 0)) {
        table.sweep(3, (...id) => leaving.push(id))
        table.delete(hi, lo)
      }
      while (table.isSweeping) table.sweep(7, (...id) => leaving.push(id))
      for (const id of leaving) expect(table.get(...id)).toBe(-1)
      table.beginSweep(1)
      while (table.isSweeping) table.sweep(100, () => expect.unreachable('an id escaped the first sweep'))
    }),
    { numRuns: 300 },
  )
})

const seenStep = fc.record({
  act: fc.constantFrom('add', 'add', 'add', 'add', 'again', 'remove', 'load', 'nextDay', 'drop'),
  pick: fc.nat({ max: 1_000_000 }),
  payload: fc.integer({ min: 0, max: 255 }),
})

test('against a plain map: no remembered id is taken for new, recent ones keep their payload, and memory stays bounded', () => {
  const sizes = fc.integer({ min: 4, max: 80 })
  fc.assert(
    fc.property(sizes, sizes, fc.array(seenStep, { maxLength: 400 }), (recentMax, olderMax, steps) => {
      const seen = createSeenIds({ recentMax, olderMax })
      const model: Model = new Map()
      const state: State = { next: 0, adds: 0, day: 100, keptFrom: 0 }
      for (const step of steps) applyToBoth(seen, model, state, step)
      const certain = Math.floor(recentMax / 4) * 3
      for (const [counter, { payload, day, addedAt }] of model) {
        const answer = seen.lookup(...idOf(counter))
        if (addedAt >= state.adds - certain) expect(answer).toBe(payload)
        else if (day >= state.keptFrom) expect([payload, possiblyOlder]).toContain(answer)
      }
      expect(seen.size).toBeLessThanOrEqual(recentMax)
    }),
    { numRuns: 300 },
  )
})

type Step = { act: string; pick: number; payload: number }
type State = { next: number; adds: number; day: number; keptFrom: number }
/** `addedAt` counts the adds before it: an id that comes again may count as an old or as a new one. */
type Model = Map<number, { payload: number; day: number; addedAt: number }>

function applyToBoth(seen: SeenIds, model: Model, state: State, step: Step): void {
  const { day } = state
  const known = [...model.keys()][step.pick % Math.max(1, model.size)]
  if (step.act === 'nextDay') state.day += 1
  if (step.act === 'drop') {
    state.keptFrom = Math.max(state.keptFrom, day - (step.pick % 3))
    seen.dropOlderThan(state.keptFrom)
  }
  if (step.act === 'add') {
    seen.add(...idOf(state.next), step.payload, day)
    model.set(state.next++, { payload: step.payload, day, addedAt: state.adds++ })
  }
  if (step.act === 'again' && known !== undefined && seen.lookup(...idOf(known)) >= 0) {
    seen.add(...idOf(known), step.payload, day)
    model.set(known, { payload: step.payload, day, addedAt: model.get(known)?.addedAt ?? 0 })
    state.adds++
  }
  if (step.act === 'remove' && known !== undefined) {
    seen.remove(...idOf(known))
    model.delete(known)
    expect([neverSeen, possiblyOlder]).toContain(seen.lookup(...idOf(known)))
  }
  if (step.act === 'load') {
    const ids = Array.from({ length: step.pick % 30 }, (_, index) => idOf(state.next + index))
    seen.load(
      Uint32Array.from(ids, ([hi]) => hi),
      Uint32Array.from(ids, ([, lo]) => lo),
      step.payload,
      day,
    )
    for (const _ of ids) model.set(state.next++, { payload: step.payload, day, addedAt: state.adds++ })
  }
}

test('of new ids at most one in a hundred is sent to the store when the filters are full, and no old one is missed', () => {
  const seen = createSeenIds({ recentMax: 40_000, olderMax: 200_000 })
  addRange(seen, 0, 240_000, 1)
  expect([seen.size, seen.olderSize]).toEqual([40_000, 200_000])
  expect(answersOf(seen, 0, 200_000).every((answer) => answer === possiblyOlder)).toBe(true)
  const wrong = answersOf(seen, 1_000_000, 1_200_000).filter((answer) => answer !== neverSeen).length
  console.info(`false positives with full filters: ${((wrong / 200_000) * 100).toFixed(2)} %`)
  expect(wrong / 200_000).toBeLessThanOrEqual(0.01)
})

test('more ids than the filters were made for cost more questions to the store, and none is forgotten', () => {
  const seen = createSeenIds({ recentMax: 400, olderMax: 1_000 })
  addRange(seen, 0, 10_000, 1)
  expect(answersOf(seen, 0, 10_000)).not.toContain(neverSeen)
})

test('thirty days of ids stay known while one day after the other is dropped, and what is older is evicted', () => {
  const seen = createSeenIds({ recentMax: 40, olderMax: 4_000 })
  for (let day = 0; day < 120; day += 1) {
    addRange(seen, day * 100, (day + 1) * 100, day)
    seen.dropOlderThan(day - 30)
    const kept = answersOf(seen, Math.max(0, day - 30) * 100, (day + 1) * 100)
    expect(kept).not.toContain(neverSeen)
  }
  expect(seen.olderSize).toBeLessThanOrEqual(4_000)
  const forgotten = answersOf(seen, 0, 8_000).filter((answer) => answer === neverSeen).length
  expect(forgotten).toBeGreaterThan(7_600)
})

test('an old day that comes late does not take newer ids with it when it is dropped', () => {
  const seen = createSeenIds({ recentMax: 4, olderMax: 70 })
  for (let counter = 0; counter < 60; counter += 1) seen.add(...idOf(counter), 1, counter < 30 ? 50 : 10)
  seen.dropOlderThan(40)
  expect(answersOf(seen, 0, 30)).not.toContain(neverSeen)
})

test('a bulk load equals single adds, with one payload for all or one each', () => {
  const counters = Array.from({ length: 5_000 }, (_, counter) => counter)
  const hi = Uint32Array.from(counters, (counter) => idOf(counter)[0])
  const lo = Uint32Array.from(counters, (counter) => idOf(counter)[1])
  const [each, one] = [
    createSeenIds({ recentMax: 1e4, olderMax: 1e4 }),
    createSeenIds({ recentMax: 1e4, olderMax: 1e4 }),
  ]
  each.load(hi, lo, Uint8Array.from(counters), 1)
  one.load(hi, lo, 9, 1)
  expect(answersOf(each, 0, 5_000)).toEqual(counters.map((counter) => counter % 256))
  expect(new Set(answersOf(one, 0, 5_000))).toEqual(new Set([9]))
})

test('a recent id takes 15 bytes and an older one less than 3, and nothing is set aside before it is needed', () => {
  const seen = createSeenIds({ recentMax: 100_000, olderMax: 500_000 })
  expect(seen.bytes).toBeLessThan(20_000)
  addRange(seen, 0, 100_000, 1)
  const recentBytes = seen.bytes
  expect(recentBytes / 100_000).toBeLessThan(15.1)
  addRange(seen, 100_000, 600_000, 1)
  expect((seen.bytes - recentBytes) / seen.olderSize).toBeLessThan(3)
})

test('the hash distinguishes workspaces, kinds, ids and seeds and has no collision in 100,000 ids', async () => {
  const hasher = await idHasher(1, 2)
  const other = await idHasher(2, 1)
  const hash = (...text: [string, string, string]) => {
    hasher.hash(...text)
    return `${hasher.hi},${hasher.lo}`
  }
  other.hash('ws_1', 'e', 'a')
  const texts: [string, string, string][] = [
    ['ws_1', 'e', 'a'],
    ['ws_2', 'e', 'a'],
    ['ws_1', 'o', 'a'],
    ['ws_1', 'e', 'b'],
  ]
  expect(new Set([...texts.map((text) => hash(...text)), `${other.hi},${other.lo}`]).size).toBe(5)
  expect(hash('ws_1', 'e', 'ü👋')).toBe(hash('ws_1', 'e', 'ü👋'))
  const hashes = new Set(Array.from({ length: 100_000 }, (_, n) => hash('ws_1', 'e', `evt_${n}`)))
  expect(hashes.size).toBe(100_000)
})
