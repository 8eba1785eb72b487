/** The answer to one call; status 0 when there was none. */
export type Post = {
  status: number
  /** How long the server asks to wait; 0 when it does not say. */
  waitMs: number
  results: readonly { outcome?: string; retryable?: boolean }[]
}

/** Longer than the server takes for its largest batch; a connection that hangs longer is a dead one. */
const timeoutMs = 20_000
/** A server that asks for more would find the page gone. */
const waitMsMax = 300_000

/**
 * Text without a header of ours: a browser sends such a call to another origin at once, where any other would need
 * a question before it. The key stands in the body for the same reason.
 */
export async function post(url: string, body: string): Promise<Post> {
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
    const waitMs = Math.min(waitMsMax, 1000 * (Number(answer.headers.get('retry-after')) || 0))
    // An answer that breaks off is no answer: the call is repeated, and the server knows it by its ids.
    const text = await answer.text()
    return { status: answer.status, waitMs, results: answer.ok && text ? readResults(JSON.parse(text)) : [] }
  } catch {
    return { status: 0, waitMs: 0, results: [] }
  }
}

function readResults(answer: { results?: Post['results'] }): Post['results'] {
  return Array.isArray(answer.results) ? answer.results : []
}
