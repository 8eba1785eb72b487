import { type ApiProblem, readProblem, unreachable } from './problem.ts'

/** The part of `fetch` that is needed, so that any run time's or a test's can be passed. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<{
  status: number
  ok: boolean
  headers: { get: (name: string) => string | null }
  text: () => Promise<string>
}>

export type Answer = { ok: true; status: number; body: unknown } | { ok: false; problem: ApiProblem }

export type Http = (
  method: string,
  path: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

type HttpOptions = {
  url: string
  key: string
  fetch?: Fetch | undefined
  timeoutMs: number
  /** Aborts calls in flight, so that a hanging call does not keep the process alive. */
  signal?: AbortSignal
}

/** One call that never throws: failures are part of the result. */
export function createHttp({ url, key, fetch: send = usualFetch, timeoutMs, signal }: HttpOptions): Http {
  const base = url.replace(/\/+$/, '')
  return async (method, path, body, headers) => {
    try {
      const response = await send(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal: either(AbortSignal.timeout(timeoutMs), signal),
      })
      const text = await response.text()
      if (!response.ok) {
        return { ok: false, problem: readProblem(response.status, text, response.headers.get('retry-after')) }
      }
      const parsed: unknown = text === '' ? undefined : JSON.parse(text)
      return { ok: true, status: response.status, body: parsed }
    } catch (cause) {
      return { ok: false, problem: unreachable(cause) }
    }
  }
}

/** The first releases of Node 20 cannot combine signals; there a call ends by its time-out only. */
function either(timeout: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other !== undefined && 'any' in AbortSignal ? AbortSignal.any([timeout, other]) : timeout
}

/** Edge run times need it called by its own name. */
const usualFetch: Fetch = (url, init) => fetch(url, init)

/** Whether a retry may succeed: no answer, rate limit, or a server error. */
export function isWorthRetrying({ status }: ApiProblem): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}
