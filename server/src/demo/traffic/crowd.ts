import { dayMs, hourMs } from '../../platform/units.ts'
import { homeOf } from './cities.ts'
import type { Refund } from './events/orders.ts'
import { playBot, playSession } from './events/play.ts'
import { Scribe, type Visit, type World } from './events/scribe.ts'
import type { TrafficEvent } from './events/wire.ts'
import type { SiteModel } from './model.ts'
import { botUserAgents, devices, regions, sources } from './people.ts'
import { at, mix, pick, weighted } from './random.ts'
import { addTo, siteTally } from './tally.ts'
import { addVisitor, findReturning, isUnseen, makeVisitorPool, type VisitorPool } from './visitors.ts'

const pickDevice = weighted(devices, (device) => device.share)
const pickFirstSource = weighted(sources, (source) => source.newShare)
const pickLaterSource = weighted(sources, (source) => source.returningShare)

type PendingRefund = {
  readonly visit: Visit
  readonly userId: string
  readonly pool: VisitorPool
  readonly slot: number
  readonly visitorId: number
  readonly refund: Refund
}

/** How many people of a region are in the habit of coming to a site. */
export type Regulars = (site: SiteModel, regionIndex: number) => number

/** All visitors. Memory is bounded by the visitor pools and the refunds of the next two weeks. */
export class Crowd {
  private readonly world: World
  private readonly botShare: number
  private readonly regularsOf: Regulars
  private readonly pools = new Map<string, VisitorPool>()
  private readonly refunds = new Map<number, PendingRefund[]>()
  private scribe: Scribe | null = null
  private visitorCount = 0
  private sessionCount = 0

  constructor(world: World, botShare: number, regularsOf: Regulars) {
    this.world = world
    this.botShare = botShare
    this.regularsOf = regularsOf
  }

  /** Plays one session. The list is reused: read it before the next call. */
  session(site: SiteModel, regionIndex: number, startMs: number): readonly TrafficEvent[] {
    const { random, tally } = this.world
    tally.sessions += 1
    if (random() < this.botShare) return this.botSession(site, regionIndex, startMs)
    const pool = this.pool(site, regionIndex)
    const returning = random() < site.returningShare ? findReturning(pool, random, startMs) : -1
    const slot = returning >= 0 ? returning : this.addNew(site, pool)
    if (isUnseen(pool, slot)) siteTally(tally, site.key).visitors += 1
    const visitorId = pool.ids[slot] ?? 0
    const isKnown = pool.isKnown[slot] === 1
    const userId = this.world.ids.user(visitorId)
    const source = (returning >= 0 ? pickLaterSource : pickFirstSource)(random())
    const device = pickDevice(mix(visitorId, 7) / 2 ** 32)
    const visit = this.visit(site, regionIndex, startMs, visitorId, { device, source })
    const scribe = this.open(visit)
    // A shop keeps people signed in; the product behind the pricing page asks them each time.
    if (isKnown && site.key !== 'saas') scribe.userId = userId
    siteTally(tally, site.key).sessions += 1
    const end = playSession(scribe, userId, isKnown)
    pool.lastEndMs[slot] = scribe.nowMs
    if (end.becameKnown) pool.isKnown[slot] = 1
    if (end.refund !== null)
      this.plan({ visit, userId, pool, slot, visitorId, refund: end.refund }, scribe.nowMs)
    return scribe.out
  }

  /** Refunds that are due at the beginning of an hour, as a customer's hourly job would send them. */
  *refundsDue(hourStartMs: number): Generator<TrafficEvent> {
    const hour = Math.floor(hourStartMs / hourMs)
    const due = this.refunds.get(hour) ?? []
    this.refunds.delete(hour)
    for (const { visit, userId, pool, slot, visitorId, refund } of due) {
      // Another visitor has the slot by now: whether the first one returned is no longer known.
      if (pool.ids[slot] !== visitorId) continue
      const startMs = Math.max(hourStartMs, (pool.lastEndMs[slot] ?? 0) + 1_000)
      const scribe = this.open({ ...visit, sessionId: undefined, startMs })
      scribe.userId = userId
      const { amount, currency, orderId } = refund
      const reason = pick(this.world.random, ['wrong size', 'damaged', 'changed mind'])
      if (!scribe.sendFromServer('$refund', { amount, currency, order_id: orderId, reason })) continue
      pool.lastEndMs[slot] = startMs
      addTo(siteTally(this.world.tally, visit.site.key).refunds, currency, amount)
      yield* scribe.out
    }
  }

  private botSession(site: SiteModel, regionIndex: number, startMs: number): readonly TrafficEvent[] {
    this.visitorCount += 1
    this.world.tally.botSessions += 1
    const userAgent = pick(this.world.random, botUserAgents)
    const device = at(devices, 2)
    const visit = this.visit(site, regionIndex, startMs, this.visitorCount, { device, source: null })
    const scribe = this.open({ ...visit, userAgent, isBot: true })
    playBot(scribe)
    return scribe.out
  }

  private addNew(site: SiteModel, pool: VisitorPool): number {
    const { id, isKnown } = this.newVisitor(site)
    return addVisitor(pool, id, isKnown)
  }

  private newVisitor(site: SiteModel): { id: number; isKnown: boolean } {
    this.visitorCount += 1
    return { id: this.visitorCount, isKnown: this.world.random() < site.knownShare }
  }

  private visit(
    site: SiteModel,
    regionIndex: number,
    startMs: number,
    visitorId: number,
    by: Pick<Visit, 'device' | 'source'>,
  ): Visit {
    this.sessionCount += 1
    const region = at(regions, regionIndex)
    return {
      site,
      region,
      home: homeOf(region.timeZone, visitorId),
      device: by.device,
      source: by.source,
      userAgent: by.device.userAgent,
      isBot: false,
      sessionId: this.world.ids.session(this.sessionCount),
      anonymousId: this.world.ids.visitor(visitorId),
      startMs,
      release: releaseAt(startMs),
    }
  }

  private open(visit: Visit): Scribe {
    if (this.scribe === null) this.scribe = new Scribe(this.world, visit)
    else this.scribe.begin(visit, undefined)
    return this.scribe
  }

  private plan(pending: PendingRefund, orderedMs: number): void {
    const delayMs = (1 + this.world.random() * 13) * dayMs
    const hour = Math.ceil((orderedMs + delayMs) / hourMs)
    const list = this.refunds.get(hour)
    if (list === undefined) this.refunds.set(hour, [pending])
    else list.push(pending)
  }

  private pool(site: SiteModel, regionIndex: number): VisitorPool {
    const key = `${site.key} ${regionIndex}`
    const known = this.pools.get(key)
    if (known !== undefined) return known
    const made = makeVisitorPool(this.regularsOf(site, regionIndex), () => this.newVisitor(site))
    this.pools.set(key, made)
    return made
  }
}

/** Every site ships once a week. */
function releaseAt(atMs: number): string {
  return `3.${Math.floor(atMs / (7 * dayMs)) - 2_800}.0`
}
