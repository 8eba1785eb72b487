import { createHash } from 'node:crypto'
import type { EventContract } from '@assay/contract'
import { byCodeUnit } from './text.ts'

/** The members of a contract; what a store keeps besides them does not change the generated code. */
const hashed = {
  key: true,
  name: true,
  version: true,
  status: true,
  description: true,
  owner: true,
  category: true,
  properties: true,
  additional: true,
  surfaces: true,
  purpose: true,
  replaced_by: true,
  severities: true,
} satisfies Record<keyof EventContract, true>

/** SHA-256 over the canonical JSON of contracts, ordered by key. */
export function hashRegistry(contracts: readonly EventContract[]): string {
  const ordered = contracts.toSorted((left, right) => byCodeUnit(left.key, right.key))
  const members = ordered.map((contract) =>
    Object.fromEntries(Object.entries(contract).filter(([member]) => Object.hasOwn(hashed, member))),
  )
  return createHash('sha256').update(canonicalJson(members)).digest('hex')
}

/** JSON with the members of every object in the order of their names, and no blanks (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([left], [right]) => byCodeUnit(left, right))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
