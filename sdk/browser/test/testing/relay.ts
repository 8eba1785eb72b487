import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** `status` is what the product answered, once it has. */
export type Seen = { path: string; body: Record<string, unknown>; status?: number }

/** A network between page and product that can fail, and that records what passes. */
export type Relay = {
  url: string
  /** Every JSON call of the page, also those that failed. */
  seen: Seen[]
  /** Every request except those for scripts, as the network saw it: method and path. */
  requests: string[]
  /**
   * `up` forwards, `down` closes the connection, `hang` never answers, `opaque` answers without CORS headers;
   * a number is answered instead of the product. Scripts are always forwarded.
   */
  state: 'up' | 'down' | 'hang' | 'opaque' | number
  close: () => Promise<void>
}

export async function openRelay(productUrl: string): Promise<Relay> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const isScript = /\.js$/.test(request.url ?? '')
    if (!isScript) relay.requests.push(`${request.method} ${request.url}`)
    const call: Seen = { path: request.url ?? '', body: {} }
    if (request.method === 'POST' && request.headers['content-encoding'] === undefined) {
      call.body = JSON.parse(body.toString())
      relay.seen.push(call)
    }
    if (!isScript && relay.state !== 'up') return answerFor(relay.state, response)
    const answer = await fetch(productUrl + request.url, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(request.method === 'POST' && { body: new Uint8Array(body) }),
    })
    call.status = answer.status
    const headers = [...answer.headers].filter(
      ([name]) => !/^(?:content-(?:encoding|length)|connection)$/.test(name),
    )
    response.writeHead(answer.status, Object.fromEntries(headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const relay: Relay = {
    url: `http://127.0.0.1:${port}`,
    seen: [],
    requests: [],
    state: 'up',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return relay
}

function answerFor(state: Exclude<Relay['state'], 'up'>, response: ServerResponse): void {
  if (state === 'hang') return
  if (state === 'down') return void response.destroy()
  if (state === 'opaque') return void response.writeHead(200).end('{}')
  const allowed = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  response.writeHead(state, {
    ...allowed,
    'access-control-expose-headers': 'retry-after',
    'retry-after': '1',
  })
  response.end()
}

/** As sent, without connection headers. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length)$/.test(name))
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}
