/** Wakes all that wait for the next change. */
export class ChangeSignal {
  // bounded: by the requests that wait for a load, and the loops of the loader.
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
