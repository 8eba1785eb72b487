import type { EngineStart } from './protocol.ts'
import { EngineCrash, type EngineWorker, startWorker } from './worker-client.ts'

export interface SupervisorOptions {
  onNotice: (text: string) => void
  now: () => number
  restartLimit?: RestartLimit
  memoryBytesMax?: number
}

/** A statement that crashes the engine may be sent again and again; each restart costs seconds of a core. */
interface RestartLimit {
  count: number
  windowMs: number
}
const usualRestartLimit: RestartLimit = { count: 5, windowMs: 10 * 60_000 }

/**
 * The engine can address 2 GB and never gives any of it back, so it is restarted while a large statement still fits.
 * That takes some seconds, in which statements wait.
 */
const usualMemoryBytesMax = 1.2 * 1024 ** 3

/** Restarts the worker when it has crashed and when its memory has grown. */
interface Supervisor {
  /** The worker, restarted if need be. One call at a time. */
  liveWorker(): Promise<EngineWorker>
  close(): Promise<void>
}

export async function startSupervisor(
  start: EngineStart,
  {
    onNotice,
    now,
    restartLimit = usualRestartLimit,
    memoryBytesMax = usualMemoryBytesMax,
  }: SupervisorOptions,
): Promise<Supervisor> {
  const restarts: number[] = []
  let worker = await startWorker(start, onNotice)

  async function restartCrashed(): Promise<void> {
    const since = now() - restartLimit.windowMs
    while (restarts[0] !== undefined && restarts[0] < since) restarts.shift()
    if (restarts.length >= restartLimit.count) {
      throw new EngineCrash(`The events engine crashed too often and stays down: ${restarts.length} restarts`)
    }
    restarts.push(now())
    onNotice(`The events engine is restarted on ${start.path}`)
    worker = await startWorker(start, onNotice)
  }

  async function restartGrown(): Promise<void> {
    onNotice(`The events engine is restarted on ${start.path}, since its memory had grown`)
    await worker.close()
    worker = await startWorker(start, onNotice)
  }

  return {
    async liveWorker() {
      if (!worker.isAlive()) await restartCrashed()
      else if (worker.memoryBytes() >= memoryBytesMax) await restartGrown()
      return worker
    },
    close: () => worker.close(),
  }
}
