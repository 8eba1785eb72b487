import { ingestLimits } from '@assay/contract'
import { RecentMap } from '../../platform/recent-map.ts'
import type { Allowance } from './allowance.ts'
import { sourceOf } from './source-address.ts'

export type EventLimits = {
  /** Per site, for each class of senders. */
  eventsPerSecond: number
  /** Per source address of public senders. */
  eventsPerSecondPerAddress: number
}

/**
 * Who sends events, and from where. Public and secret senders have separate buckets per site, so that someone
 * who has a public key can use up the allowance of browsers but never that of the back end.
 */
export type EventSender = { keyClass: 'public' | 'secret'; address: string }
export type SiteCount = readonly [siteId: string, events: number]

type EventBuckets = {
  /** Takes from all buckets of the events, or from none; the allowance is of the one with the least left. */
  take: (sender: EventSender, counts: readonly SiteCount[], nowMs: number) => Taken
  /** What the next event of a sender finds, without taking anything. */
  peek: (sender: EventSender, siteId: string, nowMs: number) => Allowance
  /** What was taken here since the last call and is worth reporting to the other nodes. */
  takeSpent: () => [bucket: string, count: number][]
  /** What was taken on another node: it counts here as well, even beyond the limit. */
  spendElsewhere: (bucket: string, count: number, nowMs: number) => void
}

type Taken = { allowance: Allowance; refusal: { limit: string; waitSeconds: number } | null }

type Bucket = { key: string; kind: Kind; tokens: number; atMs: number }
type Kind = { perSecond: number; most: number; of: string }

/** A site's bucket contains two seconds' worth, so that a batch of 1,000 after a pause passes. */
const siteBurstSeconds = 2
/** An address's bucket contains five: people behind one address come in waves. A whole batch always fits. */
const addressBurstSeconds = 5
/** Per map, in two generations; the oldest buckets are dropped, and start full when they are needed again. */
const bucketsMax = 50_000
/** Less than this share of a second's worth is not reported: most visitors send only a few events. */
const reportedShare = 0.05

export function createEventBuckets(limits: EventLimits): EventBuckets {
  const { eventsPerSecond, eventsPerSecondPerAddress } = limits
  const ofSite: Kind = {
    perSecond: eventsPerSecond,
    most: eventsPerSecond * siteBurstSeconds,
    of: 'for this site',
  }
  const ofAddress: Kind = {
    perSecond: eventsPerSecondPerAddress,
    most: Math.max(eventsPerSecondPerAddress * addressBurstSeconds, ingestLimits.batchEventsMax),
    of: 'for your address',
  }
  // Separate, so that a flood of addresses does not drop the buckets of sites.
  const sites = new RecentMap<Bucket>(bucketsMax / 2)
  const addresses = new RecentMap<Bucket>(bucketsMax / 2)
  // bounded: by bucketsMax.
  const spent = new Map<string, number>()

  function bucketOf(key: string, nowMs: number): Bucket {
    return key.startsWith(addressPrefix)
      ? refilled(addresses, key, ofAddress, nowMs)
      : refilled(sites, key, ofSite, nowMs)
  }

  /** One per site, and one of the address if anyone could have sent them. */
  function chargesOf({ keyClass, address }: EventSender, counts: readonly SiteCount[], nowMs: number) {
    const charges = counts.map(([siteId, events]) => charge(bucketOf(`${keyClass} ${siteId}`, nowMs), events))
    if (keyClass === 'public') {
      const total = counts.reduce((sum, [, events]) => sum + events, 0)
      charges.push(charge(bucketOf(addressPrefix + sourceOf(address), nowMs), total))
    }
    return charges
  }

  return {
    peek: (sender, siteId, nowMs) => leastOf(chargesOf(sender, [[siteId, 0]], nowMs), ofSite, nowMs),
    take(sender, counts, nowMs) {
      const charges = chargesOf(sender, counts, nowMs)
      const short = charges.find(({ bucket, events }) => bucket.tokens < events)
      if (short !== undefined)
        return { allowance: allowanceOf(short.bucket, nowMs), refusal: refusalOf(short) }
      for (const { bucket, events } of charges) {
        bucket.tokens -= events
        if (spent.size >= bucketsMax) spent.clear()
        spent.set(bucket.key, (spent.get(bucket.key) ?? 0) + events)
      }
      return { allowance: leastOf(charges, ofSite, nowMs), refusal: null }
    },
    takeSpent() {
      const least = eventsPerSecondPerAddress * reportedShare
      const worth = [...spent].filter(([key, count]) => !key.startsWith(addressPrefix) || count >= least)
      spent.clear()
      return worth
    },
    spendElsewhere(key, count, nowMs) {
      bucketOf(key, nowMs).tokens -= count
    },
  }
}

type Charge = { bucket: Bucket; events: number }

function charge(bucket: Bucket, events: number): Charge {
  return { bucket, events }
}

const addressPrefix = 'address '

function refilled(buckets: RecentMap<Bucket>, key: string, kind: Kind, nowMs: number): Bucket {
  const known = buckets.get(key)
  if (known === undefined) {
    const fresh = { key, kind, tokens: kind.most, atMs: nowMs }
    buckets.set(key, fresh)
    return fresh
  }
  // A clock that jumps back must neither drain nor fill the bucket.
  const elapsedMs = Math.max(0, nowMs - known.atMs)
  known.tokens = Math.min(kind.most, known.tokens + (elapsedMs * kind.perSecond) / 1000)
  known.atMs = nowMs
  return known
}

function refusalOf({ bucket: { kind, tokens }, events }: Charge): NonNullable<Taken['refusal']> {
  return {
    limit: `${kind.perSecond} events a second ${kind.of}`,
    waitSeconds: (events - tokens) / kind.perSecond,
  }
}

function leastOf(charges: readonly Charge[], ofSite: Kind, nowMs: number): Allowance {
  let least: Bucket | null = null
  for (const { bucket } of charges) if (least === null || bucket.tokens < least.tokens) least = bucket
  // A request without events has used nothing.
  return allowanceOf(least ?? { key: '', kind: ofSite, tokens: ofSite.most, atMs: nowMs }, nowMs)
}

/** All three values of one bucket: capacity, content, and when it is full again. */
function allowanceOf({ kind, tokens }: Bucket, nowMs: number): Allowance {
  const missing = kind.most - tokens
  return {
    limit: kind.most,
    remaining: Math.max(0, Math.floor(tokens)),
    resetSeconds: Math.ceil((nowMs + (missing / kind.perSecond) * 1000) / 1000),
  }
}
