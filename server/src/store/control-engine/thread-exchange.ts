import { Worker } from 'node:worker_threads'
import { errorOf } from './failure.ts'
import { postgresModule } from './postgres-module.ts'
import type { FromThread, Request, ThreadStart } from './protocol.ts'

export type Row = Record<string, unknown>

/** The embedded Postgres is gone; only a new process brings it back. */
export class ControlStoreCrash extends Error {
  override readonly name = 'ControlStoreCrash'
}

export type ThreadOptions = {
  directory: string
  /** Called once, if the thread ends without having been closed. */
  onCrash: (crash: ControlStoreCrash) => void
  times?: CheckTimes | undefined
}

/** A thread says nothing while it runs a statement, so only a long silence means that it is stuck. */
export type CheckTimes = { checkMs: number; silentChecksMax: number }
const usualTimes: CheckTimes = { checkMs: 60_000, silentChecksMax: 10 }

type Answer = Extract<FromThread, { kind: 'done' | 'failed' }>
type Waiting = { resolve: (answer: Answer) => void; reject: (error: unknown) => void }

/** Requests to the thread of the embedded Postgres, and what it answers. */
export class ThreadExchange {
  readonly #worker: Worker
  readonly #onCrash: ThreadOptions['onCrash']
  // bounded: by the calls that wait for an answer.
  readonly #waiting = new Map<number, Waiting>()
  // bounded: by the channels, which the code names.
  readonly #hearers = new Map<number, (payload: string) => void>()
  readonly #times: CheckTimes
  #checks: NodeJS.Timeout | undefined
  #number = 0
  #silentChecks = 0
  #crash: ControlStoreCrash | null = null
  #isOpen = false

  constructor({ directory, onCrash, times = usualTimes }: ThreadOptions) {
    const workerData: ThreadStart = { directory, module: postgresModule() }
    this.#onCrash = onCrash
    this.#worker = new Worker(new URL('./postgres-thread.ts', import.meta.url), {
      workerData,
      // Without the options of this process: a test runner's or a debugger's are not meant for this thread.
      argv: [],
      execArgv: [],
    })
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error) => this.#fail(String(error), error))
    this.#worker.on('exit', (code) => this.#fail(`its thread ended with code ${code}`))
    this.#times = times
  }

  /** Number 0 is what the thread says of itself once it is up. */
  async open(): Promise<void> {
    try {
      await this.#answerTo(0)
      this.#isOpen = true
      this.#checks = setInterval(() => this.#check(), this.#times.checkMs).unref()
    } catch (error) {
      await this.end()
      throw error
    }
  }

  send(request: Request): { number: number; answer: Promise<Row[]> } {
    this.#number += 1
    const number = this.#number
    if (this.#crash) return { number, answer: Promise.reject(this.#crash) }
    this.#worker.postMessage({ ...request, number })
    return { number, answer: this.#answerTo(number) }
  }

  /** Passes on the notices of a subscription, by the number of its request. */
  hear(number: number, hearer: (payload: string) => void): void {
    this.#hearers.set(number, hearer)
  }

  /** Ends the thread as it is. */
  async end(): Promise<void> {
    this.#isOpen = false
    clearInterval(this.#checks)
    await this.#worker.terminate()
  }

  /** The error is made here, after the wait, so that its stack names the caller. */
  async #answerTo(number: number): Promise<Row[]> {
    const answer = await new Promise<Answer>((resolve, reject) =>
      this.#waiting.set(number, { resolve, reject }),
    )
    if (answer.kind === 'failed') throw errorOf(answer.failure)
    return answer.rows
  }

  #receive(message: FromThread): void {
    this.#silentChecks = 0
    switch (message.kind) {
      case 'crashed':
        this.#fail(message.reason)
        break
      case 'notice':
        this.#hearers.get(message.number)?.(message.payload)
        break
      default:
        this.#waiting.get(message.number)?.resolve(message)
        this.#waiting.delete(message.number)
    }
  }

  #check(): void {
    if (this.#crash || this.#waiting.size === 0) return
    if (this.#silentChecks >= this.#times.silentChecksMax) {
      this.#fail('its thread no longer answers')
      void this.#worker.terminate()
      return
    }
    this.#silentChecks += 1
    this.#number += 1
    this.#worker.postMessage({ kind: 'check', number: this.#number })
  }

  #fail(reason: string, cause?: unknown): void {
    if (this.#crash) return
    const crash = new ControlStoreCrash(`The control store crashed: ${reason}`, { cause })
    this.#crash = crash
    clearInterval(this.#checks)
    for (const { reject } of this.#waiting.values()) reject(crash)
    this.#waiting.clear()
    if (this.#isOpen) this.#onCrash(crash)
  }
}
