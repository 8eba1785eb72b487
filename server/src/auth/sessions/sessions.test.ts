import {
  getSession,
  getSigningKeys,
  listApiKeys,
  listAuditLog,
  listSessions,
  listSites,
  mintApiKey,
  refreshSession,
  revokeSession,
  roles,
  track,
} from '@assay/contract'
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dashboardHeader, workspaceHeader } from '../../http/access/person.ts'
import { openBrowser } from '../../testing/browser.ts'
import { caller, startWorld, type TestPerson, type TestWorkspace, type World } from '../../testing/harness.ts'
import { addMember } from '../../workspaces/members/users.ts'

let world: World
let shop: TestWorkspace
let owner: TestPerson
const clock = { ms: Date.now() }

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
  owner = await world.signIn('owner', shop)
})
afterAll(() => world?.close())

const statusOf = async (headers: Record<string, string>, init: RequestInit = {}) =>
  (await fetch(`${world.product.url}/api/v1/sites`, { ...init, headers })).status

describe('a person', () => {
  test.each(roles)('who is %s in a workspace does there what the role says', async (role) => {
    const person = await world.signIn(role, shop)
    expect((await person.call(listSites, { query: {} })).body.data).toMatchObject([{ id: shop.siteId }])
    const mint = await person.call(mintApiKey, { body: { kind: 'test', name: 'x', scopes: ['sites:read'] } })
    const isHigh = role === 'admin' || role === 'owner'
    expect(mint.status).toBe(isHigh ? 201 : 403)
    if (!isHigh) expect(mint.problem.detail).toContain(`is ${role}; this takes at least admin`)
  })

  test('who is not signed in, or sends a broken token, is refused', async () => {
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' })).toBe(401)
    expect(await statusOf({ authorization: 'Bearer eyJ' })).toBe(401)
  })

  test('never sends events', async () => {
    const body = { event: '$login', user_id: 'u', properties: { method: 'x' } }
    expect((await owner.call(track, { body })).status).toBe(403)
  })

  test('names one of their workspaces, else is in the first they joined', async () => {
    const other = await world.newWorkspace()
    const { control, sessions } = world.product.deps
    expect((await owner.call(listSites, { query: {} })).body.data[0]?.id).toBe(shop.siteId)
    const inOther = { headers: { [workspaceHeader]: other.workspaceId } }
    expect((await owner.call(listSites, { query: {} }, inOther)).status).toBe(404)
    clock.ms += 1_000
    await addMember(control, () => clock.ms, other.workspaceId, owner.userId, 'viewer')
    await sessions.userChanged(owner.userId)
    expect((await owner.call(listSites, { query: {} }, inOther)).body.data[0]?.id).toBe(other.siteId)
    expect((await owner.call(listApiKeys, { query: {} }, inOther)).status).toBe(403)
    expect((await owner.call(listSites, { query: {} })).body.data[0]?.id).toBe(shop.siteId)
  })

  test('gets the same answer for a workspace of others as for one that does not exist', async () => {
    const theirs = await world.newWorkspace()
    const ask = async (workspaceId: string) =>
      (await owner.call(listSites, { query: {} }, { headers: { [workspaceHeader]: workspaceId } })).problem
    const foreign = await ask(theirs.workspaceId)
    expect(foreign).toEqual({ ...(await ask('ws_none')), instance: foreign.instance })
    expect(foreign.status).toBe(404)
  })
})

describe('the cookie of the dashboard', () => {
  const write = { method: 'POST', body: '{}' }
  const cookie = () => `other=1; assay_access=${owner.accessToken}`
  const json = { 'content-type': 'application/json' }

  test('lets a person read', async () => {
    expect(await statusOf({ cookie: cookie() })).toBe(200)
  })

  test('changes nothing unless the request comes from a page of ours', async () => {
    const { url } = world.product
    const marked = { cookie: cookie(), ...json, [dashboardHeader]: '1' }
    expect(await statusOf({ cookie: cookie(), ...json }, write)).toBe(403)
    expect(await statusOf({ ...marked, origin: 'https://evil.example' }, write)).toBe(403)
    expect(await statusOf({ ...marked, origin: 'null' }, write)).toBe(403)
    expect(await statusOf({ ...marked, 'sec-fetch-site': 'same-site' }, write)).toBe(403)
    // Authorised, and only then refused because a site needs a name.
    expect(await statusOf({ ...marked, origin: url, 'sec-fetch-site': 'same-origin' }, write)).toBe(422)
  })
})

describe('an access token', () => {
  const lives = async (token: string) =>
    (await caller(world.product.url, token)(getSession, {})).status === 200
  /** The very claims of a good token, changed and signed with another key. */
  async function forge(changes: object, header: object = {}): Promise<string> {
    const { privateKey } = await generateKeyPair('ES256')
    return new SignJWT({ ...decodeJwt(owner.accessToken), ...changes })
      .setProtectedHeader({ alg: 'ES256', ...decodeProtectedHeader(owner.accessToken), ...header })
      .sign(privateKey)
  }

  test('can be checked by anyone with the published keys, and says for whom and how long', async () => {
    const { body } = await caller(world.product.url, null)(getSigningKeys, {})
    expect(JSON.stringify(body)).not.toContain('"d"')
    const keys = createLocalJWKSet({ keys: body.keys.map((key) => ({ kty: 'EC', ...key })) })
    const { payload, protectedHeader } = await jwtVerify(owner.accessToken, keys, {
      audience: 'assay',
      currentDate: new Date(clock.ms),
    })
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: body.keys[0]?.kid })
    expect(payload).toMatchObject({ sub: owner.userId, sid: owner.sessionId })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60)
  })

  test('that was tampered with is refused', async () => {
    const [header = '', payload = '', signature = ''] = owner.accessToken.split('.')
    const other = await world.signIn('viewer', shop)
    const claims = JSON.stringify({
      ...decodeJwt(other.accessToken),
      sub: owner.userId,
      sid: owner.sessionId,
    })
    const swapped = Buffer.from(claims).toString('base64url')
    expect(await lives(`${header}.${payload}.${signature}`)).toBe(true)
    expect(await lives(`${header}.${swapped}.${other.accessToken.split('.')[2]}`)).toBe(false)
    for (const at of [0, 20, 60]) {
      const flipped = `${signature.slice(0, at)}${signature[at] === 'A' ? 'B' : 'A'}${signature.slice(at + 1)}`
      expect(await lives(`${header}.${payload}.${flipped}`)).toBe(false)
    }
  })

  test('without a signature, or with one of another kind, is refused', async () => {
    const [, payload = ''] = owner.accessToken.split('.')
    const { kid } = decodeProtectedHeader(owner.accessToken)
    const encode = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(await lives(`${encode({ alg: 'none', kid, typ: 'at+jwt' })}.${payload}.`)).toBe(false)
    const published = world.product.deps.accessTokens.published().keys[0]
    const secret = Buffer.from(JSON.stringify(published))
    const confused = await new SignJWT(decodeJwt(owner.accessToken))
      .setProtectedHeader({ alg: 'HS256', kid: String(kid), typ: 'at+jwt' })
      .sign(secret)
    expect(await lives(confused)).toBe(false)
  })

  test('signed with another key is refused, whatever key it names or brings', async () => {
    expect(await lives(await forge({}))).toBe(false)
    expect(await lives(await forge({}, { kid: 'unknown' }))).toBe(false)
    const { publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await crypto.subtle.exportKey('jwk', publicKey)
    expect(await lives(await forge({}, { jwk }))).toBe(false)
  })

  test('for another audience, issuer or purpose is refused, though our own key signed it', async () => {
    const [row] = await world.product.deps.control.query<{ kid: string; private_jwk: object }>(
      'SELECT kid, private_jwk FROM signing_keys WHERE retired_at IS NULL',
    )
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await crypto.subtle.importKey('jwk', { ...row?.private_jwk }, algorithm, false, ['sign'])
    const sign = (changes: object, typ = 'at+jwt') =>
      new SignJWT({ ...decodeJwt(owner.accessToken), ...changes })
        .setProtectedHeader({ alg: 'ES256', kid: row?.kid ?? '', typ })
        .sign(key)
    expect(await lives(await sign({}))).toBe(true)
    expect(await lives(await sign({ aud: 'another' }))).toBe(false)
    expect(await lives(await sign({ iss: 'https://evil.example' }))).toBe(false)
    expect(await lives(await sign({ sid: 'ses_none' }))).toBe(false)
    expect(await lives(await sign({ exp: undefined }))).toBe(false)
    expect(await lives(await sign({}, 'JWT'))).toBe(false)
  })

  test('expires after 15 minutes', async () => {
    const person = await world.signIn('viewer', shop)
    clock.ms += 15 * 60_000 - 1_000
    expect(await lives(person.accessToken)).toBe(true)
    clock.ms += 2_000
    expect(await lives(person.accessToken)).toBe(false)
  })

  test('outlives the rotation of its key, which comes after a month', async () => {
    const { accessTokens } = world.product.deps
    const before = accessTokens.published().keys.map(({ kid }) => kid)
    clock.ms += 30 * 86_400_000
    const person = await world.signIn('viewer', shop)
    await accessTokens.rotate()
    const after = accessTokens.published().keys.map(({ kid }) => kid)
    expect(after).toHaveLength(2)
    expect(after).toContain(before[0])
    expect(await lives(person.accessToken)).toBe(true)
    const newer = await world.signIn('viewer', shop)
    expect(before).not.toContain(decodeProtectedHeader(newer.accessToken).kid)
    clock.ms += 2 * 86_400_000
    await accessTokens.rotate()
    expect(accessTokens.published().keys.map(({ kid }) => kid)).toEqual([after[0]])
  })
})

describe('a session', () => {
  const anybody = () => caller(world.product.url, null)
  const refresh = (refresh_token: string) => anybody()(refreshSession, { body: { refresh_token } })
  const isIn = async (token: string | undefined) =>
    (await caller(world.product.url, token ?? '')(getSession, {})).status === 200

  test('continues by its refresh token, which gives a new pair each time', async () => {
    const person = await world.signIn('viewer', shop)
    const first = await refresh(person.refreshToken)
    expect(first.status).toBe(200)
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: { id: person.userId } })
    const second = await refresh(first.body.refresh_token ?? '')
    expect(new Set([person.refreshToken, first.body.refresh_token, second.body.refresh_token]).size).toBe(3)
    expect(await isIn(second.body.access_token)).toBe(true)
  })

  test('ends for both when a refresh token is replayed, and the owner can read of it', async () => {
    const thiefAndVictim = await world.signIn('analyst', shop)
    const stolen = thiefAndVictim.refreshToken
    const victim = await refresh(stolen)
    const later = await refresh(victim.body.refresh_token ?? '')
    expect(await isIn(later.body.access_token)).toBe(true)
    const thief = await refresh(stolen)
    expect(thief.status).toBe(401)
    expect(await isIn(later.body.access_token)).toBe(false)
    expect((await refresh(later.body.refresh_token ?? '')).status).toBe(401)
    const boss = await world.signIn('owner', shop)
    const { body: log } = await boss.call(listAuditLog, { query: { object_id: thiefAndVictim.sessionId } })
    expect(log.data).toMatchObject([
      { action: 'session.reuse_detected', details: { user: thiefAndVictim.email, device: 'Test' } },
    ])
  })

  test('survives a token that is sent twice within moments, with one and the same successor', async () => {
    const person = await world.signIn('viewer', shop)
    const both = await Promise.all([refresh(person.refreshToken), refresh(person.refreshToken)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both[0]?.body.refresh_token).toBe(both[1]?.body.refresh_token)
    clock.ms += 11_000
    expect((await refresh(person.refreshToken)).status).toBe(401)
    expect((await refresh(both[0]?.body.refresh_token ?? '')).status).toBe(401)
  })

  test('lives 30 days from its last refresh', async () => {
    const person = await world.signIn('viewer', shop)
    clock.ms += 29 * 86_400_000
    const { body } = await refresh(person.refreshToken)
    clock.ms += 29 * 86_400_000
    const again = await refresh(body.refresh_token ?? '')
    expect(await isIn(again.body.access_token)).toBe(true)
    clock.ms += 31 * 86_400_000
    expect((await refresh(again.body.refresh_token ?? '')).status).toBe(401)
    expect((await refresh('rt_made_up')).status).toBe(401)
  })

  test('is listed with its device and last use, and can be ended at once', async () => {
    const { sessions } = world.product.deps
    const person = await world.signIn('viewer', shop)
    const firefoxOnMac = { device: 'Firefox on macOS', country: 'DE' }
    const other = await sessions.open(person.userId, 'google', firefoxOnMac)
    clock.ms += 60_000
    expect(await isIn(other.accessToken)).toBe(true)
    await sessions.saveUse()
    const { body } = await person.call(listSessions, { query: {} })
    expect(body.data).toMatchObject([
      { id: other.sessionId, current: false, method: 'google', ...firefoxOnMac },
      { id: person.sessionId, current: true, method: 'magic-link', device: 'Test' },
    ])
    expect(body.data[0]?.last_used_at).toBe(new Date(clock.ms).toISOString())
    const { body: page } = await person.call(listSessions, { query: { limit: 1 } })
    const rest = await person.call(listSessions, { query: { cursor: page.next_cursor ?? '' } })
    expect(rest.body.data.map(({ id }) => id)).toEqual([person.sessionId])

    const ended = await person.call(revokeSession, { body: { session_id: other.sessionId } })
    expect(ended.body.revoked).toEqual([other.sessionId])
    expect(await isIn(other.accessToken)).toBe(false)
    expect((await refresh(other.refreshToken)).status).toBe(401)
    expect(await isIn(person.accessToken)).toBe(true)
    expect((await person.call(revokeSession, { body: { session_id: other.sessionId } })).status).toBe(404)
  })

  test('of another person cannot be ended, and answers as if it did not exist', async () => {
    const [one, other] = [await world.signIn('owner', shop), await world.signIn('viewer', shop)]
    const foreign = await one.call(revokeSession, { body: { session_id: other.sessionId } })
    const missing = await one.call(revokeSession, { body: { session_id: 'ses_none' } })
    expect(foreign.status).toBe(404)
    expect(foreign.problem).toEqual({ ...missing.problem, instance: foreign.problem.instance })
    expect(await isIn(other.accessToken)).toBe(true)
  })

  test('ends with all others of its person', async () => {
    const person = await world.signIn('viewer', shop)
    const other = await world.product.deps.sessions.open(person.userId, 'github', {
      device: 'x',
      country: '',
    })
    expect(await isIn(other.accessToken)).toBe(true)
    const { body } = await person.call(revokeSession, { body: { all: true } })
    expect(new Set(body.revoked)).toEqual(new Set([person.sessionId, other.sessionId]))
    expect(await isIn(other.accessToken)).toBe(false)
    expect(await isIn(person.accessToken)).toBe(false)
  })

  test('is not for keys', async () => {
    const refused = await shop.call(listSessions, { query: {} })
    expect(refused.status).toBe(403)
    expect(refused.problem.detail).toContain('signed in')
  })

  test('in cookies is refreshed and ended by the dashboard alone', async () => {
    const { url, deps } = world.product
    const person = await world.signIn('viewer', shop)
    const link = await deps.signIn.magicLinks.make(person.email, 15)
    const token = /token=(.+)/.exec(link)?.[1]
    const browser = openBrowser()
    const mark = { [dashboardHeader]: '1' }
    const verify = `${url}/v1/auth/magic-link/verify`
    expect((await browser.post(verify, { token, delivery: 'cookies' })).status).toBe(403)
    const entered = await browser.post(verify, { token, delivery: 'cookies' }, mark)
    const body = await entered.text()
    expect(JSON.parse(body)).toMatchObject({ user: { email: person.email } })
    expect(body).not.toContain('_token"')
    const [access = '', refreshing = ''] = browser.cookies()
    expect(access).toMatch(/^assay_access=eyJ[^;]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/)
    expect(refreshing).toMatch(
      /^assay_refresh=rt_[^;]+; Path=\/v1\/auth\/session; Max-Age=2592000; HttpOnly;/,
    )

    expect((await browser.post(`${url}/v1/auth/session/refresh`, {})).status).toBe(403)
    clock.ms += 60_000
    expect((await browser.post(`${url}/v1/auth/session/refresh`, {}, mark)).status).toBe(200)
    expect(browser.cookies()).not.toContain(access)
    expect((await browser.post(`${url}/v1/auth/session/revoke`, {})).status).toBe(403)
    expect((await browser.post(`${url}/v1/auth/session/revoke`, {}, mark)).status).toBe(200)
    expect(browser.cookies()).toEqual([])
  })
})
