import { Worker } from 'node:worker_threads'
import { Problem } from '@assay/contract'
import { type Reckoning, type ReckoningName, type Reckonings, reckon } from './computations.ts'
import type { Ask, Told } from './compute-thread.ts'
import type { RawSequences } from './sequences.ts'

/** Runs computations on sessions. Large ones run in a worker thread, so that other requests do not wait. */
export type Reckoner = {
  run: <Name extends ReckoningName>(
    name: Name,
    raw: RawSequences,
    options: Reckonings[Name]['options'],
  ) => Promise<Reckonings[Name]['answer']>
  close: () => Promise<void>
}

/** About ten milliseconds of computing, less than a thread takes to start. */
const bytesHere = 20_000 * 24
/** An idle thread is stopped to free its memory. */
const idleMs = 60_000

type Waiting = { resolve: (told: Told) => void; reject: (error: unknown) => void }

export function createReckoner(bytesHereMax: number = bytesHere): Reckoner {
  // bounded: by the requests that are being answered.
  const waiting = new Map<number, Waiting>()
  // bounded: by the requests that are being answered.
  const underWay = new Set<Promise<Told>>()
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let number = 0

  function start(): Worker {
    const started = new Worker(new URL('./compute-thread.ts', import.meta.url), { argv: [], execArgv: [] })
    // An idle thread must not keep the process alive.
    started.unref()
    const fail = (error: unknown) => {
      if (worker !== started) return
      worker = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('message', (told: Told) => {
      waiting.get(told.number)?.resolve(told)
      waiting.delete(told.number)
      if (waiting.size === 0) idle = setTimeout(() => void stop(), idleMs).unref()
    })
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the compute thread has ended')))
    return started
  }
  async function stop(): Promise<void> {
    while (underWay.size > 0) await Promise.allSettled(underWay)
    clearTimeout(idle)
    const ended = worker
    worker = null
    await ended?.terminate()
  }
  function ask(asked: Reckoning): Promise<Told> {
    clearTimeout(idle)
    worker ??= start()
    number += 1
    const own = number
    const told = new Promise<Told>((resolve, reject) => waiting.set(own, { resolve, reject }))
    underWay.add(told)
    const message: Ask = { number: own, asked }
    worker.postMessage(message, [asked.raw.steps.buffer])
    return told.finally(() => underWay.delete(told))
  }

  return {
    async run(name, raw, options) {
      // boundary: name and options belong together, which the signature ensures.
      const asked = { name, raw, options } as Reckoning
      // boundary: the result type of a name is in the same table.
      if (raw.steps.byteLength <= bytesHereMax) return reckon(asked) as never
      const told = await ask(asked)
      if ('refusal' in told) throw new Problem(told.refusal.slug, told.refusal.options)
      if ('failure' in told) throw told.failure
      // boundary: as above.
      return told.answer as never
    },
    close: stop,
  }
}
