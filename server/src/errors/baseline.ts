import { marginOf } from './landmark.ts'

/**
 * Sessions that stood in one cell without the error so far. A session counts there by its steps (an error that may
 * strike at any step finds it so often), and by the share of all its steps (an error that strikes a session once, at
 * any of its steps, finds it so often). All may still buy, and `Bought` are those that do.
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
  /** Of sessions that met the error afterwards. */
  stepsLater: number
  stepsBoughtLater: number
  sharesLater: number
  sharesBoughtLater: number
}

export const noMoments: Moments = {
  sessions: 0,
  steps: 0,
  stepsBought: 0,
  stepsSquared: 0,
  shares: 0,
  sharesBought: 0,
  sharesSquared: 0,
  stepsLater: 0,
  stepsBoughtLater: 0,
  sharesLater: 0,
  sharesBoughtLater: 0,
}

export function addMoments(a: Moments, b: Moments, sign = 1): Moments {
  const added = (key: keyof Moments) => a[key] + sign * b[key]
  return {
    sessions: added('sessions'),
    steps: added('steps'),
    stepsBought: added('stepsBought'),
    stepsSquared: added('stepsSquared'),
    shares: added('shares'),
    sharesBought: added('sharesBought'),
    sharesSquared: added('sharesSquared'),
    stepsLater: added('stepsLater'),
    stepsBoughtLater: added('stepsBoughtLater'),
    sharesLater: added('sharesLater'),
    sharesBoughtLater: added('sharesBoughtLater'),
  }
}

export type Placed = { cell: number; stratum: string }

/** Moments by cell and stratum, by cell, and by margin: what is too small is taken with what is like it. */
export class MomentTable {
  private readonly byKey = new Map<string, Moments>()

  add({ cell, stratum }: Placed, moments: Moments): void {
    for (const key of keysOf(cell, stratum)) {
      const known = this.byKey.get(key)
      this.byKey.set(key, known === undefined ? moments : addMoments(known, moments))
    }
  }

  get(key: string): Moments {
    return this.byKey.get(key) ?? noMoments
  }
}

function keysOf(cell: number, stratum: string): [string, string, string] {
  return [`${cell} ${stratum}`, `${cell}`, `of ${marginOf(cell)}`]
}

/** A stratum or cell with fewer sessions tells less than a larger one that holds it does (algorithms §5.1). */
const sessionsMin = 50

export type Hits = Placed & { sessions: number }

type Source = { weight: number; moments: Moments; margin: Moments }

export type Baseline = {
  rate: number
  /** How much of it is of sessions that met the error afterwards: of all that count, and of those that bought. */
  shareLater: number
  rateLater: number
  variance: number
  /** Sessions that it rests on, of the cells that were taken. */
  sessions: number
}

/**
 * Which share of sessions would have bought that stand where the affected ones were struck. Whether an error strikes
 * steps or sessions cannot be known beforehand, and decides how often long sessions are met: it is read off where in
 * their sessions the affected ones were struck, which does not depend on what they did afterwards.
 */
export function baselineOf(hits: readonly Hits[], control: (key: string) => Moments): Baseline {
  const affected = hits.reduce((total, { sessions }) => total + sessions, 0)
  const sources = sourcesOf(hits, affected, control)
  const { mix, variance } = mixOf(hits, control)
  const chosen = rateOf(sources, mix)
  const slope = rateOf(sources, 1).rate - rateOf(sources, 0).rate
  return {
    ...chosen,
    variance: chosen.variance + slope ** 2 * variance,
    sessions: sources.reduce((total, { moments }) => total + moments.sessions, 0),
  }
}

function sourcesOf(hits: readonly Hits[], affected: number, control: (key: string) => Moments): Source[] {
  const sources = new Map<string, Source>()
  for (const { cell, stratum, sessions } of hits) {
    const keys = keysOf(cell, stratum)
    const key = keys.find((one) => control(one).sessions >= sessionsMin) ?? keys[2]
    const known = sources.get(key) ?? { weight: 0, moments: control(key), margin: control(keys[2]) }
    sources.set(key, { ...known, weight: known.weight + sessions / affected })
  }
  return [...sources.values()].filter(({ moments }) => moments.steps > 0)
}

function rateOf(sources: readonly Source[], mix: number): Omit<Baseline, 'sessions'> {
  const total = { rate: 0, shareLater: 0, rateLater: 0, variance: 0 }
  for (const { weight, moments, margin } of sources) {
    const [perStep, perShare] = [(1 - mix) / margin.steps, mix / margin.shares]
    const whole = perStep * moments.steps + perShare * moments.shares
    const rate = (perStep * moments.stepsBought + perShare * moments.sharesBought) / whole
    // Of two correlated parts the deviations are added, which is the most that they can make together.
    const spread =
      (perStep * Math.sqrt(moments.stepsSquared) + perShare * Math.sqrt(moments.sharesSquared)) / whole
    total.rate += weight * rate
    total.shareLater += (weight * (perStep * moments.stepsLater + perShare * moments.sharesLater)) / whole
    total.rateLater +=
      (weight * (perStep * moments.stepsBoughtLater + perShare * moments.sharesBoughtLater)) / whole
    total.variance += weight ** 2 * rate * (1 - rate) * spread ** 2
  }
  return total
}

/** Bisections; the last is far below what the variance can tell. */
const mixRounds = 30

/**
 * How much of both ways of striking there is: 0 steps, 1 sessions. The likeliest mixture by the positions within each
 * margin, and its variance by the curvature of the likelihood, which is concave.
 */
function mixOf(hits: readonly Hits[], control: (key: string) => Moments): { mix: number; variance: number } {
  const places = placesOf(hits, control)
  const slopeAt = (mix: number) =>
    places.reduce((total, { sessions, bySteps, byShares }) => {
      return total + (sessions * (byShares - bySteps)) / ((1 - mix) * bySteps + mix * byShares)
    }, 0)
  const mix = rootOf(slopeAt)
  const information = places.reduce((total, { sessions, bySteps, byShares }) => {
    return total + sessions * ((byShares - bySteps) / ((1 - mix) * bySteps + mix * byShares)) ** 2
  }, 0)
  // Nothing is known of a share without information but that it lies between 0 and 1, evenly.
  return { mix, variance: Math.min(1 / 12, 1 / information) }
}

function placesOf(hits: readonly Hits[], control: (key: string) => Moments) {
  return [...Map.groupBy(hits, ({ cell }) => cell)].flatMap(([cell, own]) => {
    const [, cellKey, marginKey] = keysOf(cell, '')
    const [at, all] = [control(cellKey), control(marginKey)]
    if (at.steps <= 0 || at.shares <= 0) return []
    const sessions = own.reduce((total, hit) => total + hit.sessions, 0)
    return [{ sessions, bySteps: at.steps / all.steps, byShares: at.shares / all.shares }]
  })
}

function rootOf(slopeAt: (mix: number) => number): number {
  if (slopeAt(0) <= 0) return 0
  if (slopeAt(1) >= 0) return 1
  let [low, high] = [0, 1]
  for (let round = 0; round < mixRounds; round += 1) {
    const middle = (low + high) / 2
    if (slopeAt(middle) > 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}
