import { hash } from 'node:crypto'
import type { RawEvent } from '@assay/contract'
import { rememberRecent } from './enrich/recent-cache.ts'

export type Born = { personId: string; resolvedBy: 'person_id' | 'user_id' | 'anonymous_id' | 'cookieless' }

/**
 * The person that is born with an event's strongest identifier. It is a keyed hash, so a new visitor costs no look-up,
 * every node comes to the same id, and nobody can tell the identifier from it.
 */
export function bornPerson(secret: string, workspaceId: string, event: RawEvent): Born {
  if (event.personId !== undefined) {
    const isOurs = event.personId.startsWith('per_')
    const personId = isOurs ? event.personId : personIdOf(secret, workspaceId, 'person_id', event.personId)
    return { personId, resolvedBy: 'person_id' }
  }
  if (event.userId !== undefined) {
    return { personId: personIdOf(secret, workspaceId, 'user_id', event.userId), resolvedBy: 'user_id' }
  }
  const anonymousId = event.anonymousId ?? ''
  return {
    personId: personIdOf(secret, workspaceId, 'anonymous_id', anonymousId),
    resolvedBy: event.isAnonymousIdDerived ? 'cookieless' : 'anonymous_id',
  }
}

/** 104 bits of the digest: far beyond what could ever collide in one workspace. */
const idHexDigits = 26

/** A visitor sends several events within minutes; some 200 bytes each. */
const rememberedPeople = 20_000

const personOf = rememberRecent((identifier) => {
  const digest = hash('sha256', identifier, 'hex')
  return `per_${digest.slice(0, idHexDigits)}`
}, rememberedPeople)

function personIdOf(secret: string, workspaceId: string, type: string, value: string): string {
  return personOf(`${secret}\u0000${workspaceId}\u0000${type}\u0000${value}`)
}

/** Sessions follow the device where it is known, so that signing in does not begin a new one. */
export function visitorKey(anonymousId: string | undefined, personId: string): string {
  return anonymousId === undefined || anonymousId === '' ? personId : `a${anonymousId}`
}
