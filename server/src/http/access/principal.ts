import type { IncomingHttpHeaders } from 'node:http'
import {
  type KeyKind,
  leastRoles,
  Problem,
  type Role,
  type RouteShape,
  readKeyKind,
  type Scope,
  siteBindingOf,
  takesSenders,
} from '@assay/contract'

/** The caller and their workspace. Both kinds have scopes: a person has those of their role. */
export type Principal = KeyPrincipal | PersonPrincipal

export type KeyPrincipal = {
  kind: 'key'
  keyId: string
  keyKind: KeyKind
  workspaceId: string
  /** Set when the key is bound to a site. */
  siteId: string | null
  scopes: readonly Scope[]
}

/** A signed-in person in one of their workspaces. */
export type PersonPrincipal = {
  kind: 'person'
  userId: string
  sessionId: string
  workspaceId: string
  role: Role
  siteId: null
  scopes: readonly Scope[]
}

/** A signed-in person before a workspace is chosen; theirs are in order of joining. */
export type SignedIn = {
  kind: 'signedIn'
  userId: string
  sessionId: string
  memberships: readonly { workspaceId: string; role: Role }[]
}

export type FindKey = (key: string) => Promise<KeyPrincipal | null> | KeyPrincipal | null

/** Anyone can read a public key, so it is trusted less. */
export function keyClassOf({ keyKind }: Pick<KeyPrincipal, 'keyKind'>): 'public' | 'secret' {
  return keyKind === 'public' ? 'public' : 'secret'
}

/** The wanted scopes that the own ones do not include. */
export function missingScopes(own: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return own.includes('*') ? [] : wanted.filter((scope) => !own.includes(scope))
}

/** Id of the caller in stored records: of the key, or of the person. */
export function actorIdOf(caller: Principal): string {
  return caller.kind === 'key' ? caller.keyId : caller.userId
}

/**
 * The key of a request: bearer token, Basic user name, or (for beacons, which cannot set headers) in the
 * body.
 */
export function readCredential(
  headers: IncomingHttpHeaders,
  body: unknown,
  fromBody: boolean,
): string | null {
  const header = headers.authorization
  if (header !== undefined) return readAuthorization(header)
  if (!fromBody || typeof body !== 'object' || body === null) return null
  const inBody = 'writeKey' in body ? body.writeKey : 'write_key' in body ? body.write_key : null
  return typeof inBody === 'string' ? inBody : null
}

function readAuthorization(header: string): string | null {
  const space = header.indexOf(' ')
  const scheme = header.slice(0, space).toLowerCase()
  const value = header.slice(space + 1).trim()
  if (scheme === 'bearer') return value
  if (scheme !== 'basic') return null
  const userAndPassword = Buffer.from(value, 'base64').toString('utf8')
  const colon = userAndPassword.indexOf(':')
  return colon === -1 ? userAndPassword : userAndPassword.slice(0, colon)
}

export function unauthenticated(detail: string): Problem {
  return new Problem('unauthenticated', { detail, headers: { 'www-authenticate': 'Bearer' } })
}

const withBadKey = 'This API key is unknown, revoked or expired.'

/** Finds the key. Nearly every key is cached, and then the result is synchronous. */
export function authenticate(credential: string, findKey: FindKey): KeyPrincipal | Promise<KeyPrincipal> {
  // The checksum detects a mistyped key before any look-up.
  if (readKeyKind(credential) === null) throw unauthenticated(withBadKey)
  const found = findKey(credential)
  return found instanceof Promise ? found.then(requireKey) : requireKey(found)
}

function requireKey(found: KeyPrincipal | null): KeyPrincipal {
  if (found === null) throw unauthenticated(withBadKey)
  return found
}

/** Decisions §2: which kind of key, and which role, may use which kind of route. */
export function authorise(caller: Principal | SignedIn, route: RouteShape): void {
  if (caller.kind === 'signedIn') return
  const refusal = caller.kind === 'key' ? refusalOfKey(caller, route) : refusalOfPerson(caller, route)
  if (refusal !== null) throw new Problem('insufficient-scope', { detail: refusal })
}

function refusalOfPerson({ role, scopes }: PersonPrincipal, route: RouteShape): string | null {
  if (hasScope(scopes, route) && hasAlso(scopes, route)) return null
  const scope = hasScope(scopes, route) ? route.andScope : (route.orScope ?? route.scope)
  if (scope === undefined || scope === '*') return null
  return `Your role in this workspace is ${role}; this takes at least ${leastRoles[scope]} (${scope}).`
}

function hasScope(scopes: readonly Scope[], { scope, orScope }: RouteShape): boolean {
  if (scope === undefined || scopes.includes('*') || scopes.includes(scope)) return true
  return orScope !== undefined && scopes.includes(orScope)
}

function hasAlso(scopes: readonly Scope[], { andScope }: RouteShape): boolean {
  return andScope === undefined || scopes.includes('*') || scopes.includes(andScope)
}

function refusalOfKey({ keyKind, scopes, siteId }: KeyPrincipal, route: RouteShape): string | null {
  if (route.access === 'person') return 'This is for a person who is signed in, not for an API key.'
  if (keyKind === 'public' && !takesSenders(route)) {
    return 'A public key (pk_live_) only sends events. Use a secret key from your server for this.'
  }
  if (keyKind === 'test' && route.access === 'write') {
    return 'A test key (svc_sk_test_) is read-only. Use a live key to change anything.'
  }
  if (siteId !== null && siteBindingOf(route) === null) {
    return 'This key is bound to a site, and this is about the whole workspace. Use a key that is not bound.'
  }
  if (!hasScope(scopes, route)) return `This key lacks the scope ${route.scope}.`
  return hasAlso(scopes, route) ? null : `This key lacks the scope ${route.andScope}.`
}
