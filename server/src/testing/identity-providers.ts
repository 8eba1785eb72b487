import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Who signs in at the provider, and what it says of them. */
export type Visitor = { id: number; email: string; isVerified: boolean; name: string }

export type IdentityProvider = {
  url: string
  clientId: string
  clientSecret: string
  /** The next visitor; or the error that they are refused with. */
  next: { visitor: Visitor | null; error: { error: string; error_description: string } | null }
  /** The only address that people may be sent back to. */
  allowRedirect: (uri: string) => void
  close: () => Promise<void>
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

async function listen(handle: Handle): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // boundary: a server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

const client = { clientId: 'assay-test', clientSecret: 'a-secret-that-is-long-enough-for-anybody' }

/** A real OpenID provider, which insists on PKCE. */
export async function startOpenIdProvider(): Promise<IdentityProvider> {
  let handle: Handle = (_request, response) => response.writeHead(503).end()
  const { url, close } = await listen((request, response) => handle(request, response))
  const next: IdentityProvider['next'] = { visitor: null, error: null }
  const visitors = new Map<string, Visitor>()

  function allowRedirect(uri: string): void {
    const provider = new Provider(url, openIdConfiguration(uri, visitors))
    const usual = provider.callback()
    handle = (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return usual(request, response)
      const { visitor, error } = next
      if (visitor !== null) visitors.set(String(visitor.id), visitor)
      const result = error ?? { login: { accountId: String(visitor?.id), remember: false } }
      provider.interactionFinished(request, response, result).catch((cause: unknown) => {
        response.writeHead(500).end(String(cause))
      })
    }
  }
  return { url, ...client, next, allowRedirect, close }
}

type OidcContext = {
  oidc: {
    provider: Provider
    client: { clientId: string }
    session: { accountId: string }
  }
}

function openIdConfiguration(redirectUri: string, visitors: ReadonlyMap<string, Visitor>): object {
  return {
    clients: [
      { client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => {
        const visitor = visitors.get(id)
        return { sub: id, email: visitor?.email, email_verified: visitor?.isVerified, name: visitor?.name }
      },
    }),
    async loadExistingGrant({ oidc: { provider, client: asking, session } }: OidcContext) {
      const grant = new provider.Grant({ clientId: asking.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

/** An OAuth server like GitHub's: no OpenID, errors with status 200, and a separate API. */
export async function startGithubLike(): Promise<IdentityProvider> {
  const next: IdentityProvider['next'] = { visitor: null, error: null }
  const codes = new Map<string, { visitor: Visitor; challenge: string }>()
  const tokens = new Map<string, Visitor>()
  let redirectUri = ''

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if (query.get('redirect_uri') !== redirectUri) return void response.writeHead(404).end()
    if (next.error !== null) {
      for (const [name, value] of Object.entries(next.error)) back.searchParams.set(name, value)
    } else if (next.visitor !== null && query.get('code_challenge_method') === 'S256') {
      const code = `code-${codes.size}`
      codes.set(code, { visitor: next.visitor, challenge: query.get('code_challenge') ?? '' })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  function exchange(form: URLSearchParams): object {
    const found = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight = form.get('client_secret') === client.clientSecret && proof === found?.challenge
    if (found === undefined || !isRight) return { error: 'bad_verification_code' }
    const token = `gho_${tokens.size}`
    tokens.set(token, found.visitor)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  const { url, close } = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const visitor = tokens.get(request.headers.authorization?.slice('Bearer '.length) ?? '')
    const json = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/login/oauth/authorize') return authorize(searchParams, response)
    if (pathname === '/login/oauth/access_token') {
      return void readText(request).then((text) => json(exchange(new URLSearchParams(text))))
    }
    if (visitor === undefined) return void response.writeHead(401).end()
    if (pathname === '/user') return void json({ id: visitor.id, login: 'octo', name: visitor.name })
    const { email, isVerified: verified } = visitor
    json([
      { email: 'other@example.com', primary: false, verified: true },
      { email, primary: true, verified },
    ])
  })
  return {
    url,
    ...client,
    next,
    close,
    allowRedirect: (uri) => {
      redirectUri = uri
    },
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
