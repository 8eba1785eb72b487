import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { EngineStart, FromEngine, Outcome, ToEngine, WorkerStart } from './protocol.ts'
import type { Statement } from './statement.ts'

/** The engine refused a statement; the message is the engine's own. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
}

/** The engine itself crashed. The next statement finds it restarted. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
  readonly code = 'ENGINE_CRASHED'
}

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

/** An engine that is started again finds what its predecessor compiled, which is most of what a start takes. */
let compiled: WebAssembly.Module | undefined

/** The worker thread of the engine, as the caller's thread sees it. It takes one statement at a time. */
export interface EngineWorker {
  run(statement: Statement, signal: AbortSignal | undefined): Promise<Outcome>
  isAlive(): boolean
  memoryBytes(): number
  close(): Promise<void>
}

export async function startWorker(
  start: EngineStart,
  onNotice: (text: string) => void,
): Promise<EngineWorker> {
  for (const flag of engineFlags) setFlagsFromString(flag)
  const worker = newWorker({ ...start, module: compiled })
  let [isAlive, memoryBytes] = [true, 0]
  let settle: ((message: FromEngine | EngineCrash) => void) | null = null

  const crash = (reason: string, cause?: unknown): void => {
    isAlive = false
    settle?.(new EngineCrash(`The events engine crashed: ${reason}`, { cause }))
  }
  worker.on('message', (message: FromEngine) => {
    if (message.kind === 'notice') onNotice(message.text)
    else settle?.(message)
  })
  worker.on('error', (error) => crash(String(error), error))
  worker.on('exit', (code) => crash(`its thread ended with code ${code}`))

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
  compiled = ready.module

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
