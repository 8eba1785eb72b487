/**
 * `windowFunnel` where every event is at most one step, and others do not matter: without a list for each path. It is
 * used for one subject after another, and its times hold until the next.
 */
export class PlainWalk {
  /** How many steps were taken, and when. */
  level = 0
  readonly times: Float64Array
  readonly #steps: number
  readonly #windowMs: number
  /** When the latest path to each step took its steps: a row for each step. */
  readonly #taken: Float64Array
  readonly #isTaken: Uint8Array

  constructor(steps: number, windowMs: number) {
    this.times = new Float64Array(steps)
    this.#steps = steps
    this.#windowMs = windowMs
    this.#taken = new Float64Array(steps * steps)
    this.#isTaken = new Uint8Array(steps)
  }

  begin(): void {
    this.level = 0
    this.#isTaken.fill(0)
  }

  /** In the order of time; true once all steps are taken. */
  take(step: number, atMs: number): boolean {
    const own = step * this.#steps
    if (step > 0) {
      const before = own - this.#steps
      if (this.#isTaken[step - 1] === 0 || atMs > (this.#taken[before] ?? 0) + this.#windowMs) return false
      for (let earlier = 0; earlier < step; earlier += 1)
        this.#taken[own + earlier] = this.#taken[before + earlier] ?? 0
    }
    this.#taken[own + step] = atMs
    this.#isTaken[step] = 1
    if (step < this.level) return false
    this.level = step + 1
    for (let place = 0; place <= step; place += 1) this.times[place] = this.#taken[own + place] ?? 0
    return this.level === this.#steps
  }
}
