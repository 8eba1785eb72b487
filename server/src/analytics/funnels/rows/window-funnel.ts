/** An event, and which steps it is (from 0); empty if it is none. Ordered by time, and then by arrival. */
export type StepEvent = { ms: number; steps: readonly number[] }

export type FunnelModes = {
  /** No other event may come in between. */
  strictOrder?: boolean
  /** Each step is later than the one before, not at the same time. */
  strictIncrease?: boolean
  /** One event is one step of a path. */
  strictOnce?: boolean
  /** The repetition of a step ends the path. */
  strictDeduplication?: boolean
  /** With strictOrder: a step out of order is skipped instead of ending the path. */
  allowReentry?: boolean
}

/** The level reached, and when each step of the first such path was taken. */
export type Walk = { level: number; times: readonly number[] }

type Chain = { firstMs: number; lastMs: number; times: readonly number[]; path: readonly number[] }
type Mark = { ms: number; step: number; event: number }

/**
 * The longest path through the steps within `windowMs` of its first step, as the events store's
 * `windowFunnel` counts it: events of one time are in order of arrival, but with `strictIncrease` in the
 * order of the steps; the latest first step starts the path again.
 */
export function windowFunnel(
  events: readonly StepEvent[],
  stepCount: number,
  windowMs: number,
  modes: FunnelModes = {},
): Walk {
  const marks = marksOf(events, modes)
  const chains: Chain[][] = Array.from({ length: stepCount }, () => [])
  const best: { times: readonly number[] } = { times: [] }
  let hasBegun = false
  for (const [index, mark] of marks.entries()) {
    const { ms, step } = mark
    if (step === -1) {
      if (hasBegun) break
      continue
    }
    if (step === 0) {
      const chain = { firstMs: ms, lastMs: ms, times: [ms], path: [mark.event] }
      chains[0] = modes.strictOnce ? [...(chains[0] ?? []), chain] : [chain]
      hasBegun = true
      if (best.times.length === 0) best.times = chain.times
      if (stepCount === 1) break
      continue
    }
    if (modes.strictDeduplication && hasAny(chains, step)) {
      return walk((marks[index - 1]?.step ?? -1) + 1, best.times)
    }
    if (!hasAny(chains, step - 1)) {
      if (modes.strictOrder && hasBegun && !modes.allowReentry) return walk(firstEmpty(chains), best.times)
      continue
    }
    const extended = extend(chains[step - 1] ?? [], mark, windowMs, modes)
    if (extended.length === 0) continue
    chains[step] = modes.strictOnce ? [...(chains[step] ?? []), ...extended] : extended.slice(-1)
    // The latest, so that a step is measured from the last time that the previous one was taken.
    const times = extended.at(-1)?.times ?? []
    if (times.length > best.times.length) best.times = times
    if (step + 1 === stepCount) break
  }
  return walk(lastFilled(chains), best.times)
}

const walk = (level: number, times: readonly number[]): Walk => ({ level, times: times.slice(0, level) })

/** One mark per event and step; other events matter only if nothing may come in between. */
function marksOf(events: readonly StepEvent[], { strictOrder, strictIncrease }: FunnelModes): Mark[] {
  const marks = events.flatMap(({ ms, steps }, event): Mark[] =>
    steps.length === 0
      ? strictOrder === true
        ? [{ ms, step: -1, event }]
        : []
      : steps.map((step) => ({ ms, step, event })),
  )
  const tie = (a: Mark, b: Mark) => (strictIncrease === true ? 0 : a.event - b.event)
  return marks.sort((a, b) => a.ms - b.ms || tie(a, b) || a.step - b.step)
}

function extend(before: readonly Chain[], mark: Mark, windowMs: number, modes: FunnelModes): Chain[] {
  return before
    .filter(({ firstMs }) => mark.ms <= firstMs + windowMs)
    .filter(({ lastMs }) => !modes.strictIncrease || lastMs < mark.ms)
    .filter(({ path }) => !modes.strictOnce || !path.includes(mark.event))
    .map(({ firstMs, times, path }) => ({
      firstMs,
      lastMs: mark.ms,
      times: [...times, mark.ms],
      path: [...path, mark.event],
    }))
}

const hasAny = (chains: readonly Chain[][], step: number) => (chains[step]?.length ?? 0) > 0

function firstEmpty(chains: readonly Chain[][]): number {
  const empty = chains.findIndex((level) => level.length === 0)
  return empty === -1 ? chains.length : empty
}

function lastFilled(chains: readonly Chain[][]): number {
  return chains.findLastIndex((level) => level.length > 0) + 1
}

/** The maximum number of steps, in any order, within `windowMs`. */
export function anyOrderFunnel(events: readonly StepEvent[], stepCount: number, windowMs: number): number {
  const last = Array.from({ length: stepCount }, () => Number.NEGATIVE_INFINITY)
  let most = 0
  for (const { ms, steps } of events.toSorted((a, b) => a.ms - b.ms)) {
    for (const step of steps) last[step] = ms
    most = Math.max(most, last.filter((seen) => seen >= ms - windowMs).length)
  }
  return most
}
