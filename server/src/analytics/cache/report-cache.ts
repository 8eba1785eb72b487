import type { Clock } from '../../platform/clock.ts'
import { createTurns } from './single-flight.ts'

/** Answers that are dear to make: kept, given out while they are new, and made anew behind the caller's back. */
export type Kept = {
  of: <Value>(key: string, make: () => Promise<Value>) => Promise<Value>
  /**
   * The same where only a large answer is dear: a small one is made whenever somebody asks, and never kept. A new one
   * was begun after it was asked for, whatever is kept.
   */
  ofLarge: <Value>(
    key: string,
    make: () => Promise<Value>,
    isLarge: (value: Value) => boolean,
    wanted?: 'any' | 'new',
  ) => Promise<Value>
  /** How old the answer is that is given out under the key, or null where none is kept. */
  ageMs: (key: string) => number | null
  /** Makes those anew that were asked for lately and are no longer fresh. */
  refresh: () => Promise<void>
  /** Forgets everything whose key begins so. */
  forget: (keyStart: string) => void
  /** Waits for what is under way. */
  close: () => Promise<void>
}

/** Fresh for a minute, or for twenty times as long as it took to make: then it costs a twentieth of a core at most. */
const freshMsMin = 60_000
const freshPerCost = 20
/** Older than this it is not given out any more. */
const keptMsMax = 3_600_000
/** What is large is also looked at most: while somebody does, it is made anew long before it is so old. */
const largeMsMax = 600_000
/** Some 20 KB each. */
const entriesMax = 200
/** Of all answers together, as JSON; the one that nobody asked for longest goes. */
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

/** What was made in the future, as it seems after a clock was set back, could be of any age. */
function ageOf({ madeAtMs }: Entry, nowMs: number): number {
  return madeAtMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - madeAtMs
}

/** One that was begun earlier never takes the place of one that was begun later. */
function put(entry: Entry, value: unknown, startedMs: number, nowMs: number): void {
  const isLater = entry.madeAtMs - entry.tookMs > startedMs && entry.madeAtMs <= nowMs
  if (isLater) return
  const bytes = JSON.stringify(value)?.length ?? 0
  Object.assign(entry, { value, bytes, madeAtMs: nowMs, tookMs: nowMs - startedMs })
}

/** The oldest questions are the first. */
function bound(entries: Map<string, Entry>): void {
  let bytes = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
  for (const [key, entry] of entries) {
    if (bytes <= keptBytesMax) return
    entries.delete(key)
    bytes -= entry.bytes
  }
}

/** Who asks while it is being made waits for the same. */
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
  // The latest question is the last in the list, so the first is the one that nobody asked for longest.
  entries.delete(key)
  entries.set(key, entry)
  const [oldest] = entries.keys()
  if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest)
  entry.askedAtMs = nowMs
  return entry
}

export function createKept(now: Clock, onFailure: (error: unknown) => void): Kept {
  // bounded: by entriesMax and keptBytesMax.
  const entries = new Map<string, Entry>()
  const turns = createTurns()
  let isClosed = false
  /** What was being made when something was forgotten may rest on it. */
  let timesForgotten = 0

  const remake = (entry: Entry) => makeAnew(entry, now).finally(() => bound(entries))
  const isFresh = (entry: Entry) => ageOf(entry, now()) < Math.max(freshMsMin, entry.tookMs * freshPerCost)
  const inBackground = (entry: Entry) => remake(entry).then(() => {}, onFailure)
  const find = (key: string, make: Entry['make']) => touch(entries, key, make, now())
  const give = async <Value>(entry: Entry, msMax: number): Promise<Value> => {
    if (ageOf(entry, now()) > msMax) await remake(entry)
    else if (!isFresh(entry) && !isClosed) void inBackground(entry)
    // boundary: what is kept under a key was made by the same question.
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
