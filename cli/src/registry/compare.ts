import type { EventContract } from '@assay/contract'
import type { EventFile } from '../project/event-file.ts'

/**
 * State of an event in the project and on the server. `conflict`: both sides changed since the last pull, so
 * neither may replace the other.
 */
export type Standing = {
  key: string
  kind:
    | 'same'
    | 'newHere'
    | 'changedHere'
    | 'removedHere'
    | 'newThere'
    | 'changedThere'
    | 'removedThere'
    | 'conflict'
  here: EventFile | null
  there: EventContract | null
  /** Explanation of a conflict. */
  reason: string | null
}

type Sides = {
  here: ReadonlyMap<string, EventFile>
  there: ReadonlyMap<string, EventContract>
  /** The version of each key at the last pull. */
  pulled: Readonly<Record<string, string>>
  /** An older version, if the server still has it. */
  base: (key: string, version: string) => EventContract | null
}

export function compareSides(sides: Sides): Standing[] {
  const keys = [...new Set([...sides.here.keys(), ...sides.there.keys()])].toSorted()
  return keys.map((key) => {
    const [here, there] = [sides.here.get(key) ?? null, sides.there.get(key) ?? null]
    return { key, here, there, reason: null, ...standingOf(key, here, there, sides) }
  })
}

type Found = Pick<Standing, 'kind'> & Partial<Pick<Standing, 'reason'>>

function standingOf(key: string, here: EventFile | null, there: EventContract | null, sides: Sides): Found {
  if (here === null) return withoutFile(there, sides.pulled[key])
  const base = here.version === null ? null : sides.base(key, here.version)
  // The status of a version changes when it is retired, its content never.
  const isUntouched = base !== null && saysTheSame(here.contract, { ...base, status: here.contract.status })
  if (there === null) {
    if (here.version === null) return { kind: 'newHere' }
    return isUntouched ? { kind: 'removedThere' } : conflict('changed here, and archived on the server')
  }
  if (here.version === null) {
    if (saysTheSame(here.contract, there)) return { kind: 'changedThere' }
    return conflict(`new here, and registered on the server meanwhile as ${there.version}`)
  }
  if (here.version === there.version) {
    return { kind: saysTheSame(here.contract, there) ? 'same' : 'changedHere' }
  }
  if (isUntouched || saysTheSame(here.contract, there)) return { kind: 'changedThere' }
  return conflict(`changed here since ${here.version}, and on the server, where it is at ${there.version}`)
}

function withoutFile(there: EventContract | null, pulled: string | undefined): Found {
  if (pulled === undefined || there === null) return { kind: 'newThere' }
  if (pulled === there.version) return { kind: 'removedHere' }
  return conflict(`deleted here, and changed on the server, where it is at ${there.version}`)
}

function conflict(reason: string): Found {
  return { kind: 'conflict', reason }
}

/**
 * Compares everything but the version, which follows from the changes. The order of members does not matter.
 */
export function saysTheSame(left: EventContract, right: EventContract): boolean {
  return canonical({ ...left, version: '' }) === canonical({ ...right, version: '' })
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(sorted(name, member))}`).join()}}`
}

/** Surfaces are a set. */
function sorted(name: string, member: unknown): unknown {
  return name === 'surfaces' && Array.isArray(member) ? member.toSorted() : member
}
