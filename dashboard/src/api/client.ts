import { type CallInput, createClient, type Output } from '@assay/contract'
import { setStanding, Unreachable } from './connection.ts'
import { type RouteName, type RouteOf, routeNamed } from './routes.ts'

export type Call = <Name extends RouteName>(
  name: Name,
  input: CallInput<RouteOf<Name>>,
) => Promise<Output<RouteOf<Name>>>

/** A replay of stored traffic or a large report may take the portable engine a while. */
const timeoutMs = 60_000
/** What a proxy answers while the product behind it is away. */
const gatewayStatuses = [502, 504]
const refreshPath = '/v1/auth/session/refresh'

/** Calls the interface as the person whose cookies the browser keeps, in one workspace. */
export function createCall(workspaceId: string | null): Call {
  const client = createClient({
    baseUrl: location.origin,
    timeoutMs,
    fetch: (input, init) => sendSignedIn(input, withMarks(init, workspaceId)),
  })
  return (name, input) => client.call(routeNamed(name), input)
}

/** A request that changes something by cookie must say that it comes from a page of ours. */
function withMarks(init: RequestInit | undefined, workspaceId: string | null): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('x-assay-dashboard', '1')
  if (workspaceId !== null) headers.set('x-assay-workspace', workspaceId)
  return { ...init, headers }
}

/**
 * The access token is valid for minutes. When it has expired it is renewed once, by the first request that
 * notices.
 */
async function sendSignedIn(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const response = await reach(input, init)
  if (response.status !== 401) {
    setStanding('reached')
    return response
  }
  if (await renewed()) return reach(input, init)
  setStanding('signedOut')
  return response
}

async function reach(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init)
    if (!gatewayStatuses.includes(response.status)) return response
  } catch (error) {
    setStanding('unreachable')
    throw new Unreachable(error)
  }
  setStanding('unreachable')
  throw new Unreachable()
}

let renewing: Promise<boolean> | null = null

function renewed(): Promise<boolean> {
  renewing ??= renew().finally(() => {
    renewing = null
  })
  return renewing
}

async function renew(): Promise<boolean> {
  const headers = { 'content-type': 'application/json', 'x-assay-dashboard': '1' }
  const { ok } = await reach(refreshPath, { method: 'POST', body: '{}', headers })
  return ok
}
