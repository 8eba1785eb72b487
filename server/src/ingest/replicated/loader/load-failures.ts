const retryMsFirst = 100
const retryMsMax = 5_000

type Attempt = { failures: number; notBeforeMs: number }

type FailureOptions = {
  onFailure: (error: Error, partition: number) => void
  /** After a failure, once no partition has one. */
  onRecovered: () => void
}

/** Which partitions could not be loaded, when each is tried again, and why the last one failed. */
export class LoadFailures {
  latest: Error | null = null
  readonly #options: FailureOptions
  // bounded: by the partitions of the log.
  readonly #attempts = new Map<number, Attempt>()

  constructor(options: FailureOptions) {
    this.#options = options
  }

  isDue(partition: number): boolean {
    return (this.#attempts.get(partition)?.notBeforeMs ?? 0) <= performance.now()
  }

  putOff(partition: number, error: unknown): void {
    const failures = (this.#attempts.get(partition)?.failures ?? 0) + 1
    const delayMs = Math.min(retryMsFirst * 2 ** (failures - 1), retryMsMax)
    this.#attempts.set(partition, { failures, notBeforeMs: performance.now() + delayMs })
    this.report(error, partition)
  }

  /** It was loaded, or another node has it. */
  forget(partition: number): void {
    this.#attempts.delete(partition)
  }

  /** Of a partition, or -1 where it concerns all. */
  report(error: unknown, partition: number): void {
    this.latest = error instanceof Error ? error : new Error(String(error))
    this.#options.onFailure(this.latest, partition)
  }

  /** Unless a partition still waits to be tried again. */
  recover(): void {
    if (this.#attempts.size > 0 || this.latest === null) return
    this.latest = null
    this.#options.onRecovered()
  }
}
