import { severityRanks } from '@assay/contract'
import type { Clock } from '../clock.ts'
import { orderOf } from '../registry/judged-columns.ts'
import type { Events } from '../store/events.ts'
import type { Judged } from './judging.ts'
import type { PendingClaims } from './pending.ts'
import type { IdHash } from './row.ts'
import { createSeenIds, idHasher, neverSeen, type SeenIds } from './seen-ids.ts'
import { findId, type IdRow, selectIdDays, selectIdsOfDay } from './store.ts'

/** A first sighting, and for a purchase what is known of its order. */
export type FirstClaim = {
  kind: 'first'
  idHash: IdHash
  /** Set when this event is the first to bring its order. */
  orderHash: IdHash | null
  orderId: string
  duplicateOf: string
}
export type RepeatClaim = { kind: 'repeat'; idHash: IdHash; outcomeRank: number }
export type Claim = FirstClaim | RepeatClaim

/** Whose events are claimed. An order that a bot reports is nobody's first sighting: bots are not counted. */
export type Claimant = { workspaceId: string; isBot: boolean }

/** The claims of one request: kept when its lines are on disk, taken back otherwise. */
export type ClaimGroup = {
  claim: (judged: Judged, sender: Claimant) => Claim | Promise<Claim>
  /** For an event that was held and now passes: its id is its own already, its order is still to be claimed. */
  claimReleased: (judged: Judged, workspaceId: string) => FirstClaim | Promise<FirstClaim>
  finish: (appended: Promise<void>) => Promise<void>
  undo: () => void
  /**
   * To be asked after `finish`, and only then, for two requests that waited for each other before would wait for ever:
   * resolves when the first sightings of all repeats are safe, with the ids of those that were given up instead.
   */
  lostFirsts: () => Promise<readonly IdHash[]>
}

export type Admission = {
  begin: () => ClaimGroup
  hashId: (workspaceId: string, kind: 'event' | 'order', id: string) => IdHash
  /** Reads the ids of a workspace that came in beside the street. */
  recall: (workspaceId: string) => Promise<void>
}

const dayMs = 86_400_000
/** Decisions §3: an id counts once for at least 30 days. */
const keptDays = 30
/** 4 M recent ids take about 60 MB, 20 M older ones about 46 MB. */
const recentMax = 4_000_000
const olderMax = 20_000_000
/** First sightings of orders that may not be in the store yet. */
const recentOrdersMax = 50_000
/** Two words, the kind and the outcome, as `selectIdsOfDay` gives them. */
const bytesPerId = 10

/** The judge of what was seen before: exact, and without a round trip for nearly every event. */
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
  const underWay = new Set<Promise<void>>()
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
  /** Requests whose append is not decided yet: a repeat is only answered when its first sighting is safe. */
  underWay: Set<Promise<void>>
  hashId: Admission['hashId']
}

class RequestClaims implements ClaimGroup {
  readonly #shared: Shared
  readonly #added: IdHash[] = []
  /** Held ids that are stored once this request is on disk, with their new outcome. */
  readonly #released: { idHash: IdHash; outcomeRank: number }[] = []
  /** Repeats whose first sighting may still be under way elsewhere. */
  readonly #repeats: IdHash[] = []
  readonly #settled = Promise.withResolvers<void>()
  readonly #day: number

  constructor(shared: Shared) {
    this.#shared = shared
    this.#day = Math.floor(shared.now() / dayMs)
    if (this.#day > shared.today.day) {
      shared.today.day = this.#day
      shared.seen.dropOlderThan(this.#day - keptDays)
    }
    shared.underWay.add(this.#settled.promise)
  }

  claim(judged: Judged, sender: Claimant): Claim | Promise<Claim> {
    const idHash = this.#shared.hashId(sender.workspaceId, 'event', judged.eventId)
    const found = this.#shared.seen.lookup(idHash.hi, idHash.lo)
    if (found === neverSeen) return this.#first(judged, sender, idHash)
    if (found >= 0) return this.#repeat(idHash, found)
    return this.#askStore(judged, sender, idHash)
  }

  #repeat(idHash: IdHash, outcomeRank: number): RepeatClaim {
    if (this.#shared.underWay.size > 1) this.#repeats.push(idHash)
    return { kind: 'repeat', idHash, outcomeRank }
  }

  async #askStore(judged: Judged, sender: Claimant, idHash: IdHash): Promise<Claim> {
    const row = await findId(this.#shared.events, idHash, sender.workspaceId, 0, judged.eventId)
    if (row !== null) return { kind: 'repeat', idHash, outcomeRank: rankOf(row) }
    // Somebody else may have claimed the id while we waited.
    const found = this.#shared.seen.lookup(idHash.hi, idHash.lo)
    return found >= 0 ? this.#repeat(idHash, found) : this.#first(judged, sender, idHash)
  }

  #first(judged: Judged, sender: Claimant, idHash: IdHash): FirstClaim | Promise<FirstClaim> {
    this.#add(idHash, severityRanks[judged.verdict.outcome])
    return this.#withOrder(judged, sender, idHash)
  }

  claimReleased(judged: Judged, workspaceId: string): FirstClaim | Promise<FirstClaim> {
    const idHash = this.#shared.hashId(workspaceId, 'event', judged.eventId)
    this.#released.push({ idHash, outcomeRank: severityRanks[judged.verdict.outcome] })
    return this.#withOrder(judged, { workspaceId, isBot: false }, idHash)
  }

  #withOrder(judged: Judged, sender: Claimant, idHash: IdHash): FirstClaim | Promise<FirstClaim> {
    const orderId = sender.isBot ? '' : orderOf(judged.verdict)
    if (orderId === '') return { kind: 'first', idHash, orderHash: null, orderId: '', duplicateOf: '' }
    return this.#claimOrder(judged, sender.workspaceId, idHash, orderId)
  }

  /** An order counts once a site, whatever ids its events carry; later ones point to the first. */
  #claimOrder(
    { site, eventId }: Judged,
    workspaceId: string,
    idHash: IdHash,
    orderId: string,
  ): FirstClaim | Promise<FirstClaim> {
    const { seen, orders, events } = this.#shared
    const orderKey = `${site.id}\u0000${orderId}`
    const orderHash = this.#shared.hashId(workspaceId, 'order', orderKey)
    const claimed = (): FirstClaim => {
      this.#add(orderHash, 0)
      orders.set(orderHash, eventId)
      return { kind: 'first', idHash, orderHash, orderId, duplicateOf: '' }
    }
    if (seen.lookup(orderHash.hi, orderHash.lo) === neverSeen) return claimed()
    const recent = orders.get(orderHash)
    // A dead letter that is repaired brought its order itself.
    if (recent === eventId) return { kind: 'first', idHash, orderHash, orderId, duplicateOf: '' }
    if (recent !== undefined) return { kind: 'first', idHash, orderHash: null, orderId, duplicateOf: recent }
    return findId(events, orderHash, workspaceId, 1, orderId).then((row) =>
      row === null
        ? claimed()
        : { kind: 'first', idHash, orderHash: null, orderId, duplicateOf: row.event_id },
    )
  }

  async lostFirsts(): Promise<readonly IdHash[]> {
    if (this.#repeats.length === 0) return []
    const { underWay, seen } = this.#shared
    await Promise.all(underWay)
    return this.#repeats.filter(({ hi, lo }) => seen.lookup(hi, lo) === neverSeen)
  }

  async finish(appended: Promise<void>): Promise<void> {
    await appended
    const { seen } = this.#shared
    for (const { idHash, outcomeRank } of this.#released) {
      seen.add(idHash.hi, idHash.lo, outcomeRank, this.#day)
    }
    this.#settle()
  }

  undo(): void {
    for (const { hi, lo } of this.#added) this.#shared.seen.remove(hi, lo)
    this.#settle()
  }

  #settle(): void {
    this.#shared.underWay.delete(this.#settled.promise)
    this.#settled.resolve()
  }

  #add(idHash: IdHash, payload: number): void {
    this.#shared.seen.add(idHash.hi, idHash.lo, payload, this.#day)
    this.#added.push(idHash)
  }
}

function rankOf({ outcome }: IdRow): number {
  return outcome === 'quarantine' ? severityRanks.quarantine : outcome === 'warn' ? severityRanks.warn : 0
}

/** From order to the event that first brought it; the oldest is dropped, by then it is in the store. */
class RecentOrders {
  readonly #events = new Map<string, string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get({ hi, lo }: IdHash): string | undefined {
    return this.#events.get(`${hi} ${lo}`)
  }

  set({ hi, lo }: IdHash, eventId: string): void {
    if (this.#events.size >= this.#max) {
      for (const oldest of this.#events.keys()) {
        this.#events.delete(oldest)
        break
      }
    }
    this.#events.set(`${hi} ${lo}`, eventId)
  }
}

/** What was acknowledged before this start and is not in the store yet is a repeat when it comes again. */
function claimPending(
  { ids, orders: brought }: PendingClaims,
  seen: SeenIds,
  orders: RecentOrders,
  day: number,
) {
  for (const [index, hi] of ids.hi.entries()) seen.add(hi, ids.lo[index] ?? 0, ids.rank[index] ?? 0, day)
  for (const { orderHash, eventId } of brought.values()) {
    seen.add(orderHash.hi, orderHash.lo, 0, day)
    orders.set(orderHash, eventId)
  }
}

/** Day by day, oldest first, so that what lies closest is known exactly. */
async function rebuild(
  seen: SeenIds,
  events: Events,
  nowMs: number,
  workspaceId: string | null = null,
): Promise<void> {
  const today = Math.floor(nowMs / dayMs)
  for (const day of await selectIdDays(events, (today - keptDays) * dayMs, workspaceId)) {
    const bytes = await selectIdsOfDay(events, day * dayMs, (day + 1) * dayMs, workspaceId)
    const count = bytes.length / bytesPerId
    const hi = new Uint32Array(count)
    const lo = new Uint32Array(count)
    const payload = new Uint8Array(count)
    let filled = 0
    // An id that was held and released on the same day has two rows; the last to be loaded is the one that counts.
    for (const isHeldTurn of [true, false]) {
      for (let at = 0; at < count * bytesPerId; at += bytesPerId) {
        const outcomeRank = bytes.readUInt8(at + 9)
        if ((outcomeRank === severityRanks.quarantine) !== isHeldTurn) continue
        hi[filled] = bytes.readUInt32LE(at)
        lo[filled] = bytes.readUInt32LE(at + 4)
        payload[filled] = outcomeRank
        filled += 1
      }
    }
    seen.load(hi, lo, payload, day)
  }
}
