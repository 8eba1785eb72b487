import type { Clock } from '../clock.ts'
import { errorKind } from './error-stack.ts'
import type { Logger } from './logger.ts'

/** What does not work at the moment, for operators. */
type Failing = { part: string; since: number; kind: string }

/** Reports failures that no caller sees: logged with their stack, counted, and shown until they are over. */
export type Failures = {
  report: (part: string, error: unknown, facts?: Readonly<Record<string, string | number>>) => void
  /** The component works again. */
  recovered: (part: string) => void
  failing: () => Failing[]
  counts: () => ReadonlyMap<string, number>
}

/**
 * Equal failures of a component are logged once in this time; the next entry has the number of omitted ones.
 */
export const logAgainMs = 60_000
/** Components are few and named in the code; this only makes sure of it. */
const kindsMax = 500

export function createFailures(now: Clock, logger: Logger): Failures {
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
    logger.error({ component: part, ...facts, unlogged: last?.unlogged ?? 0, err: error }, `${part} failed`)
  }

  return {
    report(part, error, facts = {}) {
      const kind = errorKind(error)
      counts.set(part, (counts.get(part) ?? 0) + 1)
      failing.set(part, { part, since: failing.get(part)?.since ?? now(), kind })
      log(part, kind, error, facts)
    },
    recovered: (part) => void failing.delete(part),
    failing: () => [...failing.values()],
    counts: () => counts,
  }
}
