import { KeyNumbers } from '../../../analytics/sequences/key-numbers.ts'
import { orderedBy } from '../../../analytics/tally/tally.ts'
import type { GroupMap } from '../../occurrence-store.ts'

/** Errors that sessions met: the halves of each fingerprint, the number of the session, the time. */
export type MetErrors = { low: Uint32Array; high: Uint32Array; session: Int32Array; ms: Float64Array }

/** The errors that are looked at, by session: those of one begin at its start and end at the next. */
export type SessionErrors = { starts: Int32Array; groups: Int32Array; ms: Float64Array }

/** For sessions that met none, or of which that does not matter. */
export const noErrors: SessionErrors = {
  starts: new Int32Array(0),
  groups: new Int32Array(0),
  ms: new Float64Array(0),
}

export type WantedErrors = {
  /** Fingerprints of the only errors that are looked at; all where it is null. */
  only: readonly string[] | null
  map: GroupMap
}

/** The groups by number, in the order of their ids, after the one of all sessions. */
export function groupErrors(
  errors: MetErrors,
  sessions: number,
  wanted: WantedErrors,
): { groups: string[]; bySession: SessionErrors } {
  const { groups, groupOf } = groupsOf(errors, wanted)
  const sessionOf = errors.session.map((session, index) => (groupOf[index] === -1 ? -1 : session))
  const { order, starts } = orderedBy(sessionOf, sessions)
  return {
    groups,
    bySession: {
      starts,
      groups: Int32Array.from(order, (index) => groupOf[index] ?? -1),
      ms: Float64Array.from(order, (index) => errors.ms[index] ?? 0),
    },
  }
}

/** The group of each error; -1 for those that are not looked at. */
function groupsOf(
  { low, high }: MetErrors,
  { only, map }: WantedErrors,
): { groups: string[]; groupOf: Int32Array } {
  const renamed = new Map(map.keys.map((key, index) => [key, map.groups[index] ?? '']))
  const wanted = only === null ? null : new Set(only)
  const hex = (half: number | undefined) => (half ?? 0).toString(16).padStart(8, '0')
  const fingerprints = new KeyNumbers()
  const ids: (string | null)[] = []
  // Fingerprints repeat: each is looked up once.
  const idOf = Int32Array.from(low, (_, index) => {
    const number = fingerprints.take(low[index] ?? 0, high[index] ?? 0)
    if (number < ids.length) return number
    const key = `${hex(high[index])}${hex(low[index])}`
    ids.push(wanted?.has(key) === false ? null : (renamed.get(key) ?? `err_${key}`))
    return number
  })
  const groups = ['', ...[...new Set(ids)].filter((id) => id !== null).sort()]
  const numbers = new Map(groups.map((id, number) => [id, number]))
  const numberOf = Int32Array.from(ids, (id) => (id === null ? -1 : (numbers.get(id) ?? -1)))
  return { groups, groupOf: idOf.map((id) => numberOf[id] ?? -1) }
}
