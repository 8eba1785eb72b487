import { Worker } from 'node:worker_threads'
import { Problem } from '@assay/contract'
import { minuteMs } from '../../platform/units.ts'
import {
  bytesOf,
  type Computation,
  type ComputationName,
  type Computations,
  isPure,
  runPure,
} from './computations.ts'
import type { ComputeAnswer, ComputeRequest } from './compute-thread.ts'

/** Runs computations on events. Large ones run in a worker thread, so that other requests do not wait. */
export type ComputeWorker = {
  run: <Name extends ComputationName>(
    name: Name,
    raw: Computations[Name]['raw'],
    options: Computations[Name]['options'],
  ) => Promise<Computations[Name]['answer']>
  /** Another number whenever the thread has ended, and all that was kept in it. */
  life: () => number
  close: () => Promise<void>
}

/** About ten milliseconds of computing, less than a thread takes to start. */
const bytesHere = 20_000 * 24
/** An idle thread is stopped to free its memory. What it keeps is asked for again while people look at reports. */
const idleMs = 10 * minuteMs

type Waiting = { resolve: (told: ComputeAnswer) => void; reject: (error: unknown) => void }

export function createComputeWorker(bytesHereMax: number = bytesHere): ComputeWorker {
  // bounded: by the requests that are being answered.
  const waiting = new Map<number, Waiting>()
  // bounded: by the requests that are being answered.
  const underWay = new Set<Promise<ComputeAnswer>>()
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let number = 0
  let life = 0

  function start(): Worker {
    const started = new Worker(new URL('./compute-thread.ts', import.meta.url), { argv: [], execArgv: [] })
    // An idle thread must not keep the process alive.
    started.unref()
    const fail = (error: unknown) => {
      if (worker !== started) return
      worker = null
      life += 1
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    started.on('message', (told: ComputeAnswer) => {
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
    life += 1
    await ended?.terminate()
  }
  function ask(asked: Computation): Promise<ComputeAnswer> {
    clearTimeout(idle)
    worker ??= start()
    number += 1
    const own = number
    const told = new Promise<ComputeAnswer>((resolve, reject) => waiting.set(own, { resolve, reject }))
    underWay.add(told)
    const message: ComputeRequest = { number: own, asked }
    worker.postMessage(
      message,
      bytesOf(asked).map((bytes) => bytes.buffer),
    )
    return told.finally(() => underWay.delete(told))
  }

  return {
    async run(name, raw, options) {
      // boundary: name and options belong together, which the signature ensures.
      const asked = { name, raw, options } as Computation
      const size = bytesOf(asked).reduce((sum, bytes) => sum + bytes.byteLength, 0)
      // boundary: the result type of a name is in the same table.
      if (isPure(asked) && size <= bytesHereMax) return runPure(asked) as never
      const told = await ask(asked)
      if ('refusal' in told) throw new Problem(told.refusal.slug, told.refusal.options)
      if ('failure' in told) throw told.failure
      // boundary: as above.
      return told.answer as never
    },
    life: () => life,
    close: stop,
  }
}
