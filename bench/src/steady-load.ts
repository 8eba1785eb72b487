import { connect, type Socket } from 'node:net'
import { readAnswer } from './load.ts'
import { Samples } from './statistics.ts'

type SteadyLoad = {
  readonly port: number
  readonly connections: number
  readonly requestsPerSecond: number
  readonly forMs: number
  readonly next: (connection: number) => Buffer
  readonly onAnswer: (status: number, body: Buffer) => void
}

type SteadyResult = {
  readonly requests: number
  /** From the time a request was due, not from when a connection was free: waiting behind a slow answer counts. */
  readonly latencyMs: Samples
  /** The request that began latest after it was due: far more than a beat says that the rate was not kept. */
  readonly latestMs: number
}

const beatMs = 5
const samplesMax = 1 << 22

/** The same number of requests every second, however long the answers take, until the time is over. */
export async function runSteadily(load: SteadyLoad): Promise<SteadyResult> {
  const latencyMs = new Samples(samplesMax)
  const total = Math.floor((load.forMs * load.requestsPerSecond) / 1000)
  const startedMs = performance.now()
  const dueMs = (request: number) => startedMs + (request * 1000) / load.requestsPerSecond
  let begun = 0
  let latestMs = 0
  const takeDue = (): number | null => {
    const nowMs = performance.now()
    if (begun >= total || dueMs(begun) > nowMs) return null
    latestMs = Math.max(latestMs, nowMs - dueMs(begun))
    begun += 1
    return dueMs(begun - 1)
  }
  const answered = (status: number, body: Buffer, sinceMs: number) => {
    latencyMs.add(performance.now() - sinceMs)
    load.onAnswer(status, body)
  }
  const lines = Array.from({ length: load.connections }, (_, index) =>
    openLine(load.port, () => load.next(index), takeDue, answered),
  )
  const failed = Promise.all(lines.map(({ failure }) => failure))
  const beat = setInterval(() => {
    for (const line of lines) line.wake()
  }, beatMs)
  const isOver = new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (latencyMs.count < total) return
      clearInterval(look)
      resolve()
    }, beatMs)
    failed.catch(() => clearInterval(look))
  })
  try {
    await Promise.race([isOver, failed])
  } finally {
    clearInterval(beat)
    for (const line of lines) line.end()
  }
  return { requests: latencyMs.count, latencyMs, latestMs }
}

type Line = { readonly wake: () => void; readonly end: () => void; readonly failure: Promise<never> }

/** A keep-alive connection with one request under way at most. If the server closes an idle one, it is opened again. */
function openLine(
  port: number,
  next: () => Buffer,
  takeDue: () => number | null,
  answered: (status: number, body: Buffer, sinceMs: number) => void,
): Line {
  let socket: Socket | null = null
  let sinceMs: number | null = null
  let pending: Buffer | null = null
  const failure = Promise.withResolvers<never>()
  const wake = () => {
    if (sinceMs !== null) return
    sinceMs = takeDue()
    if (sinceMs === null) return
    socket ??= open()
    socket.write(next())
  }
  const open = () => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    opened.on('error', failure.reject)
    opened.on('close', () => {
      socket = null
      if (sinceMs !== null) failure.reject(new Error('the server closed a connection under load'))
    })
    opened.on('data', (chunk) => {
      const received = pending === null ? chunk : Buffer.concat([pending, chunk])
      const answer = readAnswer(received)
      pending = answer === null ? received : null
      if (answer === null || sinceMs === null) return
      answered(answer.status, answer.body, sinceMs)
      sinceMs = null
      wake()
    })
    return opened
  }
  const end = () => {
    socket?.removeAllListeners('close')
    socket?.end()
  }
  return { wake, end, failure: failure.promise }
}
