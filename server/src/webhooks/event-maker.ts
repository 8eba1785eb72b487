import { judgeReading, type Outcome, readTrack, withoutAlias } from '@assay/contract'
import {
  type Fact,
  factKey,
  foldFact,
  foldPayment,
  type Memory,
  type NormalisedEvent,
  normaliseWebhook,
  type Payment,
  toTrackEvent,
  type VendorEvent,
} from '@assay/server/webhooks'
import type { Ingest } from '../ingest/ingest.ts'
import type { Item, Sender } from '../ingest/validation.ts'
import type { Clock } from '../platform/clock.ts'
import type { Registry } from '../registry/registry.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { candidateOf } from './candidate.ts'
import { coverWaiting, type DeliveryRow } from './delivery-store.ts'
import { paymentMemories, rememberPayment, waitKey } from './payment-memory.ts'
import { selectMemory, upsertMemory } from './payment-store.ts'

/** The connection that something came by, and where its events go. */
export type Destination = {
  connectionId: string
  provider: DeliveryRow['provider']
  site: SiteRow
  sender: Sender
}

export type DeliveryResult = Pick<DeliveryRow, 'status' | 'reason' | 'event_ids'> & {
  waitsFor: string | null
}

export type MakingDeps = { control: Control; ingest: Ingest; registry: Registry; now: Clock }

/** Derives events from deliveries, and passes them to the write path like any others. */
export class Making {
  readonly #deps: MakingDeps

  constructor(deps: MakingDeps) {
    this.#deps = deps
  }

  /**
   * `key` identifies the event if the vendor gave it no id. With `isFinal` an order waits no longer. The
   * memory is written last, so that after a crash the delivery is sent, and processed, again.
   */
  async make(to: Destination, event: VendorEvent, key: string, isFinal: boolean): Promise<DeliveryResult> {
    const { events, facts, unmapped, orderToWaitFor, payment } = normaliseWebhook(to.provider, event)
    if (payment !== undefined) return this.#pay(to, event, { payment, events, isFinal })
    if (orderToWaitFor !== null && !isFinal) {
      const waitsFor = `order:${orderToWaitFor}`
      const isCovered = (await selectMemory(this.#deps.control, whoseOf(to), waitsFor)) !== null
      return isCovered
        ? nothing('told_elsewhere')
        : { ...nothing('may_be_a_subscription', 'waiting'), waitsFor }
    }
    const folds = await this.#fold(to, facts)
    const known = [...events, ...folds.flatMap(({ events: made }) => made)]
    const results = await this.#submit(to, event, known)
    for (const { key: memoryKey, memory } of folds) {
      await upsertMemory(this.#deps.control, whoseOf(to), memoryKey, memory, new Date(this.#deps.now()))
    }
    await this.#cover(to, facts)
    if (known.length > 0) return toMade(results)
    return unmapped === 'no_rule' ? this.#offer(to, event, key) : nothing(unmapped ?? 'incomplete')
  }

  /** A payment that several deliveries report counts once. */
  async #pay(
    to: Destination,
    event: VendorEvent,
    { payment, events, isFinal }: { payment: Payment; events: readonly NormalisedEvent[]; isFinal: boolean },
  ): Promise<DeliveryResult> {
    const { control, now } = this.#deps
    const before = await paymentMemories(control, whoseOf(to), payment.references)
    const step = foldPayment(before, payment, events, isFinal)
    const results = await this.#submit(to, event, step.events)
    const made = toMade(results)
    // What the gate rejects is not counted, so another report of the payment still may be.
    if (results.length > 0 && made.status === 'rejected') return made
    await rememberPayment(control, whoseOf(to), step.memory, new Date(now()))
    if (step.outcome === 'made') return made
    if (step.outcome === 'told_elsewhere') return nothing('told_elsewhere')
    const waitsFor = waitKey(payment)
    return { ...nothing('may_be_told_elsewhere', 'waiting'), waitsFor }
  }

  async #fold(to: Destination, facts: readonly Fact[]) {
    const folds: { key: string; memory: Memory; events: readonly NormalisedEvent[] }[] = []
    for (const fact of facts) {
      const key = factKey(fact)
      // boundary: written by this very class, from the same type.
      const before = (await selectMemory(this.#deps.control, whoseOf(to), key)) as Memory | null
      folds.push({ key, ...foldFact(before, fact) })
    }
    return folds
  }

  /** The order that started a subscription is reported by it, whichever of the two comes first. */
  async #cover(to: Destination, facts: readonly Fact[]): Promise<void> {
    const { control, now } = this.#deps
    for (const fact of facts) {
      if (fact.kind !== 'subscription' || fact.orderId === undefined) continue
      const key = `order:${fact.orderId}`
      await upsertMemory(control, whoseOf(to), key, { subscriptionId: fact.id }, new Date(now()))
      await coverWaiting(control, whoseOf(to), key)
    }
  }

  async #offer(to: Destination, event: VendorEvent, key: string): Promise<DeliveryResult> {
    const { registry, now } = this.#deps
    const [item] = await this.#items(to, event, [candidateOf(to.provider, event, key)])
    if (item === undefined) return nothing('no_rule')
    const known = await registry.knowledge(to.sender.workspaceId, to.site.id)
    const { contractVersion } = judgeReading(item.reading, {
      ...known,
      keyClass: 'secret',
      receivedAt: now(),
    })
    return contractVersion === null ? nothing('no_rule') : toMade(await this.#submitItems(to, [item]))
  }

  async #submit(to: Destination, event: VendorEvent, made: readonly NormalisedEvent[]) {
    return made.length === 0 ? [] : this.#submitItems(to, await this.#items(to, event, made))
  }

  async #submitItems({ sender }: Destination, items: readonly Item[]) {
    return (await this.#deps.ingest.submit(items, sender, false)).results
  }

  async #items(to: Destination, event: VendorEvent, made: readonly NormalisedEvent[]): Promise<Item[]> {
    const wire = await Promise.all(made.map((one) => toTrackEvent(to.provider, event, one, to.connectionId)))
    return wire.map((one) => ({ site: to.site, reading: withoutAlias(readTrack(one)) }))
  }
}

const whoseOf = ({ connectionId, sender: { workspaceId } }: Destination) => ({ workspaceId, connectionId })

function nothing(reason: string, status: DeliveryRow['status'] = 'unmapped'): DeliveryResult {
  return { status, reason, event_ids: [], waitsFor: null }
}

type Result = { eventId: string; outcome: Outcome; issues: readonly { code: string; severity: string }[] }

/** Quarantined events count as accepted: they are decided in the quarantine. */
function toMade(results: readonly Result[]): DeliveryResult {
  const kept = results.filter(({ outcome }) => outcome !== 'reject')
  const worst =
    results.find(({ outcome }) => outcome === 'reject') ??
    results.find(({ outcome }) => outcome === 'quarantine')
  const code = worst?.issues.find(({ severity }) => severity === worst.outcome)?.code ?? null
  return {
    status: kept.length === 0 ? 'rejected' : 'accepted',
    reason: code,
    event_ids: kept.map(({ eventId }) => eventId),
    waitsFor: null,
  }
}
