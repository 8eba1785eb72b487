import { type Answer, type Http, isWorthRetrying } from '../http.ts'
import type { Operations } from './golden/operations.ts'
import { operations } from './golden/operations.ts'

/** One function per route, by its operation id. */
export type Api = {
  [Id in keyof Operations]: Operations[Id]['input'] extends NoInput
    ? (input?: Operations[Id]['input'] & CallOptions) => Promise<Operations[Id]['output']>
    : (input: Operations[Id]['input'] & CallOptions) => Promise<Operations[Id]['output']>
}

type NoInput = Record<string, never>

type CallOptions = {
  /** Idempotent reads are retried when that can help; 0 turns that off. */
  retries?: number
  headers?: Readonly<Record<string, string>>
}

type AnyInput = CallOptions & { params?: object; query?: object; body?: unknown }

const retriesUsual = 2
/** Used if the server does not say how long to wait. */
const pauseMs = 500

export function createApi(data: Http, control: Http): Api {
  const calls = Object.entries(operations).map(([id, [plane, method, path]]) => [
    id,
    (input: AnyInput = {}) => call(plane === 'data' ? data : control, method, path, input),
  ])
  // boundary: one generator writes both the types and the table that this is built from.
  return Object.fromEntries(calls) as Api
}

async function call(http: Http, method: string, path: string, input: AnyInput): Promise<unknown> {
  const body = input.body === undefined ? undefined : JSON.stringify(input.body)
  const retries = method === 'GET' ? (input.retries ?? retriesUsual) : 0
  for (let attempt = 0; ; attempt++) {
    const answer: Answer = await http(method, addressOf(path, input), body, input.headers)
    if (answer.ok) return answer.body
    if (attempt >= retries || !isWorthRetrying(answer.problem)) throw answer.problem
    const ms = answer.problem.retryAfterMs ?? pauseMs * 2 ** attempt
    await new Promise((resolve) => setTimeout(resolve, ms))
  }
}

function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const address = path.replace(/:([A-Za-z_]+)/g, (_, name: string) =>
    encodeURIComponent(String(Reflect.get(params, name))),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? address : `${address}?${text}`
}

type Page = { data: readonly unknown[]; nextCursor?: string | null; next_cursor?: string | null }

/** All items of a list, page by page: `for await (const site of everyItem(client.api.listSites, {}))`. */
export async function* everyItem<Input extends { query?: object }, Item>(
  list: (input: Input) => Promise<{ data: readonly Item[] }>,
  input: Input,
): AsyncGenerator<Item> {
  let cursor: string | null | undefined
  do {
    const query = { ...input.query, ...(cursor && { cursor }) }
    const page: Page & { data: readonly Item[] } = await list({ ...input, query })
    yield* page.data
    cursor = page.nextCursor ?? page.next_cursor
  } while (cursor)
}
