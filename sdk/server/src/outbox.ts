import type { Clock } from './clock.ts'
import { type Answer, type Http, isWorthRetrying } from './http.ts'
import type { Losses } from './losses.ts'
import type { ApiProblem } from './problem.ts'

type OutboxOptions = {
  /** Send when this many events wait. */
  flushAt: number
  /** Or after this time. */
  flushIntervalMs: number
  queueEventsMax: number
  queueBytesMax: number
  attemptsMax: number
  http: Http
  /** Called when nothing more is to be sent, to abort a call in flight. */
  endCalls: () => void
  losses: Losses
  now: Clock
  random: () => number
}

/** `pending` could not be sent in time and is still being retried. */
export type Flushed = { sent: number; dropped: number; pending: number }

/** A serialised event, with its id for reports. */
type Item = { eventId: string; text: string }

/** The server takes a thousand events and four megabytes; the rest is for the envelope. */
const batchEventsMax = 500
const batchBytesMax = 3_500_000
/** The gate refuses larger events, so they are not sent. */
const eventBytesMax = 32 * 1024
/** Half a second, a second, two …, up to half of it random, so that many senders do not return at once. */
const backoffBaseMs = 500
const backoffMsMax = 30_000

/** Queue of events: in order, bounded, sent in batches, and retried when that can help. */
export class Outbox {
  readonly #options: OutboxOptions
  #waiting: Item[] = []
  #waitingBytes = 0
  /** Events of the batch in flight. */
  #underWay = 0
  #sent = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | null = null
  #isClosed = false
  /** Ends a pause between two attempts, when no one waits for it any more. */
  #endPause: (() => void) | undefined
  #isGivenUp = false
  /** The key was refused. */
  #isStopped = false
  /** Consecutive failed requests, of any batch, and the pause that they require before the next one. */
  #failures = 0
  #pauseMs = 0
  /** Smaller than a batch if a proxy refuses large requests. */
  #partEventsMax = batchEventsMax

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  push(eventId: string, text: string): void {
    const { losses, queueEventsMax, queueBytesMax, flushAt, flushIntervalMs } = this.#options
    if (this.#isStopped) {
      losses.count('refused')
      return
    }
    // Characters, not bytes: never more than the bytes, and no second encoding.
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

  /** Resolves when everything that waits now is sent or lost, or after the time-out. */
  async flush(timeoutMs: number): Promise<Flushed> {
    const { losses } = this.#options
    const [sentBefore, lostBefore] = [this.#sent, losses.total]
    this.#run()
    if (this.#running !== null) await withTimeout(this.#running, timeoutMs)
    return { sent: this.#sent - sentBefore, dropped: losses.total - lostBefore, pending: this.pending }
  }

  /** Accepts nothing more; what is not sent in time is counted as lost. */
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
    // The timer must not keep an idle process alive; `close` waits instead.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref()
    return timer
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#running !== null || this.#waiting.length === 0) return
    this.#running = this.#sendAll().finally(() => {
      this.#running = null
      // Events that arrived while the last batch was in flight.
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
      // At least one, regardless of its size.
      if (batch.length >= batchEventsMax || (batch.length > 0 && bytes + item.text.length > batchBytesMax))
        break
      batch.push(item)
      bytes += item.text.length
    }
    this.#waiting = this.#waiting.slice(batch.length)
    this.#waitingBytes -= bytes
    return batch
  }

  /** At most `attemptsMax` requests of a batch fail, its parts included; between two failures is a pause. */
  async #deliver(batch: readonly Item[]): Promise<void> {
    const { attemptsMax } = this.#options
    let parts = [batch]
    let failedAttempts = 0
    while (parts.length > 0) {
      parts = parts.flatMap((part) => inPieces(part, this.#partEventsMax))
      const [part = [], ...rest] = parts
      await this.#pause()
      if (this.#isGivenUp) return
      const answer = await this.#post(part)
      if (this.#isGivenUp) return
      const problem = answer.ok ? null : answer.problem
      if (problem?.status === 401 || problem?.status === 403) return this.#stop(parts.flat(), problem)
      const again = answer.ok ? this.#settle(part, answer.body) : this.#refuse(part, answer.problem)
      parts = again.length > 0 ? [again, ...rest] : rest
      this.#underWay = parts.flat().length
      if (answer.ok && again.length === 0) {
        this.#failures = 0
        failedAttempts = 0
        continue
      }
      this.#failures += 1
      this.#pauseMs = Math.max(problem?.retryAfterMs ?? 0, this.#backoffMs(this.#failures))
      failedAttempts += 1
      if (failedAttempts >= attemptsMax) return this.#lose(parts.flat(), 'gave_up', problem)
    }
  }

  #post(part: readonly Item[]): Promise<Answer> {
    const { http, now } = this.#options
    // Set again for each attempt: the server calculates the sender's clock error from it.
    const sentAt = new Date(now()).toISOString()
    const texts = part.map(({ text }) => text).join(',')
    return http('POST', '/v1/batch', `{"sent_at":"${sentAt}","batch":[${texts}]}`)
  }

  /** Returns the items to retry; the others are lost. */
  #refuse(part: readonly Item[], problem: ApiProblem): readonly Item[] {
    if (isWorthRetrying(problem)) return part
    if (problem.status === 413 && part.length > 1) {
      this.#partEventsMax = Math.ceil(part.length / 2)
      return part
    }
    this.#lose(part, 'refused', problem)
    return []
  }

  /** The key is refused, and a retry cannot help: nothing more is sent, and `onError` is called once. */
  #stop(batch: readonly Item[], problem: ApiProblem): void {
    this.#isStopped = true
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    this.#lose([...batch, ...waiting], 'refused', problem)
  }

  /** Returns the items to retry. */
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

  /** Waits as the last failure requires, before the next request of any batch. */
  #pause(): Promise<void> {
    const ms = this.#pauseMs
    this.#pauseMs = 0
    if (ms === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Of nearly equal size, so that no event is sent alone without need. */
function inPieces(part: readonly Item[], eventsMax: number): (readonly Item[])[] {
  if (part.length <= eventsMax) return [part]
  const middle = Math.ceil(part.length / 2)
  return [...inPieces(part.slice(0, middle), eventsMax), ...inPieces(part.slice(middle), eventsMax)]
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
