import { channelsOf, gatherPaths, type PathCount } from './paths.ts'

export type MarkovFit = {
  /** Probability that a path leads to an outcome. */
  baseRate: number
  /** Relative decrease of that probability without a channel. */
  removalEffects: Readonly<Record<string, number>>
}

/**
 * An absorbing chain of order one over START, the channels, OUTCOME and NOTHING, in closed form: no
 * simulation, deterministic. With N the expected visits to each channel and x the probability of an outcome
 * from there, the probability of an outcome through c is N(start, c) / N(c, c) · x(c), which is what removing
 * c costs.
 */
export function fitMarkov(rows: readonly PathCount[]): MarkovFit {
  const paths = gatherPaths(rows)
  const channels = channelsOf(paths)
  const chain = countSteps(paths, channels)
  const visits = invert(identityLess(chain.steps))
  const fromEach = visits.map((row) =>
    row.reduce((sum, visit, index) => sum + visit * (chain.outcomes[index] ?? 0), 0),
  )
  const fromStart = channels.map((_, to) =>
    chain.starts.reduce((sum, start, from) => sum + start * (visits[from]?.[to] ?? 0), 0),
  )
  const baseRate = chain.starts.reduce((sum, start, index) => sum + start * (fromEach[index] ?? 0), 0)
  const effects = channels.map((channel, index) => {
    const reached = (fromStart[index] ?? 0) / (visits[index]?.[index] ?? 1)
    return [channel, baseRate > 0 ? (reached * (fromEach[index] ?? 0)) / baseRate : 0] as const
  })
  return { baseRate, removalEffects: Object.fromEntries(effects) }
}

/** The value of a channel over all data: its share of all removal effects, times the outcomes. */
export function markovTotals({ removalEffects }: MarkovFit, conversions: number): Record<string, number> {
  const sum = Object.values(removalEffects).reduce((total, effect) => total + effect, 0)
  return Object.fromEntries(
    Object.entries(removalEffects).map(([channel, effect]) => [
      channel,
      sum > 0 ? (effect / sum) * conversions : 0,
    ]),
  )
}

/**
 * The model describes all paths together. For a single path the effects of its channels are normalised (an
 * approximation, documented as such), and a channel with several touchpoints divides its share.
 */
export function markovWeights({ removalEffects }: MarkovFit, channels: readonly string[]): number[] {
  const times = new Map<string, number>()
  for (const channel of channels) times.set(channel, (times.get(channel) ?? 0) + 1)
  return channels.map((channel) => (removalEffects[channel] ?? 0) / (times.get(channel) ?? 1))
}

type Chain = { starts: number[]; steps: number[][]; outcomes: number[] }

/** Transition probabilities, each path weighted by its count. */
function countSteps(paths: readonly PathCount[], channels: readonly string[]): Chain {
  const indexOf = new Map(channels.map((channel, index) => [channel, index]))
  const steps = channels.map(() => channels.map(() => 0))
  const outcomes = channels.map(() => 0)
  const starts = channels.map(() => 0)
  const leaving = channels.map(() => 0)
  let started = 0
  for (const { channels: path, conversions, nulls } of paths) {
    const weight = conversions + nulls
    const places = path.map((channel) => indexOf.get(channel) ?? 0)
    started += weight
    add(starts, places[0] ?? 0, weight)
    places.forEach((place, at) => {
      add(leaving, place, weight)
      const next = places[at + 1]
      if (next === undefined) add(outcomes, place, conversions)
      else add(steps[place] ?? [], next, weight)
    })
  }
  const likely = (count: number, place: number) => (leaving[place] ? count / leaving[place] : 0)
  return {
    starts: starts.map((count) => (started > 0 ? count / started : 0)),
    steps: steps.map((row, place) => row.map((count) => likely(count, place))),
    outcomes: outcomes.map(likely),
  }
}

function add(counts: number[], index: number, amount: number): void {
  counts[index] = (counts[index] ?? 0) + amount
}

function identityLess(steps: readonly (readonly number[])[]): number[][] {
  return steps.map((row, at) => row.map((value, column) => (at === column ? 1 : 0) - value))
}

/** Gauss-Jordan with the largest pivot. Every channel finally leads out, so there is always one. */
function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length
  const rows = matrix.map((row, at) => [...row, ...row.map((_, column) => (at === column ? 1 : 0))])
  for (let column = 0; column < size; column++) {
    const pivot = largestPivot(rows, column)
    const swapped = rows[column] ?? []
    rows[column] = rows[pivot] ?? []
    rows[pivot] = swapped
    const own = rows[column] ?? []
    const scale = own[column] ?? 1
    for (let at = 0; at < own.length; at++) own[at] = (own[at] ?? 0) / scale
    for (let other = 0; other < size; other++) if (other !== column) subtract(rows[other] ?? [], own, column)
  }
  return rows.map((row) => row.slice(size))
}

function largestPivot(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let at = column + 1; at < rows.length; at++) {
    if (Math.abs(rows[at]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = at
  }
  return best
}

function subtract(row: number[], pivotRow: readonly number[], column: number): void {
  const factor = row[column] ?? 0
  if (factor === 0) return
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) - factor * (pivotRow[at] ?? 0)
}
