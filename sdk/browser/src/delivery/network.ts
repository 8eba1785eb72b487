/** The answer to one request; status 0 when there was none. */
export type Answer = {
  status: number
  /** How long the server asks to wait; 0 if it does not say. */
  waitMs: number
  results: readonly { outcome?: string; retryable?: boolean }[]
}

/** Browser functions used by the queue, passed in so that the queue can be tested against any server. */
export type Network = {
  post: (url: string, body: string) => Promise<Answer>
  /** Hands a request over to the browser, which sends it even if the page is closed; false if it refuses. */
  beacon: (url: string, body: string) => boolean
  isOnline: () => boolean
}

const retryMsMin = 1_000
const retryFactor = 8
/** Five minutes. By then most pages are closed. */
const retryMsMax = 300_000

/**
 * 1 s, 8 s, 64 s, then five minutes, half of it random, so that visitors of a site do not all return at once.
 * The steps are large because the few allowed requests have to outlast a server restart.
 */
export function backOffMs(failures: number, randomId: string): number {
  const chance = Number(`0x${randomId.slice(0, 4)}`) / 0xffff
  return Math.min(retryMsMax, retryMsMin * retryFactor ** (failures - 1)) * (0.5 + chance / 2)
}

export function readWaitMs({ headers }: { headers: { get: (name: string) => string | null } }): number {
  return Math.min(retryMsMax, 1000 * (Number(headers.get('retry-after')) || 0))
}
