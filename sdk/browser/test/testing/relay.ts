import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export type Seen = { path: string; body: Record<string, unknown> }

/** A network between page and product that can fail, and that remembers what went over it. */
export type Relay = {
  url: string
  /** Every call that the page made, also those that did not get through. */
  seen: Seen[]
  /** `up` passes on, `down` cuts the connection, a number is answered in the product's stead. */
  state: 'up' | 'down' | number
  close: () => Promise<void>
}

export async function openRelay(productUrl: string): Promise<Relay> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.method === 'POST') relay.seen.push({ path: request.url ?? '', body: JSON.parse(body) })
    if (relay.state === 'down') return void response.destroy()
    if (relay.state !== 'up') {
      const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' }
      response.writeHead(relay.state, { ...headers, 'retry-after': '1' })
      return void response.end()
    }
    const answer = await fetch(productUrl + request.url, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(request.method === 'POST' && { body }),
    })
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
    state: 'up',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return relay
}

/** As sent, but for what belongs to the connection itself. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length)$/.test(name))
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}
