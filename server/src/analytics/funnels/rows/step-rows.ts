import type { FunnelStep } from '@assay/contract'
import { isPathPattern, pathTest } from '../../../store/filters/path-pattern.ts'
import type { Chunk, RowText } from '../../tally/chunk.ts'
import type { ChunkRows, TextColumn } from '../../tally/event-rows.ts'
import type { RowNumbers } from '../../tally/row-numbers.ts'
import { eventOf, type FunnelPlan } from '../funnel-store.ts'

/** Breakdowns whose values are among the rows. */
export const rowBreakdowns = ['country', 'device', 'source', 'channel'] as const
type RowBreakdown = (typeof rowBreakdowns)[number]

export type FunnelOfRows = Omit<FunnelPlan, 'breakdown'> & { breakdown: RowBreakdown | undefined }

/** Of the events that a path depends on: whose each is, when, and a bit for each step that it is. */
export type StepRows = {
  subjects: number
  subject: Int32Array
  ms: Float64Array
  arrival: Float64Array
  mask: Uint32Array
  /** The value of the breakdown, where there is one. */
  segment: TextColumn | null
}

/** Most events are no step: only those that are leave their columns. */
export function stepRowsOf({ chunks, numbers, people }: ChunkRows, plan: FunnelOfRows): StepRows {
  const { by, order, breakdown } = plan
  const isEveryEvent = order === 'strict-order'
  const testers = testersOf(numbers, plan.steps)
  const masks = chunks.map((chunk) => masksOf(chunk, testers, plan.steps.length))
  const taken = chunks.map((chunk, index) => placesOf(chunk[by], masks[index] ?? nothing, isEveryEvent))
  const count = taken.reduce((sum, places) => sum + places.length, 0)
  const [subject, values, mask] = [new Int32Array(count), new Int32Array(count), new Uint32Array(count)]
  const [ms, arrival] = [new Float64Array(count), new Float64Array(count)]
  let first = 0
  for (const [index, chunk] of chunks.entries()) {
    const places = taken[index] ?? new Int32Array(0)
    const owners = by === 'session' ? chunk.session : chunk.person
    pick(owners, places, subject, first)
    pick(masks[index] ?? nothing, places, mask, first)
    pick(chunk.ms, places, ms, first)
    pick(chunk.arrival, places, arrival, first)
    if (breakdown !== undefined) pick(chunk.texts[breakdown], places, values, first)
    first += places.length
  }
  const { current } = people
  if (by === 'person' && current !== null)
    for (let row = 0; row < count; row += 1) subject[row] = current[subject[row] ?? 0] ?? 0
  return {
    subjects: by === 'session' ? numbers.sessions.size : people.people,
    subject,
    ms,
    arrival,
    mask,
    segment: breakdown === undefined ? null : { texts: numbers.texts[breakdown].texts, numbers: values },
  }
}

type Column = { [row: number]: number; length: number }

function pick(from: Column, places: Int32Array, into: Column, first: number): void {
  for (let index = 0; index < places.length; index += 1) into[first + index] = from[places[index] ?? 0] ?? 0
}

const nothing = new Uint32Array(0)

/** The rows that are a step, or all of them, of those that belong to someone. */
function placesOf(owners: Int32Array, masks: Uint32Array, isEveryEvent: boolean): Int32Array {
  const places = new Int32Array(owners.length)
  let size = 0
  for (let row = 0; row < owners.length; row += 1) {
    if (owners[row] === -1 || (masks[row] === 0 && !isEveryEvent)) continue
    places[size] = row
    size += 1
  }
  return places.subarray(0, size)
}

/** The steps that each text of a column allows. */
type Tester = { column: RowText; allowed: Uint32Array }

/** Texts repeat, on all days: each is compared once for a question. */
function testersOf({ texts }: RowNumbers, steps: readonly FunnelStep[]): Tester[] {
  const wanted: [RowText, (((text: string) => boolean) | null)[]][] = [
    ['name', steps.map((step) => equals(eventOf(step)))],
    ['target', steps.map(({ target }) => equals(target))],
    ['path', steps.map(({ path }) => (path === undefined ? null : pathFits(path)))],
  ]
  return wanted
    .filter(([, tests]) => tests.some((test) => test !== null))
    .map(([column, tests]) => ({
      column,
      allowed: Uint32Array.from(texts[column].texts, (text) =>
        tests.reduce((bits, test, step) => (test === null || test(text) ? bits | (1 << step) : bits), 0),
      ),
    }))
}

const equals = (wanted: string | undefined) =>
  wanted === undefined ? null : (text: string) => text === wanted

const pathFits = (path: string) => (isPathPattern(path) ? pathTest(path) : (text: string) => text === path)

/** A bit for each step that an event is: of those that its name, its target and its path allow. */
function masksOf(chunk: Chunk, testers: readonly Tester[], steps: number): Uint32Array {
  const masks = new Uint32Array(chunk.count).fill(2 ** steps - 1)
  for (const { column, allowed } of testers) {
    const numbers = chunk.texts[column]
    for (let row = 0; row < masks.length; row += 1) {
      const mask = masks[row] ?? 0
      // Most events are none.
      if (mask !== 0) masks[row] = mask & (allowed[numbers[row] ?? 0] ?? 0)
    }
  }
  return masks
}
