import { hash } from 'node:crypto'
import type { Confidence } from '@assay/contract'

/** A typed value that identifies a person. */
export type Identifier = { type: string; value: string }

/** Strongest first; every other type is a vendor's id and ranks between contact and device. */
const ranks: Readonly<Record<string, number>> = {
  person_id: 0,
  user_id: 1,
  email: 2,
  phone: 3,
  anonymous_id: 5,
  device_id: 5,
}
const vendorRank = 4

export function rankOf(type: string): number {
  return ranks[type] ?? vendorRank
}

/** Devices are shared and lent, so links by devices are the weakest. */
export function isDevice(type: string): boolean {
  return type === 'anonymous_id' || type === 'device_id'
}

/** A person has at most one value of these, unless two people are merged explicitly. */
export function isUnique(type: string): boolean {
  return type === 'person_id' || type === 'user_id'
}

/** Steps 3 to 6 of resolve: exact id, verified contact, vendor id, device. */
export function stepOf(type: string): number {
  const rank = rankOf(type)
  if (rank <= 1) return 3
  if (rank <= 3) return 4
  return rank === vendorRank ? 5 : 6
}

export function confidenceOf(step: number): Confidence {
  if (step <= 3) return 'certain'
  return step <= 5 ? 'likely' : 'possible'
}

const originalIdPrefix = 'per_'
/** 104 bits of the digest never collide in one workspace. */
const idHexDigits = 26

/**
 * The original person id of an identifier: a hash with the key of the workspace, so a new visitor costs no
 * look-up, every node derives the same id, and the identifier cannot be derived from it.
 */
export function originalIdOf(personKey: string, { type, value }: Identifier): string {
  const digest = hash('sha256', `${personKey}\u0000${type}\u0000${value}`, 'hex')
  return originalIdPrefix + digest.slice(0, idHexDigits)
}

const ourId = /^per_[0-9a-f]{26}$/

/** Whether a person_id was issued by us, and is not one of the customer's own. */
export function isOurs(value: string): boolean {
  return ourId.test(value)
}
