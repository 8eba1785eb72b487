import { type Answer, type Network, readWaitMs } from './network.ts'

/** Longer than the server needs for its largest batch; a connection that hangs longer is dead. */
const timeoutMs = 20_000

export const network: Network = {
  post,
  beacon: (url, body) => navigator.sendBeacon(url, body),
  isOnline: () => navigator.onLine,
}

/**
 * Plain text without custom headers: a browser sends such a cross-origin call without a preflight request.
 * The key is in the body for the same reason.
 */
async function post(url: string, body: string): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      credentials: 'omit',
      // The call outlives the page. Bodies stay within the browsers' limit for it.
      keepalive: true,
      // Browsers before 2022 do not support it; they have their own time-outs.
      signal: AbortSignal.timeout?.(timeoutMs) ?? null,
    })
    // A truncated answer counts as none: the call is repeated, and the server detects the duplicate ids.
    const text = await answer.text()
    return {
      status: answer.status,
      waitMs: readWaitMs(answer),
      // Another server may run at this URL, and answer anything.
      results: (answer.ok && text && Object(JSON.parse(text)).results) || [],
    }
  } catch {
    return { status: 0, waitMs: 0, results: [] }
  }
}
