import { Problem, type RateClass } from '@assay/contract'
import type { Clock } from '../clock.ts'

/** What is left after a charge, for the headers that every response carries. */
export type Allowance = { limit: number; remaining: number; resetSeconds: number }

export type Limits = {
  /** Counts one call of a class against a key; throws `rate-limited` when its minute is used up. */
  charge: (rate: RateClass, key: string) => Allowance | null
  /** What a class has left, without charging it. */
  peek: (rate: RateClass, key: string) => Allowance | null
  /** Takes events out of a site's bucket, all or none. */
  chargeEvents: (siteId: string, events: number) => Allowance
  /** What was charged here since the last time, for the other nodes. */
  takeUsage: () => Usage
  /** What was charged elsewhere: it counts here as well, even past the limit. */
  addUsage: (usage: Usage) => void
}

/** Counts by what is limited: `calls` by class and caller in one minute, `events` by site. */
export type Usage = {
  minute: number
  calls: [key: string, count: number][]
  events: [site: string, count: number][]
}

/** Calls a minute by class. */
export type CallLimits = Readonly<
  Record<'apiRead' | 'apiWrite' | 'controlRead' | 'controlWrite' | 'person' | 'signIn' | 'open', number>
>

const windowMs = 60_000
/** A bucket holds two seconds' worth, so that a batch of 1,000 after a pause goes through. */
const burstSeconds = 2
/** Idle keys are forgotten when this many are remembered. */
const keysMax = 50_000

type Window = { start: number; used: number }
type Bucket = { tokens: number; at: number }

export function createLimits(now: Clock, eventsPerSecond: number, calls: CallLimits): Limits {
  const callsPerMinute: Partial<Record<RateClass, number>> = calls
  const windows = new Map<string, Window>()
  const buckets = new Map<string, Bucket>()
  const spentCalls = new Map<string, number>()
  const spentEvents = new Map<string, number>()
  return {
    takeUsage() {
      const usage = { minute: minuteOf(now()), calls: [...spentCalls], events: [...spentEvents] }
      spentCalls.clear()
      spentEvents.clear()
      return usage
    },
    addUsage({ minute, calls, events }) {
      // Clocks of nodes differ a little; what belongs to another minute is past or will be told again.
      const isThisMinute = minute === minuteOf(now())
      if (isThisMinute) for (const [key, count] of calls) currentWindow(windows, key, now()).used += count
      for (const [siteId, count] of events) refill(buckets, siteId, now(), eventsPerSecond).tokens -= count
    },
    charge(rate, key) {
      const limit = callsPerMinute[rate]
      if (limit === undefined) return null
      const window = currentWindow(windows, `${rate} ${key}`, now())
      const resetSeconds = Math.ceil((window.start + windowMs) / 1000)
      if (window.used >= limit)
        throw tooMany(
          `${limit} requests a minute`,
          { limit, remaining: 0, resetSeconds },
          resetSeconds - now() / 1000,
        )
      window.used++
      count(spentCalls, `${rate} ${key}`, 1)
      return { limit, remaining: limit - window.used, resetSeconds }
    },
    peek(rate, key) {
      const limit = callsPerMinute[rate]
      if (limit === undefined) return null
      const { start, used } = currentWindow(windows, `${rate} ${key}`, now())
      return {
        limit,
        remaining: Math.max(0, limit - used),
        resetSeconds: Math.ceil((start + windowMs) / 1000),
      }
    },
    chargeEvents(siteId, events) {
      const bucket = refill(buckets, siteId, now(), eventsPerSecond)
      const enough = bucket.tokens >= events
      if (enough) {
        bucket.tokens -= events
        count(spentEvents, siteId, events)
      }
      const allowance = bucketAllowance(bucket, eventsPerSecond, now())
      if (enough) return allowance
      throw tooMany(
        `${eventsPerSecond} events a second for this site`,
        allowance,
        (events - bucket.tokens) / eventsPerSecond,
      )
    },
  }
}

function currentWindow(windows: Map<string, Window>, key: string, nowMs: number): Window {
  const start = nowMs - (nowMs % windowMs)
  const known = windows.get(key)
  if (known?.start === start) return known
  if (windows.size >= keysMax) forgetOld(windows, (window) => window.start < start)
  const fresh = { start, used: 0 }
  windows.set(key, fresh)
  return fresh
}

function refill(buckets: Map<string, Bucket>, siteId: string, nowMs: number, perSecond: number): Bucket {
  const most = perSecond * burstSeconds
  const known = buckets.get(siteId)
  if (known === undefined) {
    if (buckets.size >= keysMax) forgetOld(buckets, (bucket) => bucket.at < nowMs - burstSeconds * 1000)
    const fresh = { tokens: most, at: nowMs }
    buckets.set(siteId, fresh)
    return fresh
  }
  // A clock that jumps back must neither drain nor flood the bucket.
  const elapsedMs = Math.max(0, nowMs - known.at)
  known.tokens = Math.min(most, known.tokens + (elapsedMs * perSecond) / 1000)
  known.at = nowMs
  return known
}

function bucketAllowance(bucket: Bucket, perSecond: number, nowMs: number): Allowance {
  const missing = perSecond * burstSeconds - bucket.tokens
  return {
    limit: perSecond,
    remaining: Math.max(0, Math.floor(bucket.tokens)),
    resetSeconds: Math.ceil((nowMs + (missing / perSecond) * 1000) / 1000),
  }
}

const minuteOf = (nowMs: number) => Math.floor(nowMs / windowMs)

/** Nobody may ever ask for it, as on a single node, so it is bounded like the rest. */
function count(spent: Map<string, number>, key: string, by: number): void {
  if (spent.size >= keysMax) spent.clear()
  spent.set(key, (spent.get(key) ?? 0) + by)
}

function forgetOld<V>(map: Map<string, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of map) if (isOld(value)) map.delete(key)
}

function tooMany(limit: string, allowance: Allowance, wait: number): Problem {
  const waitSeconds = Math.max(1, Math.ceil(wait))
  return new Problem('rate-limited', {
    detail: `The limit is ${limit}. Try again in ${waitSeconds} s.`,
    headers: { 'retry-after': String(waitSeconds), ...allowanceHeaders(allowance) },
  })
}

export function allowanceHeaders({ limit, remaining, resetSeconds }: Allowance): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}
