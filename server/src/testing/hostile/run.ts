import { appendFileSync } from 'node:fs'
import { residentMegabytes } from '../../../../bench/src/process.ts'
import type { Product } from '../../../../bench/src/product.ts'
import { type Case, createCampaign } from './campaign.ts'
import type { Reply } from './connection.ts'
import { faultOf } from './judgement.ts'
import { plainRequest } from './request.ts'
import { createTally, type Tally } from './tally.ts'
import { routeNamed, type Target } from './target.ts'

/** An answer that nothing documents; seed and case give the same request again. */
type Fault = {
  seed: number
  case: number
  route: string
  label: string
  as: string
  fault: string
  answer: string
}

type RunOptions = {
  seed: number
  /** The first case and how many. */
  first: number
  requests: number
  msMax: number
  concurrency: number
  faultFile: string
  say: (line: string) => void
}

/** After so many something is broken as a whole, and more of them say nothing new. */
const faultsMax = 500
const faultsShown = 30
const reportMs = 5_000
/** So often it is looked whether sound requests are still taken. */
const soundEvery = 1_000
const soundRoutes = ['track', 'batch', 'siteIngest', 'listSites']

/** Sends a campaign to a product, as many requests at a time as there are lanes. */
export class Run {
  readonly faults: Fault[] = []
  readonly tally: Tally = createTally()
  peakMb = 0
  #next: number
  readonly #options: RunOptions
  #begunAt = performance.now()

  constructor(options: RunOptions) {
    this.#options = options
    this.#next = options.first
  }

  async send(target: Target, product: Product): Promise<void> {
    const caseOf = createCampaign(target, this.#options.seed)
    this.#begunAt = performance.now()
    const watch = setInterval(() => this.#report(product), reportMs)
    const lane = async () => {
      while (this.#goesOn(product)) {
        const number = this.#next++
        await this.#one(target, caseOf(number))
        if (number % soundEvery === 0) await this.#sound(target, number)
      }
    }
    await Promise.all(Array.from({ length: this.#options.concurrency }, lane))
    clearInterval(watch)
    this.#report(product)
  }

  #goesOn(product: Product): boolean {
    const { first, requests, msMax } = this.#options
    if (hasEnded(product) || this.faults.length >= faultsMax) return false
    return this.#next < first + requests && performance.now() - this.#begunAt < msMax
  }

  async #one(target: Target, drawn: Case): Promise<void> {
    const { request, credential, method } = drawn
    const bearer = target.credentials[credential]
    const reply = await target.connection.raw({ ...request, method, credential: bearer })
    this.tally.add(drawn, reply)
    const isOther = method !== request.route.method
    const fault = isOther ? faultOfOtherMethod(reply) : faultOf(request, reply)
    if (fault !== null) this.#note(drawn, fault, reply)
  }

  /** Valid requests must still be accepted, or all that follow would be refused early and prove nothing. */
  async #sound(target: Target, number: number): Promise<void> {
    for (const id of soundRoutes) {
      const [example] = target.examples[id] ?? []
      if (example === undefined) continue
      const request = plainRequest(routeNamed(id), example)
      const reply = await target.connection.send(request, target.credentials[request.as])
      const drawn = { number, request, credential: request.as, method: request.route.method }
      if (reply.status >= 300) this.#note(drawn, `what is right is refused: ${reply.status}`, reply)
    }
  }

  #note({ number, request, credential }: Case, fault: string, reply: Reply): void {
    const { seed, faultFile, say } = this.#options
    const label = request.label.slice(0, 200)
    const place = { seed, case: number, route: request.route.id, label, as: credential }
    const entry = { ...place, fault, answer: reply.text.slice(0, 300) }
    this.faults.push(entry)
    appendFileSync(faultFile, `${JSON.stringify(entry)}\n`)
    if (this.faults.length <= faultsShown) say(`FAULT ${JSON.stringify(entry)}`)
  }

  #report(product: Product): void {
    if (hasEnded(product)) return
    const mb = residentMegabytes(product.processId)
    this.peakMb = Math.max(this.peakMb, mb)
    const seconds = (performance.now() - this.#begunAt) / 1_000
    const sent = this.tally.requests()
    const rate = `${sent} requests, ${Math.round(sent / seconds)}/s`
    this.#options.say(`${seconds.toFixed(0)} s: ${rate}, ${mb.toFixed(0)} MB, ${this.tally.statusLine()}`)
  }
}

export function hasEnded({ child }: Product): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** An unusual method may be answered by the web server itself; only silence and a failure are wrong. */
function faultOfOtherMethod({ status, text }: Reply): string | null {
  if (status === 0) return `no answer: ${text}`
  return status >= 500 ? `answered ${status}` : null
}
