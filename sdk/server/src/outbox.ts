import type { Clock } from './clock.ts'
import { type Http, isWorthRetrying } from './http.ts'
import type { Losses } from './losses.ts'
import type { ApiProblem } from './problem.ts'

export type OutboxOptions = {
  /** Send as soon as so many wait. */
  flushAt: number
  /** Or after so long. */
  flushIntervalMs: number
  queueEventsMax: number
  queueBytesMax: number
  attemptsMax: number
  http: Http
  /** Called when nothing more is to be sent, to end a call that may still be under way. */
  endCalls: () => void
  losses: Losses
  now: Clock
  random: () => number
}

/** `pending` is what could not be sent in time and is still being tried. */
export type Flushed = { sent: number; dropped: number; pending: number }

/** One event as it will be sent, with its id for what is said of it. */
type Item = { eventId: string; text: string }

/** The server takes a thousand events and four megabytes; some room is left for the envelope. */
const batchEventsMax = 500
const batchBytesMax = 3_500_000
/** Longer than that the gate refuses an event, so it need not travel. */
const eventBytesMax = 32 * 1024
/** Half a second, a second, two … with up to half of it by chance, so that many senders do not come back at once. */
const backoffBaseMs = 500
const backoffMsMax = 30_000

/** Events on their way: kept in order, bounded, sent in batches, and tried again where that can help. */
export class Outbox {
  readonly #options: OutboxOptions
  #waiting: Item[] = []
  #waitingBytes = 0
  /** Of the batch that is being sent. */
  #underWay = 0
  #sent = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | null = null
  #isClosed = false
  /** Ends a pause between two attempts, because nobody waits for it any more. */
  #endPause: (() => void) | undefined
  #isGivenUp = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  push(eventId: string, text: string): void {
    const { losses, queueEventsMax, queueBytesMax, flushAt, flushIntervalMs } = this.#options
    // Characters, not bytes: never more than the bytes, and counted without encoding each event twice.
    const refusal = this.#isClosed ? 'closed' : text.length > eventBytesMax ? 'too_large' : null
    if (refusal !== null) {
      losses.add({ reason: refusal, count: 1, eventId })
      return
    }
    this.#waiting.push({ eventId, text })
    this.#waitingBytes += text.length
    let dropped = 0
    while (this.#waiting.length > queueEventsMax || this.#waitingBytes > queueBytesMax) {
      this.#waitingBytes -= this.#waiting.shift()?.text.length ?? 0
      dropped += 1
    }
    losses.add({ reason: 'queue_full', count: dropped })
    if (this.#waiting.length >= flushAt) this.#run()
    else if (flushIntervalMs > 0) this.#timer ??= this.#runLater(flushIntervalMs)
  }

  /** Resolves when everything that waits now is sent or lost, or when the time is over. */
  async flush(timeoutMs: number): Promise<Flushed> {
    const { losses } = this.#options
    const [sentBefore, lostBefore] = [this.#sent, losses.total]
    this.#run()
    if (this.#running !== null) await withTimeout(this.#running, timeoutMs)
    return { sent: this.#sent - sentBefore, dropped: losses.total - lostBefore, pending: this.pending }
  }

  /** Takes nothing more; what is not sent in time is lost, and counted as such. */
  async close(timeoutMs: number): Promise<Flushed> {
    this.#isClosed = true
    const flushed = await this.flush(timeoutMs)
    this.#isGivenUp = true
    this.#endPause?.()
    this.#options.endCalls()
    const left = this.pending
    this.#waiting = []
    this.#waitingBytes = 0
    this.#underWay = 0
    this.#options.losses.add({ reason: 'closed', count: left })
    return { ...flushed, dropped: flushed.dropped + left, pending: 0 }
  }

  #runLater(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#run(), ms)
    // A process that has nothing else to do may end; `close` is what waits.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref()
    return timer
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#running !== null || this.#waiting.length === 0) return
    this.#running = this.#sendAll().finally(() => {
      this.#running = null
      // What came in while the last batch was being answered.
      if (this.#waiting.length > 0 && !this.#isClosed) this.#timer ??= this.#runLater(0)
    })
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isGivenUp) {
      const batch = this.#take()
      this.#underWay = batch.length
      await this.#deliver(batch)
      this.#underWay = 0
    }
  }

  #take(): Item[] {
    const batch: Item[] = []
    let bytes = 0
    for (const item of this.#waiting) {
      // At least one, however large it is.
      if (batch.length >= batchEventsMax || (batch.length > 0 && bytes + item.text.length > batchBytesMax))
        break
      batch.push(item)
      bytes += item.text.length
    }
    this.#waiting = this.#waiting.slice(batch.length)
    this.#waitingBytes -= bytes
    return batch
  }

  async #deliver(first: readonly Item[]): Promise<void> {
    const { http, attemptsMax, now } = this.#options
    let batch = first
    for (let attempt = 1; ; attempt++) {
      // Stamped anew at each attempt: the server takes the sender's clock error from it.
      const sentAt = new Date(now()).toISOString()
      const texts = batch.map(({ text }) => text).join(',')
      const answer = await http('POST', '/v1/batch', `{"sent_at":"${sentAt}","batch":[${texts}]}`)
      if (this.#isGivenUp) return
      if (answer.ok) batch = this.#settle(batch, answer.body)
      else if (answer.problem.status === 413 && batch.length > 1) return this.#deliverHalves(batch)
      else if (!isWorthRetrying(answer.problem)) return this.#lose(batch, 'refused', answer.problem)
      if (batch.length === 0) return
      const problem = answer.ok ? null : answer.problem
      if (attempt >= attemptsMax) return this.#lose(batch, 'gave_up', problem)
      await this.#pause(problem?.retryAfterMs ?? this.#backoffMs(attempt))
      if (this.#isGivenUp) return
    }
  }

  async #deliverHalves(batch: readonly Item[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2)
    await this.#deliver(batch.slice(0, middle))
    if (!this.#isGivenUp) await this.#deliver(batch.slice(middle))
  }

  /** Answers the items that are to be tried again. */
  #settle(batch: readonly Item[], body: unknown): Item[] {
    const results = readResults(body)
    const again: Item[] = []
    for (const [index, item] of batch.entries()) {
      const result = results[index]
      if (result?.outcome !== 'reject') this.#sent += 1
      else if (result.retryable === true) again.push(item)
      else {
        const { issues } = result
        this.#options.losses.add({
          reason: 'rejected',
          count: 1,
          eventId: item.eventId,
          ...(issues && { issues }),
        })
      }
    }
    this.#underWay = again.length
    return again
  }

  #lose(batch: readonly Item[], reason: 'refused' | 'gave_up', problem: ApiProblem | null): void {
    this.#underWay = 0
    this.#options.losses.add({ reason, count: batch.length, ...(problem && { problem }) })
  }

  #backoffMs(attempt: number): number {
    const wholeMs = Math.min(backoffBaseMs * 2 ** (attempt - 1), backoffMsMax)
    return wholeMs / 2 + (wholeMs / 2) * this.#options.random()
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

type Result = {
  outcome?: string
  retryable?: boolean
  issues?: readonly { code: string; field?: string; message: string }[]
}

function readResults(body: unknown): readonly Result[] {
  const results = typeof body === 'object' && body !== null && 'results' in body ? body.results : undefined
  return Array.isArray(results) ? results : []
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([work, timeout])
  clearTimeout(timer)
}
