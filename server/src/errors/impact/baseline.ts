import { marginOf } from './landmark.ts'

/**
 * Sessions that stood in one cell, without the error so far. Each counts there in two ways, since errors strike in two:
 * by its steps (an error that may come at any step finds it so often; so here are sessions that buy before they meet
 * the error, and none that meet it first), and by the share of all its steps (an error that comes once into a session,
 * at any of its steps, finds it so often; so here are only sessions that never meet it). `Bought` are those that buy
 * afterwards.
 */
export type Moments = {
  sessions: number
  steps: number
  stepsBought: number
  /** Squares times the number of cells of the session: an upper bound of what a session in several cells adds. */
  stepsSquared: number
  shares: number
  sharesBought: number
  sharesSquared: number
}

export const noMoments: Moments = {
  sessions: 0,
  steps: 0,
  stepsBought: 0,
  stepsSquared: 0,
  shares: 0,
  sharesBought: 0,
  sharesSquared: 0,
}

export function addMoments(a: Moments, b: Moments, sign = 1): Moments {
  return {
    sessions: a.sessions + sign * b.sessions,
    steps: a.steps + sign * b.steps,
    stepsBought: a.stepsBought + sign * b.stepsBought,
    stepsSquared: a.stepsSquared + sign * b.stepsSquared,
    shares: a.shares + sign * b.shares,
    sharesBought: a.sharesBought + sign * b.sharesBought,
    sharesSquared: a.sharesSquared + sign * b.sharesSquared,
  }
}

/** In place. */
export function addTo(sums: Moments, more: Moments): void {
  sums.sessions += more.sessions
  sums.steps += more.steps
  sums.stepsBought += more.stepsBought
  sums.stepsSquared += more.stepsSquared
  sums.shares += more.shares
  sums.sharesBought += more.sharesBought
  sums.sharesSquared += more.sharesSquared
}

export type Placed = { cell: number; stratum: string }

/** Steps in a cell of sessions that meet the error later, before they buy; and the place where it meets them. */
export type Onward = { towards: Placed; steps: number }

/** What the affected sessions are compared with, by the keys of their places. */
export type Control = { moments: (key: string) => Moments; onward: (key: string) => readonly Onward[] }

/** By cell and stratum, by cell, and by margin: what is too small is taken with what is like it. */
export function keysOf({ cell, stratum }: Placed): [string, string, string] {
  return [`${cell} ${stratum}`, `${cell}`, `of ${marginOf(cell)}`]
}

/**
 * A stratum or cell with fewer sessions is less reliable than a larger one that contains it (algorithms
 * §5.1).
 */
const sessionsMin = 50

type Hits = Placed & { sessions: number }

/** Where some of the affected sessions were struck, and all who stood there without the error. */
type Source = { weight: number; moments: Moments; atRisk: Exposure; margin: Exposure; onward: Towards[] }
type Exposure = { steps: number; shares: number }
/** The source at which sessions are struck that meet the error later. */
type Towards = { source: number; steps: number }

type Baseline = {
  rate: number
  variance: number
  /** Sessions that it rests on, of the cells that were taken. */
  sessions: number
}

/**
 * Which share of sessions would have bought that stand where the affected ones were struck. Whether an error strikes
 * steps or sessions cannot be known beforehand, and decides how often long sessions are met: it is read off where in
 * their sessions the affected ones were struck, which does not depend on what they did afterwards.
 */
export function baselineOf(hits: readonly Hits[], control: Control): Baseline {
  const sources = sourcesOf(hits, control)
  const { mix, variance } = mixOf(hits, control)
  const chosen = rateOf(sources, mix)
  const slope = rateOf(sources, 1).rate - rateOf(sources, 0).rate
  return {
    rate: chosen.rate,
    variance: chosen.variance + slope ** 2 * variance,
    sessions: sources.reduce((total, { moments }) => total + moments.sessions, 0),
  }
}

function sourcesOf(hits: readonly Hits[], control: Control): Source[] {
  const keyOf = (place: Placed) => {
    const keys = keysOf(place)
    return keys.find((key) => control.moments(key).sessions >= sessionsMin) ?? keys[2]
  }
  const hitsByKey = [...Map.groupBy(hits, keyOf)].filter(([key]) => control.moments(key).steps > 0)
  const affected = hitsByKey.reduce((total, [, own]) => total + sessionsOf(own), 0)
  const numbers = new Map(hitsByKey.map(([key], number) => [key, number]))
  return hitsByKey.map(([key, own]) => {
    const onward = control.onward(key).flatMap(({ towards, steps }) => {
      const source = numbers.get(keyOf(towards))
      return source === undefined ? [] : [{ source, steps }]
    })
    const moments = control.moments(key)
    return {
      weight: sessionsOf(own) / affected,
      moments,
      atRisk: {
        steps: onward.reduce((total, later) => total + later.steps, moments.steps),
        shares: moments.shares,
      },
      margin: exposureOf(control, keysOf(own[0] ?? { cell: 0, stratum: '' })[2]),
      onward,
    }
  })
}

function sessionsOf(hits: readonly Hits[]): number {
  return hits.reduce((total, { sessions }) => total + sessions, 0)
}

/** What an error can strike: for steps, also those of sessions that it meets later. */
function exposureOf({ moments, onward }: Control, key: string): Exposure {
  const { steps, shares } = moments(key)
  return { steps: onward(key).reduce((total, later) => total + later.steps, steps), shares }
}

/** Rounds in which the rates of all sources settle; each is an average of others and of what was seen. */
const rateRounds = 60

/**
 * The rate of each place. Of steps, those of sessions that meet the error later belong to it: to leave them out would
 * leave out long sessions. What they bought the error has changed, so each counts as buying at the rate of the place
 * where it was struck.
 */
function rateOf(sources: readonly Source[], mix: number): { rate: number; variance: number } {
  const parts = sources.map(({ weight, moments, atRisk, margin, onward }) => {
    // Where every session meets the error at some time, only steps before it are left to compare with.
    const ofShares = moments.shares > 0 ? mix / margin.shares : 0
    const ofSteps = (moments.shares > 0 ? 1 - mix : 1) / margin.steps
    const count = ({ steps, shares }: Exposure) => ofSteps * steps + ofShares * shares
    const all = count(atRisk)
    return {
      weight,
      seen: count({ steps: moments.stepsBought, shares: moments.sharesBought }) / all,
      own: count(moments) / all,
      onward: onward.map(({ source, steps }) => ({ source, share: count({ steps, shares: 0 }) / all })),
      // Of two correlated parts the deviations are added, which is the most that they can make together.
      spread:
        count({ steps: Math.sqrt(moments.stepsSquared), shares: Math.sqrt(moments.sharesSquared) }) /
        count(moments),
    }
  })
  let rates = parts.map(({ seen, own }) => seen / own)
  for (let round = 0; round < rateRounds; round += 1) {
    rates = parts.map(({ seen, onward }) => {
      let rate = seen
      for (const { source, share } of onward) rate += share * (rates[source] ?? 0)
      return rate
    })
  }
  const total = { rate: 0, variance: 0 }
  for (const [at, { weight, spread }] of parts.entries()) {
    const rate = Math.min(1, rates[at] ?? 0)
    total.rate += weight * rate
    total.variance += weight ** 2 * rate * (1 - rate) * spread ** 2
  }
  return total
}

/**
 * How likely it is that the error strikes sessions (1) rather than steps (0), by where within each margin it struck;
 * both are as likely as the other before anything is seen.
 */
function mixOf(hits: readonly Hits[], control: Control): { mix: number; variance: number } {
  const gain = placesOf(hits, control).reduce(
    (total, { sessions, bySteps, byShares }) => total + sessions * Math.log(byShares / bySteps),
    0,
  )
  const mix = 1 / (1 + Math.exp(-gain))
  return { mix, variance: mix * (1 - mix) }
}

function placesOf(hits: readonly Hits[], control: Control) {
  return [...Map.groupBy(hits, ({ cell }) => cell)].flatMap(([cell, own]) => {
    const [, cellKey, marginKey] = keysOf({ cell, stratum: '' })
    const [at, all] = [exposureOf(control, cellKey), exposureOf(control, marginKey)]
    if (at.steps <= 0 || at.shares <= 0) return []
    return [{ sessions: sessionsOf(own), bySteps: at.steps / all.steps, byShares: at.shares / all.shares }]
  })
}
