import type { IncomingHttpHeaders } from 'node:http'
import { type KeyKind, Problem, type RouteShape, readKeyKind, type Scope } from '@assay/contract'

/** Who calls: an API key, and through it a workspace. */
export type Principal = {
  keyId: string
  keyKind: KeyKind
  workspaceId: string
  /** Set when the key is bound to a site. */
  siteId: string | null
  scopes: readonly Scope[]
}

export type FindKey = (key: string) => Promise<Principal | null> | Principal | null

/** The key of a request: bearer token, Basic user name, or (for beacons, which cannot set headers) in the body. */
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

const withoutKey = 'Send an API key as "Authorization: Bearer <key>".'
const withBadKey = 'This API key is unknown, revoked or expired.'

export async function authenticate(credential: string | null, findKey: FindKey): Promise<Principal> {
  if (credential === null || credential === '') throw unauthenticated(withoutKey)
  // The checksum tells a typo before anything is looked up.
  if (readKeyKind(credential) === null) throw unauthenticated(withBadKey)
  const found = findKey(credential)
  const principal = found instanceof Promise ? await found : found
  if (principal === null) throw unauthenticated(withBadKey)
  return principal
}

/** Decisions §2: which kind of key may use which kind of route. */
export function authorise(principal: Principal, route: RouteShape): void {
  const refusal = refusalFor(principal, route)
  if (refusal !== null) throw new Problem('insufficient-scope', { detail: refusal })
}

function refusalFor({ keyKind, scopes }: Principal, route: RouteShape): string | null {
  if (keyKind === 'public' && route.access !== 'send') {
    return 'A public key (pk_live_) only sends events. Use a secret key from your server for this.'
  }
  if (keyKind === 'test' && route.access === 'write') {
    return 'A test key (svc_sk_test_) is read-only. Use a live key to change anything.'
  }
  if (route.scope === undefined || scopes.includes('*') || scopes.includes(route.scope)) return null
  return `This key lacks the scope ${route.scope}.`
}
