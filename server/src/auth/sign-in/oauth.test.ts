import { createHash, randomBytes } from 'node:crypto'
import {
  exchangeOauthCode,
  getSession,
  listAuditLog,
  listSignInMethods,
  type OauthProvider,
} from '@assay/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { newId } from '../../platform/clock.ts'
import { openBrowser } from '../../testing/browser.ts'
import { caller, startWorld, type World } from '../../testing/harness.ts'
import {
  type IdentityProvider,
  startGithubLike,
  startOpenIdProvider,
  type Visitor,
} from '../../testing/identity-providers.ts'
import { createProviders } from './oauth-providers.ts'

const clientAddress = 'https://tool.example/signed-in'
let world: World
let providers: Record<OauthProvider, IdentityProvider>
let visitors = 1000

beforeAll(async () => {
  providers = { google: await startOpenIdProvider(), github: await startGithubLike() }
  const { google, github } = providers
  const { oauth } = readConfig({
    ASSAY_OAUTH_GOOGLE_ISSUER: google.url,
    ASSAY_OAUTH_GOOGLE_CLIENT_ID: google.clientId,
    ASSAY_OAUTH_GOOGLE_CLIENT_SECRET: google.clientSecret,
    ASSAY_OAUTH_GITHUB_ISSUER: github.url,
    ASSAY_OAUTH_GITHUB_API_URL: github.url,
    ASSAY_OAUTH_GITHUB_CLIENT_ID: github.clientId,
    ASSAY_OAUTH_GITHUB_CLIENT_SECRET: github.clientSecret,
    ASSAY_OAUTH_REDIRECT_URIS: clientAddress,
  })
  world = await startWorld({ config: { oauth } })
  for (const [name, provider] of Object.entries(providers)) {
    provider.allowRedirect(`${world.product.url}/v1/auth/oauth/${name}/callback`)
  }
})
afterAll(async () => {
  await world?.close()
  await Promise.all(Object.values(providers ?? {}).map((provider) => provider.close()))
})
beforeEach(() => {
  for (const { next } of Object.values(providers)) Object.assign(next, { visitor: null, error: null })
})

const begin = (name: string, query = '') => `${world.product.url}/v1/auth/oauth/${name}${query}`
const visitor = (email: string, isVerified = true): Visitor => ({
  id: visitors++,
  email,
  isVerified,
  name: 'Ada Lovelace',
})
const accessOf = (cookies: readonly string[]) =>
  /assay_access=([^;]+)/.exec(cookies.find((line) => line.startsWith('assay_access=')) ?? '')?.[1] ?? null
const whoIs = (token: string | null) => caller(world.product.url, token)(getSession, {})

describe.each(['google', 'github'] as const)('signing in with %s', (name) => {
  test('leads a member through the provider to a session in cookies, with PKCE, state and exact addresses', async () => {
    const member = await world.signIn('analyst')
    providers[name].next.visitor = visitor(member.email.toUpperCase())
    const browser = openBrowser()
    const visit = await browser.navigate(begin(name, '?return_to=/reports'))
    expect(visit.url.pathname).toBe('/reports')
    const asked = visit.steps[1]?.searchParams
    expect(asked?.get('code_challenge_method')).toBe('S256')
    expect(asked?.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    expect(asked?.get('state')).toMatch(/^st_/)
    expect(asked?.get('redirect_uri')).toBe(`${world.product.url}/v1/auth/oauth/${name}/callback`)
    if (name === 'google') expect(asked?.get('nonce')).toMatch(/^nonce_/)
    const ours = browser.cookies().filter((line) => line.startsWith('assay_'))
    expect(ours.every((line) => line.includes('; HttpOnly; SameSite=Lax'))).toBe(true)

    const { body } = await whoIs(accessOf(browser.cookies()))
    expect(body.user).toEqual({ id: member.userId, email: member.email, name: 'Ada Lovelace' })
    expect(body.session).toMatchObject({ method: name, device: 'Firefox on Linux' })
    expect(body.workspaces).toMatchObject([{ id: member.workspaceId, role: 'analyst' }])
  })

  test('finds the account again after the address at the provider has changed', async () => {
    const member = await world.signIn('viewer')
    const person = visitor(member.email)
    providers[name].next.visitor = person
    await openBrowser().navigate(begin(name))
    providers[name].next.visitor = { ...person, email: `${newId('new')}@example.com`, isVerified: false }
    const again = openBrowser()
    await again.navigate(begin(name))
    expect((await whoIs(accessOf(again.cookies()))).body.user.id).toBe(member.userId)
  })

  test('does not link an account by an address that the provider has not verified', async () => {
    const member = await world.signIn('owner')
    providers[name].next.visitor = visitor(member.email, false)
    const browser = openBrowser()
    const visit = await browser.navigate(begin(name))
    expect(visit.status).toBe(401)
    expect(visit.text).toContain('no verified email address')
    expect(accessOf(browser.cookies())).toBeNull()
  })

  test('asks a person without an account to get an invitation', async () => {
    providers[name].next.visitor = visitor('stranger@example.com')
    const visit = await openBrowser().navigate(begin(name))
    expect(visit.status).toBe(403)
    expect(visit.text).toContain('There is no account for stranger@example.com here')
  })

  test('says in plain words what the provider refused', async () => {
    const title = name === 'google' ? 'Google' : 'GitHub'
    providers[name].next.error = { error: 'access_denied', error_description: 'The user said no' }
    const denied = await openBrowser().navigate(begin(name))
    expect(denied.status).toBe(401)
    expect(denied.text).toContain(`${title} refused the sign-in, or you cancelled it.`)
    providers[name].next.error = { error: 'odd_error', error_description: 'Because <b>we</b> say so' }
    const odd = await openBrowser().navigate(begin(name))
    expect(odd.text).toContain(`${title} refused the sign-in: Because &lt;b&gt;we&lt;/b&gt; say so`)
  })
})

describe('an answer of the provider', () => {
  async function answerFor(name: OauthProvider) {
    const member = await world.signIn('viewer')
    providers[name].next.visitor = visitor(member.email)
    const browser = openBrowser()
    const visit = await browser.navigate(begin(name))
    const answer = visit.steps.find(({ pathname }) => pathname.endsWith('/callback'))
    if (answer === undefined) throw new Error('the provider did not redirect back')
    return { browser, answer }
  }

  test('signs in once', async () => {
    const { browser, answer } = await answerFor('google')
    const again = await browser.navigate(answer.href)
    expect(again.status).toBe(401)
    expect(again.text).toContain('was finished already')
  })

  test('that belongs to a sign-in of another browser is refused', async () => {
    const { answer } = await answerFor('github')
    const victim = openBrowser()
    expect((await victim.navigate(answer.href)).status).toBe(401)
    await fetch(begin('github'), { redirect: 'manual' })
    expect((await victim.navigate(answer.href)).status).toBe(401)
    expect(accessOf(victim.cookies())).toBeNull()
  })

  test.each([
    ['a made-up code', (answer: URL) => answer.searchParams.set('code', 'made-up')],
    ['no code', (answer: URL) => answer.searchParams.delete('code')],
    ['another issuer', (answer: URL) => answer.searchParams.set('iss', 'https://evil.example')],
  ])('with %s is refused', async (_what, tamper) => {
    const browser = openBrowser()
    const begun = await fetch(begin('google'), { redirect: 'manual' })
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const answer = new URL(
      `${begin('google')}/callback?code=x&iss=${encodeURIComponent(providers.google.url)}`,
    )
    answer.searchParams.set('state', state)
    tamper(answer)
    const refused = await fetch(answer, { headers: { cookie, accept: 'application/json' } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
    expect(browser.cookies()).toEqual([])
  })

  test('of a provider that cannot be reached is reported as such, and is fetched again', async () => {
    const { oauth } = readConfig({
      // Port 9 discards input, and nothing listens there.
      ASSAY_OAUTH_GOOGLE_ISSUER: 'http://127.0.0.1:9',
      ASSAY_OAUTH_GOOGLE_CLIENT_ID: 'x',
      ASSAY_OAUTH_GOOGLE_CLIENT_SECRET: 'x',
    })
    const { google, github } = createProviders(oauth)
    expect(github).toBeUndefined()
    const handshake = {
      redirectUri: 'http://127.0.0.1/x',
      state: 's',
      nonce: 'n',
      codeVerifier: 'v'.repeat(43),
    }
    for (const _try of ['first', 'second']) {
      await expect(google?.address(handshake)).rejects.toMatchObject({
        slug: 'unavailable',
        message: expect.stringContaining('Google cannot be reached right now'),
      })
    }
  })

  test('of a provider that is not set up is not waited for', async () => {
    expect((await fetch(begin('facebook'))).status).toBe(404)
  })
})

describe('a client of its own', () => {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const asClient = (changes: Record<string, string> = {}) =>
    `?${new URLSearchParams({
      redirect_uri: clientAddress,
      state: 'its own',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    })}`

  async function codeFor(email: string): Promise<URL> {
    providers.google.next.visitor = visitor(email)
    return (await openBrowser().navigate(begin('google', asClient()))).url
  }

  test('gets a code at its registered address, and a session for it with its verifier, once', async () => {
    const member = await world.signIn('admin')
    const back = await codeFor(member.email)
    expect(back.origin + back.pathname).toBe(clientAddress)
    expect(back.searchParams.get('state')).toBe('its own')
    const body = {
      code: back.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: clientAddress,
    }
    const call = caller(world.product.url, null)
    const exchanged = await call(exchangeOauthCode, { body })
    expect(exchanged.status).toBe(200)
    expect((await whoIs(exchanged.body.access_token ?? null)).body.user.id).toBe(member.userId)
    expect((await call(exchangeOauthCode, { body })).status).toBe(401)
  })

  test('without the verifier gets nothing, and the code is spent', async () => {
    const member = await world.signIn('admin')
    const code = (await codeFor(member.email)).searchParams.get('code') ?? ''
    const call = caller(world.product.url, null)
    const right = { code, code_verifier: verifier, redirect_uri: clientAddress }
    const wrong = { ...right, code_verifier: randomBytes(32).toString('base64url') }
    expect((await call(exchangeOauthCode, { body: wrong })).status).toBe(401)
    expect((await call(exchangeOauthCode, { body: right })).status).toBe(401)
  })

  test('is notified at its redirect URI that the person was refused', async () => {
    const back = await codeFor('nobody@example.com')
    expect(back.origin + back.pathname).toBe(clientAddress)
    expect(back.searchParams.get('error')).toBe('access_denied')
    expect(back.searchParams.get('code')).toBeNull()
  })

  test.each([
    { redirect_uri: `${clientAddress}/` },
    { redirect_uri: `${clientAddress}?x=1` },
    { redirect_uri: 'https://tool.example.evil.example/signed-in' },
    { code_challenge_method: 'plain' },
  ])('with %o is refused before any redirect', async (changes) => {
    const refused = await fetch(begin('google', asClient(changes)), { redirect: 'manual' })
    expect(refused.status).toBe(422)
  })
})

test.each([
  { ASSAY_OAUTH_GOOGLE_CLIENT_ID: 'x' },
  { ASSAY_OAUTH_GITHUB_CLIENT_SECRET: 'x' },
  { ASSAY_OAUTH_GOOGLE_ISSUER: 'http://id.example' },
  { ASSAY_OAUTH_REDIRECT_URIS: 'nowhere' },
  { ASSAY_SMTP_URL: 'https://mail.example' },
  { ASSAY_SIGN_UP: 'maybe' },
  { ASSAY_OWNER_EMAIL: 'nobody' },
])('the setting %o is refused at the start, by its name', (env) => {
  expect(() => readConfig(env)).toThrow(Object.keys(env)[0])
})

test('a person is never sent on to another site', async () => {
  for (const target of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
    const query = `?return_to=${encodeURIComponent(target)}`
    expect((await fetch(begin('google', query), { redirect: 'manual' })).status).toBe(422)
  }
})

test('the methods that are set up are listed, and linking is in the audit log', async () => {
  const owner = await world.signIn('owner')
  providers.github.next.visitor = visitor(owner.email)
  await openBrowser().navigate(begin('github'))
  const { body: methods } = await caller(world.product.url, null)(listSignInMethods, {})
  expect(methods).toEqual({ magic_link: true, oauth: ['google', 'github'], sign_up: 'invited' })
  const { body: log } = await owner.call(listAuditLog, { query: { action: 'user.identity_linked' } })
  expect(log.data).toMatchObject([{ actor: { id: owner.userId }, details: { provider: 'github' } }])
})
