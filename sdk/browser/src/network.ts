/** The answer to one request; status 0 when there was none. */
export type Answer = {
  status: number
  /** How long the server asks to wait; 0 when it does not say. */
  waitMs: number
  results: readonly { outcome?: string; retryable?: boolean }[]
}

/** What the browser does for the queue, passed in so that the queue can be tested against any server. */
export type Network = {
  post: (url: string, body: string) => Promise<Answer>
  /** Hands a request over to the browser, which sends it even if the page goes; false when it does not take it. */
  beacon: (url: string, body: string) => boolean
  isOnline: () => boolean
}

const retryMsMin = 1_000
const retryFactor = 8
/** Five minutes. A server that asks for more would find the page gone. */
export const retryMsMax = 300_000

/**
 * A second, eight, 64, then five minutes, of which half is random, so that the visitors of a site do not all return
 * at once: with few requests allowed, they have to reach beyond the restart of a server.
 */
export function backOffMs(failures: number, randomId: string): number {
  const chance = Number(`0x${randomId.slice(0, 4)}`) / 0xffff
  return Math.min(retryMsMax, retryMsMin * retryFactor ** (failures - 1)) * (0.5 + chance / 2)
}
