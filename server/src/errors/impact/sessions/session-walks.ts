import { cellOf, groupsOfSessionMax, stepsMax } from '../landmark.ts'
import type { SessionErrors } from './error-groups.ts'
import { errorBit, purchaseBit, stageBits } from './event-kinds.ts'

/**
 * A session with its steps before the first purchase, and when each group of errors first met it. It is the same object
 * for all sessions, and so valid until the next one.
 */
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
  /** How many of the following there are. */
  stepCount: number
  /** Of each step: milliseconds since the session began, the stage, the cell. */
  readonly steps: Float64Array
  readonly stages: Uint8Array
  readonly cells: Uint16Array
  readonly stageAt: (ms: number) => number
  /** How many groups met it; the first of them, in order of time, and when they did. */
  errorCount: number
  readonly errorGroups: Int32Array
  readonly errorMs: Float64Array
}

/** The events of some sessions: those of one begin at its start and end at the next. */
export type SessionEvents = {
  starts: Int32Array
  ms: Float64Array
  kinds: Uint8Array
  firsts: FirstEvents
}

/** Of the first event of each session. */
export type FirstEvents = {
  /** -1 for none. */
  person: Int32Array
  device: Int32Array
  country: Int32Array
  ms: Float64Array
}

/** Every session, as `walksSql` makes them. */
export function eachWalk(
  { starts, ms, kinds, firsts }: SessionEvents,
  errors: SessionErrors,
  take: (walk: Walk) => void,
): void {
  const reached = new Float64Array(stageCount)
  const walk: Walk = {
    ...{
      person: -1,
      device: 0,
      country: 0,
      startedMs: 0,
      boughtMs: Infinity,
      length: 0,
      stepCount: 0,
      errorCount: 0,
    },
    steps: new Float64Array(stepsMax),
    stages: new Uint8Array(stepsMax),
    cells: new Uint16Array(stepsMax),
    stageAt: (at) => lastReached(reached, at),
    errorGroups: new Int32Array(groupsOfSessionMax),
    errorMs: new Float64Array(groupsOfSessionMax),
  }
  let times = new Float64Array(stepsMax)
  for (let session = 0; session + 1 < starts.length; session += 1) {
    const [start, end] = [starts[session] ?? 0, starts[session + 1] ?? 0]
    if (end - start > times.length) times = new Float64Array((end - start) * 2)
    walk.person = firsts.person[session] ?? -1
    walk.device = firsts.device[session] ?? 0
    walk.country = firsts.country[session] ?? 0
    walk.startedMs = firsts.ms[session] ?? 0
    takeErrors(walk, errors, session)
    const taken = readSession(walk, ms, kinds, start, end, reached, times)
    if (!isAscending(times, taken)) times.subarray(0, taken).sort()
    takeSteps(walk, times, taken, reached)
    take(walk)
  }
}

const stageCount = 4

/** Returns how many steps there are, whose times are in `times` then. */
function readSession(
  walk: Walk,
  ms: Float64Array,
  kinds: Uint8Array,
  start: number,
  end: number,
  reached: Float64Array,
  times: Float64Array,
): number {
  // When it first reached each stage; the purchase itself is no step into the checkout.
  reached.fill(Infinity)
  reached[0] = 0
  let [boughtMs, length, taken] = [Infinity, 0, 0]
  for (let place = start; place < end; place += 1) {
    const [at, kind] = [ms[place] ?? 0, kinds[place] ?? 0]
    const isError = (kind & errorBit) !== 0
    if (!isError) length += 1
    if ((kind & purchaseBit) !== 0) {
      if (at < boughtMs) boughtMs = at
      continue
    }
    const stage = kind & stageBits
    if (stage > 0 && at < (reached[stage] ?? Infinity)) reached[stage] = at
    if (isError) continue
    times[taken] = at
    taken += 1
  }
  walk.boughtMs = boughtMs
  walk.length = length
  return taken
}

function takeSteps(walk: Walk, times: Float64Array, taken: number, reached: Float64Array): void {
  const { steps, stages, cells, startedMs, boughtMs } = walk
  const most = Math.min(taken, stepsMax)
  let [count, last] = [0, -1]
  for (; count < most; count += 1) {
    const at = times[count] ?? 0
    if (at >= boughtMs) break
    const [stage, elapsedMs] = [lastReached(reached, at), at - startedMs]
    // It is a later one of its stage where the step before had reached that.
    cells[count] = cellOf({ stage, isLater: stage === last, steps: count + 1, elapsedMs })
    steps[count] = elapsedMs
    stages[count] = stage
    last = stage
  }
  walk.stepCount = count
}

function lastReached(reached: Float64Array, at: number): number {
  let stage = stageCount - 1
  while (stage > 0 && (reached[stage] ?? Infinity) > at) stage -= 1
  return stage
}

function isAscending(times: Float64Array, count: number): boolean {
  for (let index = 1; index < count; index += 1)
    if ((times[index] ?? 0) < (times[index - 1] ?? 0)) return false
  return true
}

/** When each group first met the session. Nearly always it is one error. */
function takeErrors(walk: Walk, { starts, groups, ms }: SessionErrors, session: number): void {
  const [start, end] = [starts[session] ?? 0, starts[session + 1] ?? 0]
  walk.errorCount = Math.min(end - start, 1)
  if (start === end) return
  walk.errorGroups[0] = groups[start] ?? 0
  walk.errorMs[0] = ms[start] ?? 0
  if (end - start === 1) return
  // bounded: by the errors of one session.
  const met = new Map<number, number>()
  for (let at = start; at < end; at += 1) {
    const [group, atMs] = [groups[at] ?? 0, ms[at] ?? 0]
    met.set(group, Math.min(met.get(group) ?? atMs, atMs))
  }
  const first = [...met]
    .sort((one, other) => one[1] - other[1] || one[0] - other[0])
    .slice(0, groupsOfSessionMax)
  for (const [index, [group, atMs]] of first.entries()) {
    walk.errorGroups[index] = group
    walk.errorMs[index] = atMs
  }
  walk.errorCount = first.length
}
