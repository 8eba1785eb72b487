import { type Answer, type Network, retryMsMax } from './network.ts'

/** Longer than the server takes for its largest batch; a connection that hangs longer is a dead one. */
const timeoutMs = 20_000

export const network: Network = {
  post,
  beacon: (url, body) => navigator.sendBeacon(url, body),
  isOnline: () => navigator.onLine,
}

/**
 * Text without a header of ours: a browser sends such a call to another origin at once, where any other would need
 * a question before it. The key stands in the body for the same reason.
 */
async function post(url: string, body: string): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      credentials: 'omit',
      // The call outlives the page. Bodies are bounded to what browsers allow for it.
      keepalive: true,
      // Browsers before 2022 do not know it; they have time-outs of their own.
      signal: AbortSignal.timeout?.(timeoutMs) ?? null,
    })
    // An answer that breaks off is no answer: the call is repeated, and the server knows it by its ids.
    const text = await answer.text()
    return {
      status: answer.status,
      waitMs: readWaitMs(answer),
      // Other servers may stand at this address, and answer anything.
      results: (answer.ok && text && Object(JSON.parse(text)).results) || [],
    }
  } catch {
    return { status: 0, waitMs: 0, results: [] }
  }
}

export function readWaitMs({ headers }: Response): number {
  return Math.min(retryMsMax, 1000 * (Number(headers.get('retry-after')) || 0))
}
