import { createBudget, requestsMax, restMs } from '../../src/delivery/budget.ts'
import { countLosses } from '../../src/delivery/losses.ts'
import type { Answer } from '../../src/delivery/network.ts'
import { createQueue, type Queue } from '../../src/delivery/queue.ts'
import { openDevice } from '../../src/device.ts'

/** `slots` are the ids in the order of their results; a report of losses has a slot and no id. */
type Request = { at: number; ids: string[]; slots: (string | null)[]; resolve: (answer: Answer) => void }
type Report = { event_id: string; count: number }
type Body = { batch?: (Report & { sdk_loss?: true })[]; event_id?: string }

type ModelClock = {
  /** Lets time pass, and runs everything due by then. */
  pass: (ms: number) => Promise<unknown>
  /** A page that is gone has no timers. */
  clear: () => void
}

/** One device with its pages in sequence, and everything a server could know of it. */
export class ModeledPage {
  readonly added: string[] = []
  readonly acknowledged = new Set<string>()
  /** Handed to the browser by a closed page: its result is never known. */
  readonly handedOver = new Set<string>()
  readonly reports = new Map<string, number>()
  readonly failures: string[] = []
  readonly device = 'assay.model'
  lost = 0
  rejected = 0
  isOnline = true
  takesBeacons = true
  inFlight: Request | undefined
  queue: Queue
  /** Of this page. */
  warnings = 0
  readonly #clock: ModelClock
  #isRefused = false
  #unencouraged = 0
  #lastRequestAt = 0
  #rests = 0
  #notBefore = 0
  #nextId = 0

  constructor(clock: ModelClock) {
    this.#clock = clock
    this.queue = this.#open()
  }

  #open(): Queue {
    const device = openDevice(this.device, this.#newId(), true)
    const world = { now: () => Date.now(), newId: () => this.#newId(), advise: () => void this.warnings++ }
    const losses = countLosses(({ reason, count }) => {
      if (reason === 'rejected') this.rejected += count
      else this.lost += count
      if (reason === 'sdk_error') this.failures.push('the SDK reported an internal error')
    })
    const queue = createQueue({
      ...world,
      host: '',
      key: 'pk',
      flushMs: 2_000,
      context: () => '{}',
      device,
      losses,
      budget: createBudget(device, world),
      lossBody: ({ count }) => JSON.stringify({ event_id: `loss-${this.#newId()}`, count, sdk_loss: true }),
      post: (_, body) => new Promise((resolve) => this.#sent(body, resolve)),
      beacon: (_, body) => {
        if (this.takesBeacons) this.#sent(body)
        return this.takesBeacons
      },
      isOnline: () => this.isOnline,
    })
    device.allow()
    queue.adopt()
    queue.hold(false)
    return queue
  }

  /** Ids are hexadecimal, as the SDK's own. */
  #newId(): string {
    this.#nextId += 1
    return (this.#nextId * 40_503).toString(16).padStart(8, '0')
  }

  track(path: string, bytes: number, isFirst: boolean): void {
    const id = `event-${this.#newId()}`
    this.added.push(id)
    this.queue.add({ path, body: JSON.stringify({ event_id: id, pad: 'x'.repeat(bytes) }) }, isFirst)
  }

  async answer(answer: Answer): Promise<void> {
    const request = this.inFlight
    if (!request) return
    this.inFlight = undefined
    const isTaken = answer.status >= 200 && answer.status < 300
    if (isTaken) {
      this.#unencouraged = 0
      this.#rests = 0
      const isRetried = (index: number) => answer.results[index]?.retryable === true
      for (const [index, id] of request.slots.entries()) {
        if (id === null || isRetried(index)) continue
        this.acknowledged.add(id)
      }
    } else this.#notBefore = Date.now() + answer.waitMs
    if (answer.status === 401 || answer.status === 403) this.#isRefused = true
    request.resolve(answer)
    await this.pass(0)
  }

  pass(ms: number): Promise<unknown> {
    return this.#clock.pass(ms)
  }

  /**
   * The page is closed, and the next one of the same visitor opens; the results of requests in flight are
   * lost.
   */
  reload(): void {
    this.queue.leave()
    this.#clock.clear()
    this.inFlight = undefined
    this.#notBefore = 0
    this.#isRefused = false
    this.warnings = 0
    // Only what a rest returned when the page opened counts, and never more than was used. Clearing the
    // timers sets the clock back, which counts as a rest too.
    if (this.#unencouraged > 0) {
      const rested = Math.floor(Math.abs(Date.now() - this.#lastRequestAt) / restMs)
      this.#rests = Math.min(this.#unencouraged, this.#rests + rested)
    }
    this.queue = this.#open()
  }

  #sent(text: string, resolve?: Request['resolve']): void {
    const { batch, event_id }: Body = JSON.parse(text)
    const bodies = batch ?? [{ event_id: event_id ?? '', count: 0 }]
    const slots = bodies.map((body) => ('sdk_loss' in body ? null : body.event_id))
    const ids = slots.filter((id) => id !== null)
    this.#unencouraged += 1
    this.#lastRequestAt = Date.now()
    this.#check(
      this.#unencouraged <= requestsMax + this.#rests,
      `${this.#unencouraged} requests without a 2xx`,
    )
    this.#check(!this.#isRefused, 'a request after the key was refused')
    this.#check(Date.now() >= this.#notBefore, 'a request before the server wants one')
    this.#check(this.isOnline, 'a request without a network')
    this.#check(ids.length > 0, 'a request that only reports losses')
    this.#check(
      ids.every((id) => !this.acknowledged.has(id)),
      'something acknowledged was sent again',
    )
    this.#check(!(resolve && this.inFlight), 'two requests of the queue at a time')
    for (const body of bodies) {
      if (!('sdk_loss' in body)) continue
      this.#check((this.reports.get(body.event_id) ?? body.count) === body.count, 'a report that changes')
      this.reports.set(body.event_id, body.count)
    }
    if (resolve) this.inFlight = { at: Date.now(), ids, slots, resolve }
    else for (const id of ids) this.handedOver.add(id)
  }

  /** What the device stores for the next page. */
  kept(): string[] {
    this.isOnline = false
    this.queue.leave()
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(`${this.device}.q.`))
      .flatMap((name) => JSON.parse(localStorage.getItem(name) ?? '[]'))
      .map(({ body }) => JSON.parse(body).event_id)
  }

  #check(isTrue: boolean, what: string): void {
    if (!isTrue) this.failures.push(what)
  }
}
