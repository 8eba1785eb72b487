import { Problem } from '@assay/contract'

export type ReadTurnsOptions = {
  /** Reads of stored events that run at the same time. */
  atOnceMax: number
  /** How long a read waits for its turn. */
  waitMsMax: number
  /** How long a caller waits for a read that runs. */
  runMsMax: number
  /** Reads that wait; more are refused at once. */
  waitingMax: number
}

type Waiting = { workspaceId: string; begin: () => void }

const retrySeconds = 5

/** A page of the dashboard asks ten of them at once, and an embedded engine computes one or two at a time. */
const embedded: ReadTurnsOptions = { atOnceMax: 4, waitMsMax: 20_000, runMsMax: 35_000, waitingMax: 500 }

/** A server computes many at a time, and limits itself. */
export const readTurnsOf = (engine: string): ReadTurnsOptions =>
  engine === 'server' ? { ...embedded, atOnceMax: 16 } : embedded

/**
 * Reads of stored events take turns, so that a pile of slow ones makes those behind it fail soon and plainly instead of
 * all of them late. A workspace with many waiting reads does not hold up another one's.
 */
export class ReadTurns {
  readonly #options: ReadTurnsOptions
  readonly #waiting: Waiting[] = []
  // bounded: by atOnceMax.
  readonly #running = new Map<string, number>()
  #runningCount = 0

  constructor(options: ReadTurnsOptions) {
    this.#options = options
  }

  /** For metrics. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The read keeps its turn until it has ended, also where its caller was sent away before. */
  async run<Answer>(
    workspaceId: string,
    gone: AbortSignal,
    read: () => Promise<Answer> | Answer,
  ): Promise<Answer> {
    await this.#turn(workspaceId, gone)
    const running = this.#counted(workspaceId, read)
    return within(running, this.#options.runMsMax)
  }

  async #counted<Answer>(workspaceId: string, read: () => Promise<Answer> | Answer): Promise<Answer> {
    try {
      return await read()
    } finally {
      this.#count(workspaceId, -1)
      this.#next()
    }
  }

  #turn(workspaceId: string, gone: AbortSignal): Promise<void> {
    const { atOnceMax, waitMsMax, waitingMax } = this.#options
    if (this.#runningCount < atOnceMax) {
      this.#count(workspaceId, 1)
      return Promise.resolve()
    }
    if (this.#waiting.length >= waitingMax) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        gone.removeEventListener('abort', leave)
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        end()
        reject(busy())
      }
      const waiting = {
        workspaceId,
        begin: () => {
          end()
          resolve()
        },
      }
      const timer = setTimeout(leave, waitMsMax)
      gone.addEventListener('abort', leave)
      this.#waiting.push(waiting)
    })
  }

  /** The longest waiting one of the workspace that runs least. */
  #next(): void {
    const ranked = this.#waiting.map(({ workspaceId }) => this.#running.get(workspaceId) ?? 0)
    const [next] = this.#waiting.splice(ranked.indexOf(Math.min(...ranked)), 1)
    if (next === undefined) return
    this.#count(next.workspaceId, 1)
    next.begin()
  }

  #count(workspaceId: string, change: 1 | -1): void {
    const count = (this.#running.get(workspaceId) ?? 0) + change
    this.#runningCount += change
    if (count === 0) this.#running.delete(workspaceId)
    else this.#running.set(workspaceId, count)
  }
}

function within<Answer>(running: Promise<Answer>, msMax: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(busy()), msMax)
    running.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function busy(): Problem {
  return new Problem('unavailable', {
    detail:
      'The events store is busy with other reads, so this one was given up. Ask again in a few seconds, for a ' +
      'shorter period, or with filters.',
    headers: { 'retry-after': String(retrySeconds) },
  })
}
