import { type Binding, Problem } from '@assay/contract'
import { aliasPerson, identifiedPerson, identifyPerson } from '../identity/commands/identify.ts'
import { readIdentify } from '../identity/commands/wire.ts'
import type { People } from '../identity/people.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Tracer } from '../platform/tracing/tracer.ts'
import { type ItemResult, toResult } from './item-result.ts'
import type { RecentEvents } from './receipts/recent-events.ts'
import { type Item, type Judged, type Judges, judgeItems, passes, type Sender } from './validation.ts'
import type { WritePath } from './write-path.ts'

export type Submission = {
  results: ItemResult[]
  /** Strict, and something did not pass: nothing was stored. */
  refused: boolean
}

type SubmissionOptions = {
  judges: Judges
  writePath: WritePath
  recent: Pick<RecentEvents, 'note'>
  people: People
  /** Whether a workspace is being deleted. */
  isClosed: (workspaceId: string) => boolean
  now: Clock
  newId: NewId
  metrics: Pick<Metrics, 'judged'>
  tracer: Tracer | null
}

/** Validates requests and stores what passes, in one way for every endpoint. */
export class Submissions {
  readonly #options: SubmissionOptions

  constructor(options: SubmissionOptions) {
    this.#options = options
  }

  async submit(items: readonly Item[], sender: Sender, strict: boolean): Promise<Submission> {
    const receivedMs = this.#options.now()
    const judged = await this.#judge(items, sender, receivedMs)
    const refused = strict && !judged.every(passes)
    if (refused) return { results: judged.map((one) => toResult(one)), refused }
    const results = await this.#store(judged, sender, receivedMs)
    await this.#applyAliases(judged, results, sender)
    return { results, refused: false }
  }

  async identify(item: Item, sender: Sender): Promise<ItemResult> {
    const { people, now } = this.#options
    const receivedMs = now()
    const [one] = await this.#judge([item], sender, receivedMs)
    if (one === undefined) throw new Error('one item in gave no verdict')
    const { event, verdict, eventId } = one
    if (event === null || verdict.outcome === 'reject') return this.#storeOne(one, sender, receivedMs)
    const call = readIdentify(event, verdict, eventId)
    if (sender.storesNothing) {
      const bind = passes(one) ? identifyPerson : identifiedPerson
      return { ...toResult(one), bound: await bind(people, sender, call) }
    }
    let said: Said | undefined
    const result = await this.#storeOne({ ...one, isBound: passes(one) }, sender, receivedMs, async () => {
      said = await conflictOr(() => identifyPerson(people, sender, call))
    })
    if (passes(one)) {
      // A repeat identifies no one again, and gets the answer that identifying would give now.
      said ??= await conflictOr(() => identifyPerson(people, { ...sender, storesNothing: true }, call))
      return { ...result, ...said }
    }
    return { ...result, bound: await identifiedPerson(people, sender, call) }
  }

  async #judge(items: readonly Item[], sender: Sender, receivedMs: number): Promise<Judged[]> {
    const { isClosed, judges, newId, tracer } = this.#options
    // Keys and tokens are refused before; this is the last check, for any other way in.
    if (isClosed(sender.workspaceId)) throw new Problem('not-found', { detail: 'There is no such site.' })
    if (tracer !== null) {
      const span = { name: 'judge', attributes: { 'assay.events': items.length } }
      return tracer.runWithin(span, async () => judgeItems(items, sender, judges, receivedMs, newId))
    }
    const judging = judgeItems(items, sender, judges, receivedMs, newId)
    return judging instanceof Promise ? await judging : judging
  }

  async #store(
    judged: readonly Judged[],
    sender: Sender,
    receivedMs: number,
    bind?: () => Promise<void>,
  ): Promise<ItemResult[]> {
    if (sender.storesNothing) return judged.map((one) => toResult(one))
    const { writePath, recent, metrics } = this.#options
    const results = await writePath.store(judged, sender, receivedMs, bind)
    metrics.judged(results)
    recent.note(judged, results, sender, receivedMs)
    return results
  }

  async #storeOne(...[one, ...rest]: StoreOne): Promise<ItemResult> {
    const [result] = await this.#store([one], ...rest)
    if (result === undefined) throw new Error('one item in gave no result')
    return result
  }

  /**
   * In their order, since one alias may build on another, and after the events, which may create its people.
   */
  async #applyAliases(judged: readonly Judged[], results: ItemResult[], sender: Sender): Promise<void> {
    for (const [index, { alias }] of judged.entries()) {
      const result = results[index]
      if (alias === undefined || result === undefined || result.outcome === 'reject') continue
      try {
        results[index] = { ...result, bound: await aliasPerson(this.#options.people, sender, alias) }
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        results[index] = refusedBy(result, error)
      }
    }
  }
}

type Said = Pick<ItemResult, 'bound' | 'refusal'>

/** A conflict of identities is an answer; the event happened anyway, and is stored. */
async function conflictOr(bind: () => Promise<Binding>): Promise<Said> {
  try {
    return { bound: await bind() }
  } catch (error) {
    if (error instanceof Problem && error.slug === 'identity-conflict') return { refusal: error }
    throw error
  }
}

type StoreOne = [one: Judged, sender: Sender, receivedMs: number, bind?: () => Promise<void>]

/** In a batch a conflict of identities is the verdict of its alias; alone it is the answer. */
function refusedBy(result: ItemResult, refusal: Problem): ItemResult {
  const [first] = refusal.options.errors ?? []
  const issue = {
    code: first?.code === 'suppressed' ? 'suppressed' : 'malformed_event',
    severity: 'reject',
    field: first?.field ?? 'type',
    message: refusal.options.detail,
    expected: 'two identities that may be one',
    actual: refusal.slug,
  } as const
  return { ...result, outcome: 'reject', issues: [issue], refusal }
}
