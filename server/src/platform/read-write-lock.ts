/** Read-write lock: shared users run concurrently, an exclusive one runs alone. */
export class Gate {
  #inside = 0
  #isClosed = false
  #changes: (() => void)[] = []

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#isClosed) await this.#change()
    this.#inside++
    try {
      return await work()
    } finally {
      this.#inside--
      this.wake()
    }
  }

  /** Waits until all shared users have left; new ones wait. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#isClosed) await this.#change()
    this.#isClosed = true
    try {
      while (this.#inside > 0) await this.#change()
      return await work()
    } finally {
      this.#isClosed = false
      this.wake()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changes.push(resolve))
  }

  wake(): void {
    for (const resolve of this.#changes.splice(0)) resolve()
  }
}
