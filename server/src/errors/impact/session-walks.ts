import type { EventRows } from '../../analytics/tally/event-rows.ts'
import { orderedBy } from '../../analytics/tally/tally.ts'
import { cellOf, groupsOfSessionMax, stepsMax } from './landmark.ts'
import { stageOfName, stageOfPath } from './stages.ts'

/** A session with its steps before the first purchase, and when each group of errors first met it. */
export type Walk = {
  /** The number of the person; -1 for none. */
  person: number
  /** Numbers of the first event's device and country. */
  device: number
  country: number
  startedMs: number
  /** Infinity where nothing was bought. */
  boughtMs: number
  /** Events that are no errors. */
  length: number
  /** Of each step: milliseconds since the session began, the stage, the cell. */
  steps: readonly number[]
  stages: readonly number[]
  cells: readonly number[]
  stageAt: (ms: number) => number
  /** The first groups that met it, in order of time. */
  errors: readonly { group: number; ms: number }[]
}

/** The group of every error among the rows, in their order; -1 for those that are not looked at. */
export type ErrorGroups = Int32Array

/** Every session, as `walksSql` makes them, one at a time: `firsts` has the first row of each. */
export function* walksOf(rows: EventRows, groupOf: ErrorGroups, firsts: Int32Array): Generator<Walk> {
  const stageOf = stagesOf(rows)
  const { order, starts } = orderedBy(rows.session, rows.sessions)
  const errorsOf = errorsBySession(rows, groupOf)
  const [error, purchase] = ['error', '$purchase'].map((name) => rows.name.texts.indexOf(name))
  const { ms } = rows
  const names = rows.name.numbers
  const times: number[] = []
  for (let session = 0; session < rows.sessions; session += 1) {
    const first = firsts[session] ?? -1
    if (first === -1) continue
    // When it first reached each stage; the purchase itself is no step into the checkout.
    const reached = [0, Infinity, Infinity, Infinity]
    times.length = 0
    let [boughtMs, length] = [Infinity, 0]
    const end = starts[session + 1] ?? 0
    for (let place = starts[session] ?? 0; place < end; place += 1) {
      const row = order[place] ?? 0
      const [at, name] = [ms[row] ?? 0, names[row]]
      if (name !== error) length += 1
      if (name === purchase) boughtMs = Math.min(boughtMs, at)
      else {
        const stage = stageOf(row)
        if (stage > 0) reached[stage] = Math.min(reached[stage] ?? at, at)
        if (name !== error) times.push(at)
      }
    }
    const startedMs = ms[first] ?? 0
    const stageAt = (at: number) => lastReached(reached, at)
    yield {
      person: rows.person[first] ?? -1,
      device: rows.device.numbers[first] ?? 0,
      country: rows.country.numbers[first] ?? 0,
      startedMs,
      boughtMs,
      length,
      ...pathOf(times, startedMs, boughtMs, reached),
      stageAt,
      errors: errorsOf.get(session) ?? none,
    }
  }
}

/** The first row of each session; -1 where it has none. */
export function firstRowsOf(rows: EventRows): Int32Array {
  const firsts = new Int32Array(rows.sessions).fill(-1)
  for (let row = 0; row < rows.count; row += 1) {
    const session = rows.session[row] ?? -1
    if (session === -1) continue
    const first = firsts[session] ?? -1
    if (first === -1 || isBefore(rows, row, first)) firsts[session] = row
  }
  return firsts
}

function lastReached(reached: readonly number[], at: number): number {
  let stage = reached.length - 1
  while (stage > 0 && (reached[stage] ?? Infinity) > at) stage -= 1
  return stage
}

const none: Walk['errors'] = []

function isBefore({ ms, arrival }: EventRows, row: number, other: number): boolean {
  const [one, two] = [ms[row] ?? 0, ms[other] ?? 0]
  return one < two || (one === two && (arrival[row] ?? 0) < (arrival[other] ?? 0))
}

/** How far in the shop an event is: texts repeat, so each is looked at once. */
function stagesOf({ name, path }: EventRows): (row: number) => number {
  const byName = Int8Array.from(name.texts, (text) => stageOfName(text) ?? -1)
  const byPath = Int8Array.from(path.texts, stageOfPath)
  return (row) => {
    const named = byName[name.numbers[row] ?? 0] ?? -1
    return named === -1 ? (byPath[path.numbers[row] ?? 0] ?? 0) : named
  }
}

function pathOf(
  times: number[],
  startedMs: number,
  boughtMs: number,
  reached: readonly number[],
): Pick<Walk, 'steps' | 'stages' | 'cells'> {
  if (!isAscending(times)) times.sort((one, other) => one - other)
  const [steps, stages, cells]: [number[], number[], number[]] = [[], [], []]
  for (const at of times) {
    if (at >= boughtMs || steps.length === stepsMax) break
    const [stage, elapsedMs] = [lastReached(reached, at), at - startedMs]
    // It is a later one of its stage where the step before had reached that.
    const isLater = stage === stages.at(-1)
    cells.push(cellOf({ stage, isLater, steps: steps.length + 1, elapsedMs }))
    steps.push(elapsedMs)
    stages.push(stage)
  }
  return { steps, stages, cells }
}

function isAscending(times: readonly number[]): boolean {
  for (let index = 1; index < times.length; index += 1)
    if ((times[index] ?? 0) < (times[index - 1] ?? 0)) return false
  return true
}

/** When each group first met each session that met any. */
function errorsBySession(rows: EventRows, groupOf: ErrorGroups): ReadonlyMap<number, Walk['errors']> {
  // bounded: by the errors among the rows.
  const bySession = new Map<number, Map<number, number>>()
  for (const [index, row] of rows.errors.row.entries()) {
    const [session, group, ms] = [rows.session[row] ?? -1, groupOf[index] ?? -1, rows.ms[row] ?? 0]
    if (session === -1 || group === -1) continue
    const met = bySession.get(session) ?? new Map<number, number>()
    bySession.set(session, met)
    met.set(group, Math.min(met.get(group) ?? ms, ms))
  }
  return new Map(
    Array.from(bySession, ([session, met]) => [
      session,
      Array.from(met, ([group, ms]) => ({ group, ms }))
        .sort((one, other) => one.ms - other.ms || one.group - other.group)
        .slice(0, groupsOfSessionMax),
    ]),
  )
}
