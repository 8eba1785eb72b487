import { boardLimits } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  apart,
  dropped,
  freeSpot,
  grown,
  moved,
  packed,
  resized,
  type Spot,
} from '../src/pages/boards/layout.ts'

const spot = fc
  .record({
    x: fc.integer({ min: 0, max: boardLimits.columns - 1 }),
    y: fc.integer({ min: 0, max: 40 }),
    width: fc.integer({ min: 1, max: boardLimits.columns }),
    height: fc.integer({ min: 1, max: 8 }),
  })
  .map((one) => ({ ...one, width: Math.min(one.width, boardLimits.columns - one.x) }))
const tiles = fc
  .array(spot, { minLength: 1, maxLength: 12 })
  .map((spots) => spots.map((one, index) => ({ id: `t${index}`, ...one })))

const overlap = (a: Spot, b: Spot) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/** All tiles are there, whole numbers, inside the grid, and none on another. */
function expectSound(before: readonly Spot[], after: readonly Spot[]): void {
  expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted())
  for (const tile of after) {
    expect([tile.x, tile.y, tile.width, tile.height].every(Number.isInteger)).toBe(true)
    expect(tile.x >= 0 && tile.y >= 0 && tile.x + tile.width <= boardLimits.columns).toBe(true)
    expect(after.filter((other) => other.id !== tile.id && overlap(tile, other))).toEqual([])
  }
}

test('whatever is moved, dropped or resized, tiles stay on the grid and apart', () => {
  const step = fc.oneof(
    fc
      .constantFrom('left', 'right', 'up', 'down')
      .map((direction) => (all: readonly Spot[], id: string) => moved(all, id, direction)),
    fc
      .constantFrom('wider', 'narrower', 'taller', 'shorter')
      .map((growth) => (all: readonly Spot[], id: string) => grown(all, id, growth)),
    fc
      .record({ x: fc.integer({ min: -5, max: 20 }), y: fc.integer({ min: 0, max: 50 }) })
      .map((to) => (all: readonly Spot[], id: string) => dropped(all, id, to)),
    fc
      .record({ width: fc.integer({ min: -5, max: 20 }), height: fc.integer({ min: -5, max: 40 }) })
      .map((size) => (all: readonly Spot[], id: string) => resized(all, id, size)),
  )
  fc.assert(
    fc.property(tiles, fc.array(fc.tuple(step, fc.nat({ max: 11 })), { maxLength: 12 }), (start, steps) => {
      let now: readonly Spot[] = packed(start)
      for (const [change, nth] of steps) {
        now = change(now, `t${nth % start.length}`)
        expectSound(start, now)
      }
      expect(packed(now)).toEqual(now)
    }),
  )
})

test('tiles of a board from elsewhere are shown apart, and those that were apart stay where they are', () => {
  fc.assert(
    fc.property(tiles, (start) => {
      expectSound(start, apart(start))
      const sound = packed(start)
      expect(apart(sound)).toEqual(sound)
    }),
  )
})

test('a new tile takes a free place', () => {
  fc.assert(
    fc.property(tiles, (start) => {
      const others = packed(start)
      const all = [...others, { id: 'new', ...freeSpot(others, { width: 6, height: 5 }) }]
      expectSound(all, all)
    }),
  )
})

test('a step to the right or down passes the neighbour, and the step back restores it', () => {
  const side = [
    { id: 'a', x: 0, y: 0, width: 4, height: 3 },
    { id: 'b', x: 4, y: 0, width: 8, height: 3 },
    { id: 'c', x: 0, y: 3, width: 12, height: 2 },
  ]
  const right = moved(side, 'a', 'right')
  expect(right.map(({ id, x }) => [id, x])).toEqual([
    ['b', 0],
    ['a', 8],
    ['c', 0],
  ])
  expect(moved(right, 'a', 'left')).toEqual(side)
  const up = moved(side, 'c', 'up')
  expect(up.map(({ id, y }) => [id, y])).toEqual([
    ['c', 0],
    ['a', 2],
    ['b', 2],
  ])
  expect(moved(up, 'c', 'down')).toEqual(side)
})
