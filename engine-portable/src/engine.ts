import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { FromEngine, Outcome, ToEngine, WorkerStart } from './protocol.ts'
import type { Statement } from './statement.ts'

/** The message of a refused statement, as the engine worded it. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
}

/** The engine itself broke down. The next statement finds it restarted. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
}

export interface PortableEngine {
  /** Statements run one at a time, in the order of their calls. */
  run(statement: Statement, signal?: AbortSignal): Promise<Outcome>
  /** Waits for what has been called, then stops the engine. */
  close(): Promise<void>
}

/** A statement that breaks the engine may be asked again and again; each restart costs seconds of a core. */
export interface RestartLimit {
  count: number
  windowMs: number
}
const usualLimit: RestartLimit = { count: 5, windowMs: 10 * 60_000 }

// At the 10 ms of a small statement, ten seconds of waiting; whoever waits longer is better refused.
const maximumWaiting = 1000

/**
 * The engine can address 2 GB and never gives any of it back, so it is started anew while there is still room for a
 * large statement. That takes some seconds, in which statements wait.
 */
const memoryBytesMax = 1.2 * 1024 ** 3

const cancelRepetitionMs = 50

// All others wait behind it. Past this it is cancelled, and past the grace its thread is ended: a thread of the engine
// that crashed while the statement waits for it leaves no other sign.
const maximumStatementMs = 10 * 60_000
const cancelGraceMs = 30_000

/**
 * The module has 158 MB, of which a run uses a part. Functions are checked when they are first called, not all at the
 * start; and they are compiled a second time, for speed, after 600 MB of work instead of 13. Most of a statement is the
 * planning of it, which that makes no faster, while a loop over a million rows is there within its first run. Measured:
 * the first 260 reads of a new engine take 40 s of processor time, with 60 MB 64 s; reads of a million rows the same.
 */
const engineFlags = ['--wasm-lazy-validation', '--wasm-tiering-budget=600000000']

interface Turn {
  statement: Statement
  signal: AbortSignal | undefined
  leave(): void
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

export async function startPortableEngine(
  start: WorkerStart,
  { onNotice, now }: { onNotice: (text: string) => void; now: () => number },
  limit = usualLimit,
  memoryMax = memoryBytesMax,
): Promise<PortableEngine> {
  const queue: Turn[] = []
  const restarts: number[] = []
  let thread: EngineThread | null = await startThread(start, onNotice)
  let draining: Promise<void> | null = null
  let isClosed = false

  async function liveThread(): Promise<EngineThread> {
    if (thread?.isAlive()) return thread.memoryBytes() < memoryMax ? thread : renew(thread)
    const since = now() - limit.windowMs
    while (restarts[0] !== undefined && restarts[0] < since) restarts.shift()
    if (restarts.length >= limit.count) {
      throw new EngineCrash(`The events engine broke down too often and rests: ${limit.count} restarts`)
    }
    restarts.push(now())
    onNotice(`The events engine is restarted on ${start.path}`)
    thread = await startThread(start, onNotice)
    return thread
  }

  async function renew(grown: EngineThread): Promise<EngineThread> {
    onNotice(`The events engine is started anew on ${start.path}, since its memory had grown`)
    await grown.close()
    thread = await startThread(start, onNotice)
    return thread
  }

  async function drain(): Promise<void> {
    for (let turn = queue.shift(); turn; turn = queue.shift()) {
      turn.signal?.removeEventListener('abort', turn.leave)
      try {
        turn.resolve(await (await liveThread()).run(turn.statement, turn.signal))
      } catch (error) {
        turn.reject(error)
      }
    }
    draining = null
  }

  return {
    run: (statement, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('The events engine is closed'))
        if (signal?.aborted) return reject(signal.reason)
        if (queue.length >= maximumWaiting) {
          return reject(new Error(`${maximumWaiting} statements already wait for the events engine`))
        }
        const leave = (): void => {
          queue.splice(queue.indexOf(turn), 1)
          reject(signal?.reason)
        }
        const turn = { statement, signal, leave, resolve, reject }
        queue.push(turn)
        signal?.addEventListener('abort', leave)
        draining ??= drain()
      }),
    async close() {
      if (isClosed) return
      isClosed = true
      await draining
      await thread?.close()
    },
  }
}

interface EngineThread {
  run(statement: Statement, signal: AbortSignal | undefined): Promise<Outcome>
  isAlive(): boolean
  memoryBytes(): number
  close(): Promise<void>
}

function newWorker(start: WorkerStart): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: start,
    // Without the options of this process: a test runner's or a debugger's are not meant for this thread.
    argv: [],
    execArgv: [],
    // It closes what its own threads opened, and they what it did: see worker.ts.
    trackUnmanagedFds: false,
  })
}

async function startThread(start: WorkerStart, onNotice: (text: string) => void): Promise<EngineThread> {
  for (const flag of engineFlags) setFlagsFromString(flag)
  const worker = newWorker(start)
  let [isAlive, memoryBytes] = [true, 0]
  let settle: ((message: FromEngine | EngineCrash) => void) | null = null

  const breakDown = (reason: string, cause?: unknown): void => {
    isAlive = false
    settle?.(new EngineCrash(`The events engine broke down: ${reason}`, { cause }))
  }
  worker.on('message', (message: FromEngine) => {
    if (message.kind === 'notice') onNotice(message.text)
    else settle?.(message)
  })
  worker.on('error', (error) => breakDown(String(error), error))
  worker.on('exit', (code) => breakDown(`its thread ended with code ${code}`))

  /** One message to the thread, one back. */
  const exchange = async (message?: ToEngine): Promise<FromEngine> => {
    const { promise, resolve } = Promise.withResolvers<FromEngine | EngineCrash>()
    settle = resolve
    if (message) worker.postMessage(message)
    const answer = await promise
    settle = null
    if (answer instanceof EngineCrash) {
      await worker.terminate()
      throw answer
    }
    return answer
  }

  const ready = await exchange()
  if (ready.kind !== 'ready') throw new EngineCrash(`The events engine answered ${ready.kind} while starting`)

  return {
    isAlive: () => isAlive,
    memoryBytes: () => memoryBytes,
    async run(statement, signal) {
      signal?.throwIfAborted()
      const cancellation = cancellable(ready.cancelFlag, signal)
      const overdue = setTimeout(cancellation.cancel, maximumStatementMs)
      const lastResort = setTimeout(() => worker.terminate(), maximumStatementMs + cancelGraceMs)
      try {
        const answer = await exchange({ kind: 'run', statement })
        if ('memoryBytes' in answer) memoryBytes = answer.memoryBytes
        if (answer.kind === 'done') return answer.outcome
        signal?.throwIfAborted()
        throw new StatementError(
          answer.kind === 'failed' ? answer.message : `Unexpected answer: ${answer.kind}`,
        )
      } finally {
        cancellation.stop()
        clearTimeout(overdue)
        clearTimeout(lastResort)
      }
    },
    async close() {
      if (!isAlive) return
      await exchange({ kind: 'close' })
      isAlive = false
      await worker.terminate()
    },
  }
}

/** A cancellation is repeated until the end: a statement that has not quite begun would begin all the same. */
function cancellable(flag: Int32Array<SharedArrayBuffer>, signal: AbortSignal | undefined) {
  let repetition: NodeJS.Timeout | undefined
  const cancel = (): void => {
    Atomics.store(flag, 0, 1)
    repetition ??= setInterval(cancel, cancelRepetitionMs)
  }
  Atomics.store(flag, 0, 0)
  signal?.addEventListener('abort', cancel)
  return {
    cancel,
    stop(): void {
      clearInterval(repetition)
      signal?.removeEventListener('abort', cancel)
    },
  }
}
