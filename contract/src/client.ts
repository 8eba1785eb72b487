import type { ProblemBody } from './problems.ts'
import type { CallInput, Output, RouteShape } from './route.ts'

/** The server refused: one class for every problem, with the fields of RFC 7807. */
export class ApiProblem extends Error {
  readonly type: string
  readonly status: number
  readonly instance: string
  readonly detail: string
  readonly body: ProblemBody

  constructor(body: ProblemBody) {
    super(`${body.title}: ${body.detail}`)
    this.name = 'ApiProblem'
    this.type = body.type
    this.status = body.status
    this.instance = body.instance
    this.detail = body.detail
    this.body = body
  }
}

export type ClientOptions = {
  baseUrl: string
  /** An API key or an access token. */
  credential?: string
  fetch?: typeof fetch
  timeoutMs?: number
  /** Added to every request. */
  headers?: Readonly<Record<string, string>>
}

export type Client = { call: <R extends RouteShape>(route: R, input: CallInput<R>) => Promise<Output<R>> }

/** A typed client for any route of the table. Used by dashboard, CLI, MCP server and tests. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return {
    async call(route, input) {
      const response = await send(requestUrl(options.baseUrl, route, input), {
        method: route.method,
        headers: { ...options.headers, ...requestHeaders(options.credential, input) },
        ...('body' in input && { body: JSON.stringify(input.body) }),
        signal: AbortSignal.timeout(options.timeoutMs ?? 30_000),
      })
      const text = await response.text()
      if (!response.ok) throw new ApiProblem(readProblem(response.status, text))
      // boundary: the server filters its answers by the same schema that types this one.
      return (text === '' ? undefined : JSON.parse(text)) as never
    },
  }
}

function requestHeaders(credential: string | undefined, input: object): Record<string, string> {
  return {
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    ...('body' in input && { 'content-type': 'application/json' }),
  }
}

export function requestUrl(baseUrl: string, route: RouteShape, input: object): string {
  const params = 'params' in input ? Object(input.params) : {}
  const path = route.path.replace(/:([A-Za-z_]+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries('query' in input ? Object(input.query) : {})) {
    if (value !== undefined) query.set(name, String(value))
  }
  const search = query.size > 0 ? `?${query}` : ''
  return `${baseUrl.replace(/\/$/, '')}${path}${search}`
}

/** A proxy may answer with anything, so other bodies are converted. */
function readProblem(status: number, text: string): ProblemBody {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'type' in body && 'title' in body && 'status' in body) {
      // boundary: checked just above to be a problem body of our server.
      return body as ProblemBody
    }
  } catch {
    // Not JSON: passed to the caller below as text.
  }
  return { type: 'about:blank', title: `HTTP ${status}`, status, detail: text.slice(0, 200), instance: '' }
}
