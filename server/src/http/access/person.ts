import type { IncomingHttpHeaders } from 'node:http'
import { Problem, type RouteShape, roleScopes } from '@assay/contract'
import { type PersonPrincipal, type SignedIn, unauthenticated } from './principal.ts'

/** The person of an access token; null when it is invalid, or its session has ended. */
export type FindPerson = (accessToken: string) => Promise<SignedIn | null>

/** How cookies are named and sent: only over TLS if the product is reached by it. */
export type CookieSettings = { isSecure: () => boolean; origin: () => string }

/** Which of their workspaces a person means. */
export const workspaceHeader = 'x-assay-workspace'
/** A page of another origin cannot set it without a preflight request, which is refused. */
export const dashboardHeader = 'x-assay-dashboard'

const withoutCredential = 'Send an API key or an access token as "Authorization: Bearer <credential>".'
const withBadToken =
  'This access token is not valid, has expired, or its session has ended. Refresh it or sign in.'

/** No key begins like this, and every JWT does: it is base64 of `{"`. */
export function isAccessToken(credential: string): boolean {
  return credential.startsWith('eyJ')
}

type SessionRequest = { headers: IncomingHttpHeaders; method: string }

/** The signed-in person of a request without a key. */
export async function identifyPerson(
  request: SessionRequest,
  route: RouteShape,
  token: string | null,
  findPerson: FindPerson,
  cookies: CookieSettings,
): Promise<SignedIn | PersonPrincipal> {
  const accessToken = token ?? (route.access === 'send' ? null : readAccessCookie(request, cookies))
  if (accessToken === null || accessToken === '') throw unauthenticated(withoutCredential)
  const person = await findPerson(accessToken)
  if (person === null) throw unauthenticated(withBadToken)
  if (route.access === 'person') return person
  if (route.access === 'send') {
    throw new Problem('insufficient-scope', { detail: 'Events are sent with an API key, not by a person.' })
  }
  return inWorkspace(person, request.headers[workspaceHeader])
}

function inWorkspace(person: SignedIn, wanted: string | string[] | undefined): PersonPrincipal {
  const { memberships, userId, sessionId } = person
  const membership =
    wanted === undefined ? memberships[0] : memberships.find(({ workspaceId }) => workspaceId === wanted)
  if (membership === undefined) throw new Problem('not-found', { detail: 'There is no such workspace.' })
  const { workspaceId, role } = membership
  return { kind: 'person', userId, sessionId, workspaceId, role, siteId: null, scopes: roleScopes[role] }
}

/** The `__Host-` prefix stops other hosts of the domain from setting it; browsers accept it over TLS only. */
export function accessCookie(isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}assay_access`
}

export function readCookie(headers: IncomingHttpHeaders, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return null
}

function readAccessCookie(request: SessionRequest, cookies: CookieSettings): string | null {
  const token = readCookie(request.headers, accessCookie(cookies.isSecure()))
  if (token !== null && request.method !== 'GET') requireOwnPage(request.headers, cookies)
  return token
}

/**
 * A browser sends cookies automatically, for any page. So a request that changes something by cookie must
 * come from our own page: proved by a header that other origins cannot set, and by the origin that browsers
 * send.
 */
export function requireOwnPage(headers: IncomingHttpHeaders, cookies: CookieSettings): void {
  const isMarked = headers[dashboardHeader] !== undefined
  const isOwn = headers.origin === undefined || isSameOrigin(headers.origin, headers.host, cookies)
  const site = headers['sec-fetch-site']
  if (isMarked && isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new Problem('insufficient-scope', {
    detail: `With a cookie, send the header ${dashboardHeader} from a page of this very address.`,
  })
}

/**
 * Reached by its public address, or directly while none is configured; never without TLS where there is TLS.
 */
function isSameOrigin(origin: string, host: string | undefined, cookies: CookieSettings): boolean {
  if (origin === new URL(cookies.origin()).origin) return true
  if (!URL.canParse(origin) || (cookies.isSecure() && !origin.startsWith('https:'))) return false
  return host !== undefined && new URL(origin).host === host
}
