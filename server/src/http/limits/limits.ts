import { Problem, type RateClass } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { type Allowance, allowanceHeaders } from './allowance.ts'
import { createEventBuckets, type EventLimits, type EventSender, type SiteCount } from './event-buckets.ts'
import { sourceOf } from './source-address.ts'

export type Limits = {
  /** Charges one call of a class to a key; throws `rate-limited` when its minute is used up. */
  charge: (rate: RateClass, key: string) => Allowance | null
  /** What a class has left, without charging it. */
  peek: (rate: RateClass, key: string) => Allowance | null
  /** Takes events from the buckets of their sites, and of a public sender's address: all or none. */
  chargeEvents: (sender: EventSender, counts: readonly SiteCount[]) => Allowance
  /** What the next event of a sender to a site would find. */
  peekEvents: (sender: EventSender, siteId: string) => Allowance
  /** What was charged here since the last call, for the other nodes. */
  takeUsage: () => Usage
  /** What was charged on other nodes: it counts here as well, even beyond the limit. */
  addUsage: (usage: Usage) => void
}

/** Counts per limit: `calls` by class and caller in one minute, `events` by bucket. */
export type Usage = {
  minute: number
  calls: [key: string, count: number][]
  events: [bucket: string, count: number][]
}

/** Calls per minute by class. */
export type CallLimits = Readonly<
  Record<'apiRead' | 'apiWrite' | 'controlRead' | 'controlWrite' | 'person' | 'signIn' | 'open', number>
>

const windowMs = 60_000
/** Beyond this number the oldest is evicted. */
const keysMax = 50_000

type Window = { start: number; used: number }

export function createLimits(now: Clock, events: EventLimits, calls: CallLimits): Limits {
  const callsPerMinute: Partial<Record<RateClass, number>> = calls
  // bounded: by keysMax, of ids of ours and source addresses.
  const windows = new Map<string, Window>()
  const buckets = createEventBuckets(events)
  // bounded: by keysMax.
  const spentCalls = new Map<string, number>()
  return {
    takeUsage() {
      const usage = { minute: minuteOf(now()), calls: [...spentCalls], events: buckets.takeSpent() }
      spentCalls.clear()
      return usage
    },
    addUsage({ minute, calls, events }) {
      // Clocks of nodes differ a little; a count of another minute is past or will be sent again.
      const isThisMinute = minute === minuteOf(now())
      if (isThisMinute) for (const [key, count] of calls) currentWindow(windows, key, now()).used += count
      for (const [key, count] of events) buckets.spendElsewhere(key, count, now())
    },
    charge(rate, key) {
      const limit = callsPerMinute[rate]
      if (limit === undefined) return null
      const counter = counterOf(rate, key)
      const window = currentWindow(windows, counter, now())
      const resetSeconds = Math.ceil((window.start + windowMs) / 1000)
      if (window.used >= limit)
        throw tooMany(
          `${limit} requests a minute`,
          { limit, remaining: 0, resetSeconds },
          resetSeconds - now() / 1000,
        )
      window.used++
      count(spentCalls, counter, 1)
      return { limit, remaining: limit - window.used, resetSeconds }
    },
    peek(rate, key) {
      const limit = callsPerMinute[rate]
      if (limit === undefined) return null
      const { start, used } = currentWindow(windows, counterOf(rate, key), now())
      return {
        limit,
        remaining: Math.max(0, limit - used),
        resetSeconds: Math.ceil((start + windowMs) / 1000),
      }
    },
    peekEvents: (sender, siteId) => buckets.peek(sender, siteId, now()),
    chargeEvents(sender, counts) {
      const { allowance, refusal } = buckets.take(sender, counts, now())
      if (refusal === null) return allowance
      throw tooMany(refusal.limit, allowance, refusal.waitSeconds)
    },
  }
}

/** These two count by source address; the others by caller. */
function counterOf(rate: RateClass, key: string): string {
  return `${rate} ${rate === 'open' || rate === 'signIn' ? sourceOf(key) : key}`
}

function currentWindow(windows: Map<string, Window>, key: string, nowMs: number): Window {
  const start = nowMs - (nowMs % windowMs)
  const known = windows.get(key)
  if (known?.start === start) return known
  // Inserted again at the end, so that the first one is always the oldest.
  windows.delete(key)
  if (windows.size >= keysMax) dropOldest(windows)
  const fresh = { start, used: 0 }
  windows.set(key, fresh)
  return fresh
}

const minuteOf = (nowMs: number) => Math.floor(nowMs / windowMs)

/** On a single node it is never read, so it is bounded like the rest. */
function count(spent: Map<string, number>, key: string, by: number): void {
  if (spent.size >= keysMax) spent.clear()
  spent.set(key, (spent.get(key) ?? 0) + by)
}

function dropOldest<V>(map: Map<string, V>): void {
  map.delete(map.keys().next().value ?? '')
}

function tooMany(limit: string, allowance: Allowance, wait: number): Problem {
  const waitSeconds = Math.max(1, Math.ceil(wait))
  return new Problem('rate-limited', {
    detail: `The limit is ${limit}. Try again in ${waitSeconds} s.`,
    headers: { 'retry-after': String(waitSeconds), ...allowanceHeaders(allowance) },
  })
}
