import { connect, type Socket } from 'node:net'
import { Samples } from './statistics.ts'

/**
 * Keep-alive HTTP/1.1 over bare sockets, one request in flight a connection. It shares the machine with the
 * server it loads, so it does nothing but write prepared bytes and find the end of the answer. Rounds end by
 * finishing what is in flight, so that what was acknowledged is known exactly.
 */
export type Load = {
  readonly port: number
  readonly connections: number
  /** The next request of a connection, whole with its head; null ends that connection's part. */
  readonly next: (connection: number) => Buffer | null
  /** Sees every answer. The body is only valid during the call. */
  readonly onAnswer?: (status: number, body: Buffer, connection: number) => void
  /** No request begins after this many milliseconds. */
  readonly forMs: number
}

export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  readonly statuses: ReadonlyMap<number, number>
  readonly latencyMs: Samples
}

/** An answer that takes longer than this is taken for lost, and the run fails. */
const answerTimeoutMs = 60_000
const latencySamplesMax = 1 << 20

export function httpRequest(path: string, headers: Readonly<Record<string, string>>, body: Buffer): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', 'content-type': 'application/json', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n`),
    body,
  ])
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const statuses = new Map<number, number>()
  const latencyMs = new Samples(latencySamplesMax)
  const startedMs = performance.now()
  const deadlineMs = startedMs + load.forMs
  const parts = Array.from({ length: load.connections }, (_, index) => {
    const next = () => (performance.now() < deadlineMs ? load.next(index) : null)
    return runConnection(load.port, next, (status, body, tookMs) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      latencyMs.add(tookMs)
      load.onAnswer?.(status, body, index)
    })
  })
  await Promise.all(parts)
  const seconds = (performance.now() - startedMs) / 1000
  return { requests: latencyMs.count, seconds, statuses, latencyMs }
}

function runConnection(
  port: number,
  next: () => Buffer | null,
  answered: (status: number, body: Buffer, tookMs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let pending: Buffer | null = null
    let sentMs = 0
    const send = () => {
      const request = next()
      if (request === null) return finish(socket, resolve)
      sentMs = performance.now()
      socket.write(request)
    }
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('no answer in time')))
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection under load')))
    socket.on('data', (chunk) => {
      const received = pending === null ? chunk : Buffer.concat([pending, chunk])
      const answer = readAnswer(received)
      if (answer === null) {
        pending = received
        return
      }
      pending = null
      answered(answer.status, answer.body, performance.now() - sentMs)
      send()
    })
  })
}

function finish(socket: Socket, resolve: () => void): void {
  socket.removeAllListeners('close')
  socket.end()
  resolve()
}

const headEnd = Buffer.from('\r\n\r\n')
const lengthName = 'content-length: '

/** Null while the answer is not complete. */
export function readAnswer(received: Buffer): { status: number; body: Buffer } | null {
  const end = received.indexOf(headEnd)
  if (end < 0) return null
  const head = received.toString('latin1', 0, end + 2)
  const lengthAt = head.toLowerCase().indexOf(lengthName)
  if (lengthAt < 0) throw new Error(`an answer without content-length: ${head}`)
  const length = Number.parseInt(head.slice(lengthAt + lengthName.length), 10)
  const bodyAt = end + headEnd.length
  if (received.length < bodyAt + length) return null
  // "HTTP/1.1 202": the status is the second word of the first line.
  return { status: Number(head.slice(9, 12)), body: received.subarray(bodyAt, bodyAt + length) }
}
