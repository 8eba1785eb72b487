import { setTimeout as wait } from 'node:timers/promises'

/** How a node leaves: it says so first, and continues to answer until those who send requests had time to notice. */
export type Draining = {
  readonly isOn: boolean
  /** Resolves when the time is over, or at the second call, which ends it early. */
  begin: (ms: number) => Promise<void>
}

export function createDraining(): Draining {
  const hurried = new AbortController()
  let isOn = false
  return {
    get isOn() {
      return isOn
    },
    async begin(ms) {
      if (isOn) hurried.abort()
      isOn = true
      if (ms > 0) await wait(ms, undefined, { signal: hurried.signal }).catch(() => {})
    },
  }
}
