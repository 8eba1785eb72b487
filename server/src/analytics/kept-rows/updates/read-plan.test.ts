import { expect, test } from 'vitest'
import { dayMs } from '../../../platform/units.ts'
import { leftOf, planReads } from './read-plan.ts'

const days = [0, dayMs, 2 * dayMs, 3 * dayMs]
const sizes = new Map(days.map((day) => [day, 1_000]))
const bounds = { rowsMax: 2_000, bytesMax: 1_000_000, keptMax: 200_000 }
const needed = { days, ofRows: [] }
/** As much as fits once, but not twice. */
const full = { days: new Set(days), bytes: 150_000, rowBytes: 0 }

test('days that changed give back what they took, so that they are read again', () => {
  const held = { days: new Set<number>(), summed: new Set<number>(), ...leftOf(full, 0) }
  expect(planReads(needed, held, sizes, bounds)).toMatchObject({ summed: new Set(days) })
})

test('what does not fit next to the days that are kept is not read', () => {
  const others = new Set(days.map((day) => day + 10 * dayMs))
  const held = { days: others, summed: others, ...leftOf({ ...full, days: others }, others.size) }
  expect(planReads(needed, held, sizes, bounds)).toBeNull()
  expect(planReads(needed, held, sizes, { ...bounds, keptMax: 400_000 })?.drop).toEqual([])
})
