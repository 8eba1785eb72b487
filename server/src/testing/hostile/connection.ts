import { Agent, request as httpRequest } from 'node:http'
import type { HostileRequest } from './request.ts'

export type Reply = {
  status: number
  contentType: string
  /** The whole answer. */
  text: string
  bytes: number
  ms: number
}

type RawRequest = {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | undefined
  credential: string
}

/** Keeps connections open, so that a request costs no handshake; an answer that never comes is status 0. */
export type Connection = {
  send: (request: HostileRequest, credential: string) => Promise<Reply>
  raw: (request: RawRequest) => Promise<Reply>
  close: () => void
}

/** Longer than any documented wait: what has not answered by then hangs. */
export const hangMs = 60_000

export function connect(url: string, connections: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const { hostname, port } = new URL(url)

  function raw({ method, path, headers, body, credential }: RawRequest): Promise<Reply> {
    const begunAt = performance.now()
    return new Promise((resolve) => {
      const end = (status: number, contentType: string, text: string, bytes: number) =>
        resolve({ status, contentType, text, bytes, ms: performance.now() - begunAt })
      const authorization = credential === '' ? {} : { authorization: `Bearer ${credential}` }
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const options = { agent, hostname, port, method, path, timeout: hangMs }
      const outgoing = httpRequest(
        { ...options, headers: { ...length, ...authorization, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => {
            const whole = Buffer.concat(chunks)
            end(answer.statusCode ?? 0, answer.headers['content-type'] ?? '', whole.toString(), whole.length)
          })
          answer.on('error', (error) => end(0, '', `broken answer: ${error.message}`, 0))
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${hangMs} ms`)))
      outgoing.on('error', (error) => end(0, '', error.message, 0))
      outgoing.end(body)
    })
  }

  return {
    raw,
    send: ({ route, path, headers, body }, credential) =>
      raw({ method: route.method, path, headers, body, credential }),
    close: () => agent.destroy(),
  }
}
