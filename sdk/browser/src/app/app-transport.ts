import { type Answer, readWaitMs } from '../delivery/network.ts'

/** Longer than the server needs for its largest batch; a connection that hangs longer is dead. */
const timeoutMs = 20_000

const noAnswer: Answer = { status: 0, waitMs: 0, results: [] }

/** What is used of an answer. */
type AppAnswer = {
  status: number
  ok: boolean
  headers: { get: (name: string) => string | null }
  text: () => Promise<string>
}

/** What is used of `fetch`, without types that only browsers have. */
export type AppFetch = (
  url: string,
  init: { method: string; body: string; credentials: 'omit' },
) => Promise<AppAnswer>

/** As the page sends, without what only pages have: no beacon, no keepalive, a time-out of our own. */
export function createPost(send: AppFetch) {
  return async (url: string, body: string): Promise<Answer> => {
    const control = typeof AbortController === 'undefined' ? undefined : new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<Answer>((resolve) => {
      timer = setTimeout(() => {
        control?.abort()
        resolve(noAnswer)
      }, timeoutMs)
    })
    try {
      return await Promise.race([request(send, url, body, control?.signal), late])
    } catch {
      return noAnswer
    } finally {
      clearTimeout(timer)
    }
  }
}

async function request(send: AppFetch, url: string, body: string, signal?: AbortSignal): Promise<Answer> {
  const init = { method: 'POST', body, credentials: 'omit', ...(signal && { signal }) } as const
  const answer = await send(url, init)
  // A truncated answer counts as none: the call is repeated, and the server detects the duplicate ids.
  const text = await answer.text()
  return {
    status: answer.status,
    waitMs: readWaitMs(answer),
    // Another server may run at this URL, and answer anything.
    results: (answer.ok && text && Object(JSON.parse(text)).results) || [],
  }
}
