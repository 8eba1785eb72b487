import { useSyncExternalStore } from 'react'

/** How the page stands with the server: reached, out of reach, or reached and no longer signed in. */
type Standing = 'reached' | 'unreachable' | 'signedOut'

let standing: Standing = 'reached'
const listeners = new Set<() => void>()

export function setStanding(next: Standing): void {
  if (next === standing) return
  standing = next
  for (const notify of listeners) notify()
}

export const readStanding = (): Standing => standing

export function useStanding(): Standing {
  return useSyncExternalStore((notify) => {
    listeners.add(notify)
    return () => listeners.delete(notify)
  }, readStanding)
}

/** No answer, or only one from a proxy. */
export class Unreachable extends Error {
  constructor(cause?: unknown) {
    super('The server cannot be reached', { cause })
    this.name = 'Unreachable'
  }
}
