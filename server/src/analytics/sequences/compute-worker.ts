import { Worker } from 'node:worker_threads'
import { Problem } from '@assay/contract'
import { hourMs } from '../../platform/units.ts'
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
  /** Starts the thread, which will be asked soon: it loads its modules meanwhile. */
  prepare: () => void
  /** Another number whenever the thread has ended, and all that was kept in it. */
  life: () => number
  /** Runs before an idle thread is stopped. */
  beforeRest: (work: () => Promise<void>) => void
  close: () => Promise<void>
}

/** About ten milliseconds of computing, less than a thread takes to start. */
const bytesHere = 20_000 * 24
/** An idle thread is stopped to free its memory. People come back to reports within an hour of work. */
const idleMs = hourMs
/** Without it V8 takes 130 MB for young objects after a few reports, and counts no faster. */
const youngMegabytesMax = 24

type Waiting = { resolve: (told: ComputeAnswer) => void; reject: (error: unknown) => void }

export function createComputeWorker(bytesHereMax: number = bytesHere): ComputeWorker {
  const thread = new ComputeThread()
  return {
    async run(name, raw, options) {
      // boundary: name and options belong together, which the signature ensures.
      const asked = { name, raw, options } as Computation
      const size = bytesOf(asked).reduce((sum, bytes) => sum + bytes.byteLength, 0)
      // boundary: the result type of a name is in the same table.
      if (isPure(asked) && size <= bytesHereMax) return runPure(asked) as never
      const answer = await thread.ask(asked)
      if ('refusal' in answer) throw new Problem(answer.refusal.slug, answer.refusal.options)
      if ('failure' in answer) throw answer.failure
      // boundary: as above.
      return answer.answer as never
    },
    prepare: () => thread.prepare(),
    life: () => thread.life,
    beforeRest: (work) => {
      thread.beforeRest = work
    },
    close: () => thread.stop(),
  }
}

class ComputeThread {
  life = 0
  beforeRest: () => Promise<void> = async () => {}
  // bounded: by the requests that are being answered.
  readonly #waiting = new Map<number, Waiting>()
  // bounded: by the requests that are being answered.
  readonly #underWay = new Set<Promise<ComputeAnswer>>()
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | undefined
  #number = 0

  ask(asked: Computation): Promise<ComputeAnswer> {
    const worker = this.#wake()
    const number = ++this.#number
    const answer = new Promise<ComputeAnswer>((resolve, reject) =>
      this.#waiting.set(number, { resolve, reject }),
    )
    this.#underWay.add(answer)
    const message: ComputeRequest = { number, asked }
    worker.postMessage(
      message,
      bytesOf(asked).map((bytes) => bytes.buffer),
    )
    return answer.finally(() => this.#underWay.delete(answer))
  }

  prepare(): void {
    this.#wake()
    this.#rest()
  }

  async stop(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
    clearTimeout(this.#idle)
    const ended = this.#worker
    this.#worker = null
    this.life += 1
    await ended?.terminate()
  }

  #wake(): Worker {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    return this.#worker
  }

  #rest(): void {
    clearTimeout(this.#idle)
    if (this.#waiting.size > 0) return
    const end = () => this.beforeRest().finally(() => this.stop())
    this.#idle = setTimeout(() => void end(), idleMs).unref()
  }

  #start(): Worker {
    const started = new Worker(new URL('./compute-thread.ts', import.meta.url), {
      argv: [],
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytesMax },
    })
    // An idle thread must not keep the process alive.
    started.unref()
    const fail = (error: unknown) => {
      if (this.#worker !== started) return
      this.#worker = null
      this.life += 1
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    started.on('message', (answer: ComputeAnswer) => {
      this.#waiting.get(answer.number)?.resolve(answer)
      this.#waiting.delete(answer.number)
      this.#rest()
    })
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the compute thread has ended')))
    return started
  }
}
