import { severityRanks } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { RecentMap } from '../../platform/recent-map.ts'
import { dayMs } from '../../platform/units.ts'
import { orderOf } from '../../registry/judged-columns.ts'
import type { Events } from '../../store/events.ts'
import type { IdHash } from '../row/row.ts'
import { findId, type IdRow, selectIdDays, selectIdsOfDay } from '../store.ts'
import type { Judged } from '../validation.ts'
import { isPublic, isQuarantined, payloadOf, rankIn } from './id-payload.ts'
import type { PendingClaims } from './pending-ids.ts'
import { createSeenIds, idHasher, neverSeen, possiblyOlder, type SeenIds } from './seen-ids.ts'

/** A first sighting, and for a purchase what is known of its order. */
export type FirstClaim = {
  kind: 'first'
  idHash: IdHash
  /** Set when this event is the first of its order. */
  orderHash: IdHash | null
  orderId: string
  duplicateOf: string
  /**
   * A public event may have the same id or order: which of them counts is decided when this one is loaded.
   */
  isContested: boolean
}
type RepeatClaim = { kind: 'repeat'; idHash: IdHash; outcomeRank: number }
export type Claim = FirstClaim | RepeatClaim

/**
 * The sender of the claimed events. Orders reported by bots are not claimed, because bots are not counted. A
 * secret sender may claim what a public one claimed before: it is trusted more.
 */
type Claimant = { workspaceId: string; isBot: boolean; isPublic: boolean }

/** The claims of one request: kept when its lines are on disk, undone otherwise. */
type ClaimGroup = {
  claim: (judged: Judged, sender: Claimant) => Claim | Promise<Claim>
  /** For a quarantined event that now passes: it has its id already, its order is still to be claimed. */
  claimReleased: (judged: Judged, sender: Omit<Claimant, 'isBot'>) => Promise<FirstClaim>
  /** Resolves when the public claims that this request took over are on disk, or undone: they come first. */
  predecessors: () => Promise<void> | null
  finish: (appended: Promise<void>) => Promise<void>
  undo: () => void
  /**
   * Call only after `finish`, because two requests that wait for each other would wait forever. Resolves when
   * the first sightings of all repeats are durable, with the ids of those that were undone instead.
   */
  lostFirsts: () => Promise<readonly IdHash[]>
}

export type Admission = {
  begin: () => ClaimGroup
  hashId: (workspaceId: string, kind: 'event' | 'order', id: string) => IdHash
  /** Reads the ids of a workspace that did not come through the write path. */
  recall: (workspaceId: string) => Promise<void>
}

/** Decisions §3: an id counts once for at least 30 days. */
const keptDays = 30
/** 4 M recent ids take about 60 MB, 20 M older ones about 46 MB. */
const recentMax = 4_000_000
const olderMax = 20_000_000
/** First sightings of orders that may not be in the store yet; an event id has 512 characters at most. */
const recentOrdersMax = 50_000
/** Two words, the kind, and the outcome with the sender's class, as `selectIdsOfDay` returns them. */
const bytesPerId = 10

/** The dedup index: exact, and without a query for nearly every event. */
export async function createAdmission(
  events: Events,
  secret: string,
  now: Clock,
  pending: PendingClaims,
): Promise<Admission> {
  const hasher = await idHasher(
    Number.parseInt(secret.slice(0, 8), 16),
    Number.parseInt(secret.slice(8, 16), 16),
  )
  const seen = createSeenIds({ recentMax, olderMax })
  await rebuild(seen, events, now())
  const orders = new RecentOrders(recentOrdersMax)
  claimPending(pending, seen, orders, Math.floor(now() / dayMs))
  // bounded: by the requests that are being answered.
  const underWay = new Set<RequestClaims>()
  const today = { day: Math.floor(now() / dayMs) }

  const hashId: Admission['hashId'] = (workspaceId, kind, id) => {
    hasher.hash(workspaceId, kind === 'event' ? 'e' : 'o', id)
    return { hi: hasher.hi, lo: hasher.lo }
  }
  return {
    hashId,
    recall: (workspaceId) => rebuild(seen, events, now(), workspaceId),
    begin: () => new RequestClaims({ today, events, now, seen, orders, underWay, hashId }),
  }
}

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
  hashId: Admission['hashId']
}

/** What was known of a hash before this request claimed it, so that it can be restored. */
type Added = { hash: IdHash; payload: number; before: number; owner: RequestClaims | null }

class RequestClaims implements ClaimGroup {
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
    return orderId === '' ? claim : this.#claimOrder(judged, sender, { ...claim, orderId })
  }

  /** An order counts once per site, regardless of its events' ids; later ones refer to the first. */
  #claimOrder(
    { site, eventId }: Judged,
    { workspaceId, isPublic: isPublicSender }: Claimant,
    claim: FirstClaim,
  ): FirstClaim | Promise<FirstClaim> {
    const { seen, orders, events } = this.#shared
    const orderHash = this.#shared.hashId(workspaceId, 'order', `${site.id}\u0000${claim.orderId}`)
    const claimed = (isContested: boolean): FirstClaim => {
      this.#add(orderHash, payloadOf(0, isPublicSender))
      const mine = { eventId, isPublic: isPublicSender }
      this.#orders.push({ hash: orderHash, mine, before: orders.get(orderHash) })
      orders.set(orderHash, mine)
      return { ...claim, orderHash, isContested: claim.isContested || isContested }
    }
    const against = (known: KnownOrder): FirstClaim =>
      known.isPublic && !isPublicSender ? claimed(true) : { ...claim, duplicateOf: known.eventId }
    if (seen.lookup(orderHash.hi, orderHash.lo) === neverSeen) return claimed(false)
    const recent = orders.get(orderHash)
    // A repaired dead letter is itself the first of its order.
    if (recent?.eventId === eventId && recent.isPublic === isPublicSender) return { ...claim, orderHash }
    if (recent !== undefined) return against(recent)
    return findId(events, orderHash, workspaceId, 1, claim.orderId).then((row) => {
      // Another request may have claimed the order while we waited.
      const meanwhile = orders.get(orderHash)
      if (meanwhile !== undefined) return against(meanwhile)
      if (row === null) return claimed(false)
      return against({ eventId: row.event_id, isPublic: Number(row.is_public) === 1 })
    })
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

function noOrder(idHash: IdHash, isContested = false): FirstClaim {
  return { kind: 'first', idHash, orderHash: null, orderId: '', duplicateOf: '', isContested }
}

function payloadOfRow({ outcome, is_public }: IdRow): number {
  const rank =
    outcome === 'quarantine' ? severityRanks.quarantine : outcome === 'warn' ? severityRanks.warn : 0
  return payloadOf(rank, Number(is_public) === 1)
}

type KnownOrder = { eventId: string; isPublic: boolean }

/** From order to its first event; the oldest are dropped, since they are in the store by then. */
class RecentOrders {
  readonly #events: RecentMap<KnownOrder>

  constructor(max: number) {
    this.#events = new RecentMap(max)
  }

  get({ hi, lo }: IdHash): KnownOrder | undefined {
    return this.#events.get(`${hi} ${lo}`)
  }

  set({ hi, lo }: IdHash, order: KnownOrder): void {
    this.#events.set(`${hi} ${lo}`, order)
  }

  restore({ hi, lo }: IdHash, before: KnownOrder | undefined): void {
    if (before === undefined) this.#events.delete(`${hi} ${lo}`)
    else this.#events.set(`${hi} ${lo}`, before)
  }
}

/** Acknowledged events that are not in the store yet are repeats when they are sent again. */
function claimPending(
  { ids, orders: brought }: PendingClaims,
  seen: SeenIds,
  orders: RecentOrders,
  day: number,
) {
  const isOutranked = (hi: number, lo: number, payload: number) =>
    isPublic(payload) && mayBeSecret(seen.lookup(hi, lo))
  for (const [index, hi] of ids.hi.entries()) {
    const [lo, payload] = [ids.lo[index] ?? 0, ids.payload[index] ?? 0]
    if (!isOutranked(hi, lo, payload)) seen.add(hi, lo, payload, day)
  }
  for (const { orderHash, ...order } of brought.values()) {
    const payload = payloadOf(0, order.isPublic)
    if (isOutranked(orderHash.hi, orderHash.lo, payload)) continue
    seen.add(orderHash.hi, orderHash.lo, payload, day)
    orders.set(orderHash, order)
  }
}

/** Day by day, oldest first, so that the latest ids are known exactly. */
async function rebuild(
  seen: SeenIds,
  events: Events,
  nowMs: number,
  workspaceId: string | null = null,
): Promise<void> {
  const today = Math.floor(nowMs / dayMs)
  for (const day of await selectIdDays(events, (today - keptDays) * dayMs, workspaceId)) {
    const bytes = await selectIdsOfDay(events, day * dayMs, (day + 1) * dayMs, workspaceId)
    loadDay(seen, bytes, day)
  }
}

/**
 * An id may have several rows: quarantined and released, of a public and of a secret sender. Higher ranks
 * come later, and an id of a secret sender never becomes a public one again, whenever it was released.
 */
function loadDay(seen: SeenIds, bytes: Buffer, day: number): void {
  const count = bytes.length / bytesPerId
  const hi = new Uint32Array(count)
  const lo = new Uint32Array(count)
  const payload = new Uint8Array(count)
  for (const isPublicTurn of [true, false]) {
    let filled = 0
    for (const isQuarantineTurn of [true, false]) {
      for (let at = 0; at < count * bytesPerId; at += bytesPerId) {
        const own = bytes.readUInt8(at + 9)
        if (isPublic(own) !== isPublicTurn || isQuarantined(own) !== isQuarantineTurn) continue
        const [ownHi, ownLo] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
        if (isPublicTurn && mayBeSecret(seen.lookup(ownHi, ownLo))) continue
        hi[filled] = ownHi
        lo[filled] = ownLo
        payload[filled] = own
        filled += 1
      }
    }
    seen.load(hi.subarray(0, filled), lo.subarray(0, filled), payload.subarray(0, filled), day)
  }
}

/** From an older day, or so old that only the store knows it. */
function mayBeSecret(known: number): boolean {
  return known === possiblyOlder || (known >= 0 && !isPublic(known))
}
