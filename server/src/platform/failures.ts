import type { Clock } from './clock.ts'

/** What does not work at the moment, for operators. */
export type Failing = { part: string; since: number; kind: string }

/** Where failures are reported that no caller hears of: logged with their stack, counted, shown until they are over. */
export type Failures = {
  report: (part: string, error: unknown, facts?: Readonly<Record<string, string | number>>) => void
  /** The part works again. */
  recovered: (part: string) => void
  failing: () => Failing[]
  counts: () => ReadonlyMap<string, number>
}

/** The same kind of failure of the same part is logged once in this time; the next line says how many were not. */
export const logAgainMs = 60_000
/** Parts are few and named in the code; this only makes sure of it. */
const kindsMax = 500

/** `write` takes one line of JSON. */
export function createFailures(now: Clock, write: (line: string) => void): Failures {
  // bounded: by the parts of the product, which the code names.
  const counts = new Map<string, number>()
  // bounded: by the parts of the product, which the code names.
  const failing = new Map<string, Failing>()
  // bounded: by kindsMax.
  const logged = new Map<string, { atMs: number; unlogged: number }>()

  function log(part: string, kind: string, error: unknown, facts: Readonly<Record<string, string | number>>) {
    const key = `${part} ${kind}`
    const last = logged.get(key)
    if (last !== undefined && now() - last.atMs < logAgainMs) {
      last.unlogged += 1
      return
    }
    if (logged.size >= kindsMax) logged.clear()
    logged.set(key, { atMs: now(), unlogged: 0 })
    const time = new Date(now()).toISOString()
    const head = { level: 'error', time, part, kind, ...facts, unlogged: last?.unlogged ?? 0 }
    write(JSON.stringify({ ...head, stack: stackOf(error) }))
  }

  return {
    report(part, error, facts = {}) {
      const kind = kindOf(error)
      counts.set(part, (counts.get(part) ?? 0) + 1)
      failing.set(part, { part, since: failing.get(part)?.since ?? now(), kind })
      log(part, kind, error, facts)
    },
    recovered: (part) => void failing.delete(part),
    failing: () => [...failing.values()],
    counts: () => counts,
  }
}

/** The class of an error, which tells nothing of the data. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  const cause = error.cause instanceof Error ? `/${error.cause.constructor.name}` : ''
  return error.constructor.name + cause
}

/** With the stacks of its causes: the first one is where it began. */
function stackOf(error: unknown): string {
  const causesMax = 5
  const stacks: string[] = []
  let current: unknown = error
  for (let depth = 0; current !== undefined && depth < causesMax; depth += 1) {
    stacks.push(current instanceof Error ? (current.stack ?? String(current)) : String(current))
    current = current instanceof Error ? current.cause : undefined
  }
  return stacks.join('\nCaused by: ')
}
