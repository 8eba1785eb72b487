import { severityRanks } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import { orderOf } from '../../registry/judged-columns.ts'
import type { Events } from '../../store/events.ts'
import type { IdHash } from '../row/row.ts'
import type { Judged } from '../validation.ts'
import { type Claim, type Claimant, type ClaimGroup, type FirstClaim, type HashId, noOrder } from './claim.ts'
import { keptDays } from './id-history.ts'
import { isPublic, mayBeSecret, payloadOf, payloadOfRow, rankIn } from './id-payload.ts'
import { findId } from './id-store.ts'
import { claimOrder, type OrderTaker } from './order-claim.ts'
import type { KnownOrder, RecentOrders } from './recent-orders.ts'
import { neverSeen, type SeenIds } from './seen-ids.ts'

type Shared = {
  /** The last day on which old ids were dropped. */
  today: { day: number }
  events: Events
  now: Clock
  seen: SeenIds
  orders: RecentOrders
  /**
   * Requests whose append is not decided yet: a repeat is only answered when its first sighting is durable.
   */
  underWay: Set<RequestClaims>
  hashId: HashId
}

/** What was known of a hash before this request claimed it, so that it can be restored. */
type Added = { hash: IdHash; payload: number; before: number; owner: RequestClaims | null }

/** The claims of one request, and what they replaced, so that all of them can be undone. */
export class RequestClaims implements ClaimGroup, OrderTaker {
  isUndone = false
  readonly settled: Promise<void>
  readonly #shared: Shared
  readonly #added: Added[] = []
  readonly #orders: { hash: IdHash; mine: KnownOrder; before: KnownOrder | undefined }[] = []
  /** Ids of quarantined events that are stored once this request is on disk, with their new outcome. */
  readonly #released: { idHash: IdHash; payload: number }[] = []
  /** Repeats whose first sighting may still be in flight in another request. */
  readonly #repeats: IdHash[] = []
  readonly #settle: () => void
  readonly #day: number

  constructor(shared: Shared) {
    this.#shared = shared
    const { promise, resolve } = Promise.withResolvers<void>()
    this.settled = promise
    this.#settle = () => {
      shared.underWay.delete(this)
      resolve()
    }
    this.#day = Math.floor(shared.now() / dayMs)
    if (this.#day > shared.today.day) {
      shared.today.day = this.#day
      shared.seen.dropOlderThan(this.#day - keptDays)
    }
    shared.underWay.add(this)
  }

  claim(judged: Judged, sender: Claimant): Claim | Promise<Claim> {
    const idHash = this.#shared.hashId(sender.workspaceId, 'event', judged.eventId)
    const found = this.#shared.seen.lookup(idHash.hi, idHash.lo)
    if (found === neverSeen) return this.#first(judged, sender, idHash, false)
    if (found >= 0) return this.#against(found, judged, sender, idHash)
    return this.#askStore(judged, sender, idHash)
  }

  #against(known: number, judged: Judged, sender: Claimant, idHash: IdHash): Claim | Promise<Claim> {
    if (isPublic(known) && !sender.isPublic) return this.#first(judged, sender, idHash, true)
    if (this.#shared.underWay.size > 1) this.#repeats.push(idHash)
    return { kind: 'repeat', idHash, outcomeRank: rankIn(known) }
  }

  async #askStore(judged: Judged, sender: Claimant, idHash: IdHash): Promise<Claim> {
    const row = await findId(this.#shared.events, idHash, sender.workspaceId, 0, judged.eventId)
    // Another request may have claimed the id while we waited.
    const found = this.#shared.seen.lookup(idHash.hi, idHash.lo)
    if (found >= 0) return this.#against(found, judged, sender, idHash)
    if (row !== null) return this.#against(payloadOfRow(row), judged, sender, idHash)
    return this.#first(judged, sender, idHash, false)
  }

  #first(
    judged: Judged,
    sender: Claimant,
    idHash: IdHash,
    isContested: boolean,
  ): FirstClaim | Promise<FirstClaim> {
    this.#add(idHash, payloadOf(severityRanks[judged.verdict.outcome], sender.isPublic))
    return this.#withOrder(judged, sender, idHash, isContested)
  }

  async claimReleased(judged: Judged, sender: Omit<Claimant, 'isBot'>): Promise<FirstClaim> {
    const { eventId } = judged
    const idHash = this.#shared.hashId(sender.workspaceId, 'event', eventId)
    if (sender.isPublic && (await this.#isOutranked(idHash, sender.workspaceId, eventId))) {
      return { ...noOrder(idHash), orderId: orderOf(judged.verdict), duplicateOf: eventId }
    }
    const payload = payloadOf(severityRanks[judged.verdict.outcome], sender.isPublic)
    this.#released.push({ idHash, payload })
    // The loader checks whether another one arrived while it was quarantined: releases are few.
    return this.#withOrder(judged, { ...sender, isBot: false }, idHash, true)
  }

  /** Whether a secret sender sent the same id while this public event was quarantined. */
  async #isOutranked(idHash: IdHash, workspaceId: string, eventId: string): Promise<boolean> {
    const found = this.#shared.seen.lookup(idHash.hi, idHash.lo)
    if (found >= 0 || found === neverSeen) return found >= 0 && !isPublic(found)
    const row = await findId(this.#shared.events, idHash, workspaceId, 0, eventId)
    return row !== null && Number(row.is_public) === 0
  }

  #withOrder(
    judged: Judged,
    sender: Claimant,
    idHash: IdHash,
    isContested: boolean,
  ): FirstClaim | Promise<FirstClaim> {
    const orderId = sender.isBot ? '' : orderOf(judged.verdict)
    const claim = noOrder(idHash, isContested)
    return orderId === '' ? claim : claimOrder(judged, sender, { ...claim, orderId }, this, this.#shared)
  }

  takeOrder(hash: IdHash, mine: KnownOrder): void {
    const { orders } = this.#shared
    this.#add(hash, payloadOf(0, mine.isPublic))
    this.#orders.push({ hash, mine, before: orders.get(hash) })
    orders.set(hash, mine)
  }

  predecessors(): Promise<void> | null {
    const owners = this.#added.flatMap(({ owner }) => (owner === null ? [] : [owner.settled]))
    return owners.length === 0 ? null : Promise.all(owners).then(() => {})
  }

  async lostFirsts(): Promise<readonly IdHash[]> {
    if (this.#repeats.length === 0) return []
    const { underWay, seen } = this.#shared
    let waiting = [...underWay]
    // If one was undone, another may have claimed the same meanwhile, and may be undone too.
    while (waiting.length > 0) {
      await Promise.all(waiting.map(({ settled }) => settled))
      waiting = [...underWay].filter((group) => this.#repeats.some((hash) => group.claims(hash)))
    }
    return this.#repeats.filter(({ hi, lo }) => seen.lookup(hi, lo) === neverSeen)
  }

  async finish(appended: Promise<void>): Promise<void> {
    await appended
    const { seen } = this.#shared
    for (const { idHash, payload } of this.#released) {
      const isOutranked = isPublic(payload) && mayBeSecret(seen.lookup(idHash.hi, idHash.lo))
      if (!isOutranked) seen.add(idHash.hi, idHash.lo, payload, this.#day)
    }
    this.#settle()
  }

  /** Restores what was known before, last first; later claims of others stay. */
  undo(): void {
    this.isUndone = true
    const { seen, orders } = this.#shared
    for (const { hash, payload, before, owner } of this.#added.toReversed()) {
      if (seen.lookup(hash.hi, hash.lo) !== payload) continue
      if (before >= 0 && owner?.isUndone !== true) seen.add(hash.hi, hash.lo, before, this.#day)
      else seen.remove(hash.hi, hash.lo)
    }
    for (const { hash, mine, before } of this.#orders.toReversed()) {
      if (orders.get(hash) === mine) orders.restore(hash, before)
    }
    this.#settle()
  }

  /** A claim over another one remembers its owner, which may not reach the disk. */
  #add(hash: IdHash, payload: number): void {
    const { seen, underWay } = this.#shared
    const before = seen.lookup(hash.hi, hash.lo)
    const owner =
      before >= 0
        ? ([...underWay].find((group) => group !== this && group.holds(hash, before)) ?? null)
        : null
    seen.add(hash.hi, hash.lo, payload, this.#day)
    this.#added.push({ hash, payload, before, owner })
  }

  holds(hash: IdHash, payload: number): boolean {
    return this.#added.some((one) => isSame(one.hash, hash) && one.payload === payload)
  }

  claims(hash: IdHash): boolean {
    return this.#added.some((one) => isSame(one.hash, hash))
  }
}

function isSame(a: IdHash, b: IdHash): boolean {
  return a.hi === b.hi && a.lo === b.lo
}
