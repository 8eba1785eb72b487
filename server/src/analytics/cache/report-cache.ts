import type { Clock } from '../../platform/clock.ts'
import { createSingleFlight } from './single-flight.ts'

/** Cache of expensive answers: served while they are fresh, and refreshed in the background. */
export type ReportCache = {
  of: <Value>(key: string, make: () => Promise<Value>) => Promise<Value>
  /**
   * Caches large answers only: a small one is computed for every request. A new one is computed after the
   * request, whatever is cached.
   */
  ofLarge: <Value>(
    key: string,
    make: () => Promise<Value>,
    isLarge: (value: Value) => boolean,
    wanted?: 'any' | 'new',
  ) => Promise<Value>
  /** Age of the cached answer of this key, or null without one. */
  ageMs: (key: string) => number | null
  /** Refreshes recently requested answers that are no longer fresh. */
  refresh: () => Promise<void>
  /** Evicts everything whose key begins like this. */
  forget: (keyStart: string) => void
  /** Waits for running computations. */
  close: () => Promise<void>
}

/**
 * Fresh for a minute, or for twenty times its computing time: then it costs at most a twentieth of a core.
 */
const freshMsMin = 60_000
const freshPerCost = 20
/** Older answers are not served any more. */
const keptMsMax = 3_600_000
/** Large reports are also viewed most: while someone does, they are refreshed long before this age. */
const largeMsMax = 600_000
/** About 20 KB each. */
const entriesMax = 200
/** For all answers together, as JSON; the least recently used is evicted. */
export const keptBytesMax = 64 * 1024 ** 2

type Entry = {
  make: () => Promise<unknown>
  value: unknown
  madeAtMs: number
  tookMs: number
  askedAtMs: number
  making: Promise<unknown> | null
  bytes: number
}

const unmade = {
  bytes: 0,
  value: null,
  madeAtMs: Number.NEGATIVE_INFINITY,
  tookMs: 0,
  askedAtMs: 0,
  making: null,
}

/** After the clock was set back, an answer from the future may have any age. */
function ageOf({ madeAtMs }: Entry, nowMs: number): number {
  return madeAtMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - madeAtMs
}

/** An earlier computation never replaces a later one. */
function put(entry: Entry, value: unknown, startedMs: number, nowMs: number): void {
  const isLater = entry.madeAtMs - entry.tookMs > startedMs && entry.madeAtMs <= nowMs
  if (isLater) return
  const bytes = JSON.stringify(value)?.length ?? 0
  Object.assign(entry, { value, bytes, madeAtMs: nowMs, tookMs: nowMs - startedMs })
}

/** The least recently used entries come first. */
function bound(entries: Map<string, Entry>): void {
  let bytes = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
  for (const [key, entry] of entries) {
    if (bytes <= keptBytesMax) return
    entries.delete(key)
    bytes -= entry.bytes
  }
}

/** Concurrent callers share one computation. */
function makeAnew(entry: Entry, now: Clock): Promise<unknown> {
  if (entry.making !== null) return entry.making
  const startedMs = now()
  entry.making = entry
    .make()
    .then((value) => {
      put(entry, value, startedMs, now())
      return value
    })
    .finally(() => {
      entry.making = null
    })
  return entry.making
}

function touch(entries: Map<string, Entry>, key: string, make: Entry['make'], nowMs: number): Entry {
  const entry = entries.get(key) ?? { ...unmade, make }
  // The latest request is last in the map, so the first entry is the least recently used.
  entries.delete(key)
  entries.set(key, entry)
  const [oldest] = entries.keys()
  if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest)
  entry.askedAtMs = nowMs
  return entry
}

export function createReportCache(now: Clock, onFailure: (error: unknown) => void): ReportCache {
  // bounded: by entriesMax and keptBytesMax.
  const entries = new Map<string, Entry>()
  const turns = createSingleFlight()
  let isClosed = false
  /** A computation that was running during an eviction may be based on old data. */
  let timesForgotten = 0

  const remake = (entry: Entry) => makeAnew(entry, now).finally(() => bound(entries))
  const isFresh = (entry: Entry) => ageOf(entry, now()) < Math.max(freshMsMin, entry.tookMs * freshPerCost)
  const inBackground = (entry: Entry) => remake(entry).then(() => {}, onFailure)
  const find = (key: string, make: Entry['make']) => touch(entries, key, make, now())
  const give = async <Value>(entry: Entry, msMax: number): Promise<Value> => {
    if (ageOf(entry, now()) > msMax) await remake(entry)
    else if (!isFresh(entry) && !isClosed) void inBackground(entry)
    // boundary: the value of a key was computed by the same query.
    return entry.value as Value
  }

  return {
    of: (key, make) => give(find(key, make), keptMsMax),
    async ofLarge(key, make, isLarge, wanted = 'any') {
      const makeLarge = async () => {
        const [startedMs, times] = [now(), timesForgotten]
        const value = await make()
        if (!isLarge(value)) entries.delete(key)
        else if (!isClosed && times === timesForgotten) put(find(key, make), value, startedMs, now())
        bound(entries)
        return value
      }
      if (wanted === 'new') return turns.take(`new ${key}`, makeLarge)
      const giveKept = () => give<Awaited<ReturnType<typeof make>>>(find(key, make), largeMsMax)
      if (entries.has(key)) return giveKept()
      return turns.take(`any ${key}`, () => (entries.has(key) ? giveKept() : makeLarge()))
    },
    ageMs(key) {
      const entry = entries.get(key)
      return entry === undefined ? null : now() - entry.madeAtMs
    },
    async refresh() {
      for (const entry of [...entries.values()]) {
        if (isClosed || isFresh(entry) || now() - entry.askedAtMs > keptMsMax) continue
        await inBackground(entry)
      }
    },
    forget(keyStart) {
      timesForgotten += 1
      for (const key of entries.keys()) if (key.startsWith(keyStart)) entries.delete(key)
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...entries.values()].map(({ making }) => making))
    },
  }
}
