import { medianOf } from '../statistics.ts'

/** Sessions that took the same first steps. */
type Way = {
  steps: readonly number[]
  sessions: number
  /** Of those, without a further step, and with a conversion. */
  ended: number
  converted: number
  medianMs: number | null
}

const root = 0

/**
 * Counts sessions by their first steps, as a tree of numbers: text for the steps of each of a hundred thousand
 * sessions takes longer than everything else.
 */
export class WayTree {
  readonly #nodeCount: number
  // bounded: by the steps of one read.
  /** A place in the tree by the place before it and the step from there. */
  readonly #places = new Map<number, number>()
  readonly #before: number[] = [-1]
  readonly #step: number[] = [-1]
  readonly #sessions: number[] = [0]
  readonly #ended: number[] = [0]
  readonly #converted: number[] = [0]
  /** Of each session: where it ended in the tree, and how long that took. */
  readonly #endOf: Int32Array
  readonly #tookMs: Float64Array
  #size = 0

  constructor(nodeCount: number, sessionsMax: number) {
    this.#nodeCount = nodeCount
    this.#endOf = new Int32Array(sessionsMax)
    this.#tookMs = new Float64Array(sessionsMax)
  }

  get sessions(): number {
    return this.#size
  }

  /** The place that a step leads to, from the last one or from nowhere. */
  follow(last: number | undefined, step: number): number {
    const place = last ?? root
    const key = place * this.#nodeCount + step
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const next = this.#before.push(place) - 1
    this.#step.push(step)
    for (const counts of [this.#sessions, this.#ended, this.#converted]) counts.push(0)
    this.#places.set(key, next)
    return next
  }

  add(place: number, { tookMs, hasEnded, isConverted }: TakenWay): void {
    this.#endOf[this.#size] = place
    this.#tookMs[this.#size] = tookMs
    this.#size += 1
    this.#sessions[place] = (this.#sessions[place] ?? 0) + 1
    if (hasEnded) this.#ended[place] = (this.#ended[place] ?? 0) + 1
    if (isConverted) this.#converted[place] = (this.#converted[place] ?? 0) + 1
  }

  /** The ways of most sessions; of as many, in the order of their steps as text. */
  mostCommon(limit: number): Way[] {
    const counts = this.#sessions.filter((count) => count > 0).sort((a, b) => b - a)
    const least = counts[Math.min(limit, counts.length) - 1] ?? 1
    const found = this.#sessions.flatMap((sessions, place) =>
      sessions >= least ? [{ place, sessions, steps: this.#stepsTo(place) }] : [],
    )
    const sorted = found
      .map((way) => ({ ...way, text: way.steps.join(' ') }))
      .sort((a, b) => b.sessions - a.sessions || (a.text < b.text ? -1 : 1))
      .slice(0, limit)
    const times = this.#timesOf(new Set(sorted.map(({ place }) => place)))
    return sorted.map(({ place, sessions, steps }) => ({
      steps,
      sessions,
      ended: this.#ended[place] ?? 0,
      converted: this.#converted[place] ?? 0,
      medianMs: medianOf(times.get(place) ?? []),
    }))
  }

  #stepsTo(place: number): number[] {
    const steps: number[] = []
    for (let at = place; at !== root; at = this.#before[at] ?? root) steps.push(this.#step[at] ?? 0)
    return steps.reverse()
  }

  #timesOf(wanted: ReadonlySet<number>): Map<number, number[]> {
    const times = new Map<number, number[]>()
    for (const place of wanted) times.set(place, [])
    for (let session = 0; session < this.#size; session += 1) {
      times.get(this.#endOf[session] ?? root)?.push(this.#tookMs[session] ?? 0)
    }
    return times
  }
}

type TakenWay = { tookMs: number; hasEnded: boolean; isConverted: boolean }
