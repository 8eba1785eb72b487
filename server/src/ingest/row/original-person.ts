import type { RawEvent } from '@assay/contract'
import { isOurs, originalIdOf } from '../../identity/graph/identifier.ts'
import { normalise } from '../../identity/graph/normal-form.ts'
import { createRecentCache } from '../../platform/recent-cache.ts'

type OriginalPerson = {
  personId: string
  resolvedBy: 'person_id' | 'user_id' | 'anonymous_id' | 'cookieless' | 'junk'
}

/**
 * The person derived from an event's strongest identifier. It is a keyed hash, so a new visitor costs no
 * look-up, every node derives the same id, and the identifier cannot be derived from it. Placeholder values
 * that identify no one are skipped.
 */
export function originalPerson(personKey: string, event: RawEvent): OriginalPerson {
  const { personId, userId, anonymousId } = event
  if (personId !== undefined) {
    const found = isOurs(personId) ? personId : originalId(personKey, 'person_id', personId)
    if (found !== '') return { personId: found, resolvedBy: 'person_id' }
  }
  if (userId !== undefined) {
    const found = originalId(personKey, 'user_id', userId)
    if (found !== '') return { personId: found, resolvedBy: 'user_id' }
  }
  if (anonymousId !== undefined) {
    const found = originalId(personKey, 'anonymous_id', anonymousId)
    const resolvedBy = event.isAnonymousIdDerived ? 'cookieless' : 'anonymous_id'
    if (found !== '') return { personId: found, resolvedBy }
  }
  const value = personId ?? userId ?? anonymousId ?? ''
  return { personId: originalIdOf(personKey, { type: 'junk', value }), resolvedBy: 'junk' }
}

/** A visitor sends several events within minutes; about 200 bytes each. */
const rememberedPeople = 20_000

const originalIds = createRecentCache<string>(rememberedPeople)

/** Empty if the value identifies no one. */
function originalId(personKey: string, type: string, value: string): string {
  const key = `${personKey}\u0000${type}\u0000${value}`
  const known = originalIds.get(key)
  if (known !== undefined) return known
  const found = normalise({ type, value })
  const made = 'refused' in found ? '' : originalIdOf(personKey, { type, value: found.value })
  originalIds.set(key, made)
  return made
}

/** Identified by a user id or similar, and not by a device. */
export function isKnownPerson(resolvedBy: string): boolean {
  return resolvedBy === 'user_id' || resolvedBy === 'person_id'
}

/** Whether an event comes from the person's device, and not from a server. */
export function isFromDevice(anonymousId: string | undefined, isPublic: boolean): boolean {
  return isPublic || (anonymousId !== undefined && anonymousId !== '')
}

/**
 * Sessions follow the device if it is known, so that signing in does not start a new one. Sessions of servers
 * are separate: activity on a device never continues one of them.
 */
export function visitorKey(anonymousId: string | undefined, personId: string, isPublic: boolean): string {
  if (anonymousId !== undefined && anonymousId !== '') return `a${anonymousId}`
  return isPublic ? personId : `s${personId}`
}
