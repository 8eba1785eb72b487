/** Wakes all that wait for the next change. */
export class ChangeSignal {
  // bounded: by the requests and loops that wait, each for one change at a time.
  #watchers = new Set<() => void>()

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add(resolve)
    })
  }

  notify(): void {
    const watchers = this.#watchers
    this.#watchers = new Set()
    for (const wake of watchers) wake()
  }
}
