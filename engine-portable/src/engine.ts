import path from 'node:path'
import type { Outcome } from './protocol.ts'
import { requireNames, type Statement } from './statement.ts'
import { type SupervisorOptions, startSupervisor } from './supervisor.ts'

export interface PortableEngine {
  /** Statements run one at a time, in the order of their calls. */
  run(statement: Statement, signal?: AbortSignal): Promise<Outcome>
  /** Waits for all statements that were called, then stops the engine. */
  close(): Promise<void>
}

export interface PortableEngineOptions extends SupervisorOptions {
  /** The directory of the store. The caller sees to it that no other engine has it open. */
  path: string
  /** Further host directories that SQL may name. */
  mounts?: readonly string[]
}

// At the 10 ms of a small statement, ten seconds of waiting; more than that is better refused.
const maximumWaiting = 1000

interface QueuedStatement {
  statement: Statement
  signal: AbortSignal | undefined
  leave(): void
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

export async function openPortableEngine(options: PortableEngineOptions): Promise<PortableEngine> {
  const home = path.resolve(options.path)
  const mounts = outermost([home, ...(options.mounts ?? []).map((mount) => path.resolve(mount))])
  const supervisor = await startSupervisor({ path: home, mounts }, options)
  const queue: QueuedStatement[] = []
  let draining: Promise<void> | null = null
  let isClosed = false

  async function drain(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      next.signal?.removeEventListener('abort', next.leave)
      try {
        const worker = await supervisor.liveWorker()
        next.resolve(await worker.run(next.statement, next.signal))
      } catch (error) {
        next.reject(error)
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
        requireNames(statement)
        const leave = (): void => {
          queue.splice(queue.indexOf(queued), 1)
          reject(signal?.reason)
        }
        const queued = { statement, signal, leave, resolve, reject }
        queue.push(queued)
        signal?.addEventListener('abort', leave)
        draining ??= drain()
      }),
    async close() {
      if (isClosed) return
      isClosed = true
      await draining
      await supervisor.close()
    },
  }
}

/** A directory inside another one of the list needs no mount of its own, and could not have one. */
function outermost(directories: readonly string[]): string[] {
  const distinct = [...new Set(directories)]
  return distinct.filter((inner) => !distinct.some((outer) => inner.startsWith(`${outer}${path.sep}`)))
}
