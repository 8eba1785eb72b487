import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  checkInstallation,
  createSite,
  type InstallationCode,
  installationLimits,
  mintApiKey,
  revokeApiKey,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { allowsConnection, allowsScript, readPolicies } from './content-policy.ts'
import { readTags } from './page-tags.ts'

type Served = { status?: number; headers?: Record<string, string>; body?: string | Buffer }

let world: World
let shop: TestWorkspace
let server: Server
let base: string
/** What each path answers; anything else never does. */
const pages = new Map<string, Served>()

beforeAll(async () => {
  world = await startWorld({ config: { allowPrivateCallbacks: true } })
  shop = await world.newWorkspace()
  server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined) return
    const { status = 200, headers = {}, body = '' } = page
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // boundary: a server that listens on a port has such an address.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await world?.close()
})

const tag = (more = `data-key="${shop.keys.public}"`) =>
  `<script async src="${world.product.url}/sdk.js" ${more}></script>`
const page = (head: string) => `<!doctype html><html><head>${head}</head><body>Hello</body></html>`

let serial = 0
async function codesOf(served: Served): Promise<InstallationCode[]> {
  const path = `/page-${serial++}`
  pages.set(path, served)
  const { status, body } = await shop.call(checkInstallation, {
    body: { siteId: shop.siteId, url: `${base}${path}` },
  })
  expect(status).toBe(200)
  for (const { code, level, nextStep } of body.findings) {
    expect(level === 'ok' || nextStep !== null, code).toBe(true)
  }
  // Test pages are never on the domain of the shop.
  return body.findings.map(({ code }) => code).filter((code) => code !== 'other-domain')
}

const sound = ['tag-found', 'events-missing']

describe('a check of an installation', () => {
  test('finds a sound tag, also packed, in a single-quoted page, or as a module', async () => {
    expect(await codesOf({ body: page(tag()) })).toEqual(sound)
    const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(page(tag())) }
    expect(await codesOf(packed)).toEqual(sound)
    const options = `data-key='${shop.keys.public}' data-options='{"capture": {"scroll": false}, "x": ">"}'`
    expect(await codesOf({ body: page(tag(options)) })).toEqual(sound)
    const module = `<script type="module">import { init } from '${world.product.url}/sdk.mjs'
      init('${shop.keys.public}')</script>`
    expect(await codesOf({ body: page(module) })).toEqual(sound)
  })

  test('says that a page has no tag, has it in a comment only, or twice', async () => {
    expect(await codesOf({ body: page('') })).toEqual(['tag-missing', 'events-missing'])
    expect(await codesOf({ body: page(`<!-- ${tag()} -->`) })).toEqual(['tag-missing', 'events-missing'])
    expect(await codesOf({ body: page(tag() + tag()) })).toEqual(['tag-twice', ...sound])
  })

  test('says what is wrong with the key', async () => {
    const of = async (key: string) =>
      (await codesOf({ body: page(tag(key)) })).filter((code) => /^key/.test(code))
    expect(await of('')).toEqual(['key-missing'])
    expect(await of('data-key="pk_live_nothing"')).toEqual(['key-unknown'])
    expect(await of(`data-key="${shop.keys.secret}"`)).toEqual(['key-secret'])
    const stranger = await world.newWorkspace()
    expect(await of(`data-key="${stranger.keys.public}"`)).toEqual(['key-unknown'])
    const other = await shop.call(createSite, { body: { name: 'Blog', domain: 'blog.example' } })
    const mint = async (siteId: string) => {
      const body = { kind: 'public' as const, name: 'Web', site_id: siteId }
      return (await shop.call(mintApiKey, { body })).body
    }
    expect(await of(`data-key="${(await mint(other.body.id)).key}"`)).toEqual(['key-of-other-site'])
    const gone = await mint(shop.siteId)
    expect((await shop.call(revokeApiKey, { params: { id: gone.id } })).status).toBeLessThan(300)
    expect(await of(`data-key="${gone.key}"`)).toEqual(['key-revoked'])
  })

  test('says what a policy of the page forbids, by header or by meta', async () => {
    const own = world.product.url
    const byHeader = (policy: string) => ({
      headers: { 'content-security-policy': policy },
      body: page(tag()),
    })
    expect(await codesOf(byHeader("script-src 'self'"))).toEqual(['csp-script', ...sound])
    expect(await codesOf(byHeader(`default-src 'self'; script-src ${own}`))).toEqual([
      'csp-connect',
      ...sound,
    ])
    expect(await codesOf(byHeader(`default-src 'self' ${own}`))).toEqual(sound)
    const meta = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`
    expect(await codesOf({ body: page(meta + tag()) })).toEqual(['csp-script', 'csp-connect', ...sound])
    const reported = { 'content-security-policy-report-only': "default-src 'none'" }
    expect(await codesOf({ headers: reported, body: page(tag()) })).toEqual(sound)
  })

  test('says that a tag waits for consent, has broken options, or comes from elsewhere', async () => {
    const key = `data-key="${shop.keys.public}"`
    expect(await codesOf({ body: page(tag(`${key} data-consent="denied"`)) })).toEqual([
      'consent-waits',
      ...sound,
    ])
    expect(await codesOf({ body: page(tag(`${key} data-options="{no}"`)) })).toEqual([
      'options-invalid',
      ...sound,
    ])
    const elsewhere = `<script src="https://cdn.example/sdk.js" ${key}></script>`
    expect(await codesOf({ body: page(elsewhere) })).toEqual(['tag-from-other-host', ...sound])
  })

  test('says that a page cannot be read, and follows few redirects', async () => {
    const missing = ['page-failed', 'events-missing']
    expect(await codesOf({ status: 404 })).toEqual(missing)
    expect(await codesOf({ status: 500 })).toEqual(missing)
    const file = { headers: { 'content-type': 'application/pdf' }, body: '%PDF' }
    expect(await codesOf(file)).toEqual(['not-html', 'events-missing'])
    pages.set('/sound', { body: page(tag()) })
    expect(await codesOf({ status: 302, headers: { location: '/sound' } })).toEqual(sound)
    pages.set('/round', { status: 302, headers: { location: '/round' } })
    expect(await codesOf({ status: 302, headers: { location: '/round' } })).toEqual([
      'unreachable',
      'events-missing',
    ])
    const large = page(tag()) + 'x'.repeat(installationLimits.pageBytesMax)
    expect(await codesOf({ body: large })).toEqual(['page-cut', ...sound])
    const bomb = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(large) }
    expect(await codesOf(bomb)).toEqual(['page-cut', 'tag-missing', 'events-missing'])
    const closed = await shop.call(checkInstallation, {
      body: { siteId: shop.siteId, url: 'http://127.0.0.1:1/' },
    })
    expect(closed.body.findings[0]).toMatchObject({
      code: 'unreachable',
      detail: expect.stringContaining('connection'),
    })
  })

  test('counts the events of the page that just arrived', async () => {
    const seen = await world.newWorkspace()
    pages.set('/seen', {
      body: page(`<script src="${world.product.url}/sdk.js" data-key="${seen.keys.public}"></script>`),
    })
    const ask = async () =>
      (await seen.call(checkInstallation, { body: { siteId: seen.siteId, url: `${base}/seen` } })).body
    await seen.send([
      { event: '$pageview', anonymous_id: 'a', properties: { url: `${base}/other`, title: 'x' } },
    ])
    expect(await ask()).toMatchObject({ recentEvents: { ofPage: 0, ofSite: 1 } })
    await seen.send([
      { event: '$pageview', anonymous_id: 'a', properties: { url: `${base}/seen`, title: 'x' } },
    ])
    const found = await ask()
    expect(found).toMatchObject({ level: 'warning', recentEvents: { ofPage: 1, ofSite: 2 } })
    expect(found.findings.map(({ code }) => code)).toEqual(['other-domain', 'tag-found', 'events-seen'])
  })

  test('takes http and https addresses without a login only, and of one’s own sites', async () => {
    for (const url of [
      'ftp://shop.example/',
      'file:///etc/passwd',
      'https://a:b@shop.example/',
      'nonsense',
    ]) {
      const answer = await shop.call(checkInstallation, { body: { siteId: shop.siteId, url } })
      expect(answer.status, url).toBe(422)
    }
    const stranger = await world.newWorkspace()
    expect((await stranger.call(checkInstallation, { body: { siteId: shop.siteId } })).status).toBe(404)
  })
})

test('without leave of the operator no page of a private network is read, not even by a redirect', async () => {
  const closed = await startWorld({ config: { allowPrivateCallbacks: false } })
  try {
    const own = await closed.newWorkspace()
    pages.set('/inside', { body: page('') })
    for (const url of [
      `${base}/inside`,
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'http://localhost:1/',
    ]) {
      const { body } = await own.call(checkInstallation, { body: { siteId: own.siteId, url } })
      expect(body.findings[0], url).toMatchObject({
        code: 'unreachable',
        detail: expect.stringContaining('private network'),
      })
    }
  } finally {
    await closed.close()
  }
})

describe('a content policy', () => {
  const from = new URL('https://shop.example/cart')
  const src = new URL('https://assay.example/sdk.js')
  const plain = { src, nonce: '', integrity: '' }

  test.each([
    ['script-src https://assay.example', true],
    ['script-src assay.example', true],
    ['script-src http://assay.example', true],
    ['script-src *.example', true],
    ['script-src *.assay.example', false],
    ['script-src https:', true],
    ['script-src *', true],
    ["script-src 'self'", false],
    ["script-src 'none'", false],
    ['script-src assay.example:8443', false],
    ['script-src assay.example:443', true],
    ['script-src assay.example/sdk.js', true],
    ['script-src assay.example/other/', false],
    ["script-src 'strict-dynamic' https:", false],
    ["script-src-elem assay.example; script-src 'none'", true],
    ["img-src 'none'", true],
    ["script-src assay.example, script-src 'none'", false],
  ])('%s', (policy, isAllowed) => {
    expect(allowsScript(readPolicies([policy]), from, plain)).toBe(isAllowed)
  })

  test('takes a nonce or a hash instead of a host', () => {
    const strict = readPolicies(["script-src 'strict-dynamic' 'nonce-abc' 'sha256-xyz='"])
    expect(allowsScript(strict, from, { ...plain, nonce: 'abc' })).toBe(true)
    expect(allowsScript(strict, from, { ...plain, nonce: 'abd' })).toBe(false)
    expect(allowsScript(strict, from, { ...plain, integrity: 'sha256-xyz=' })).toBe(true)
    expect(allowsConnection(readPolicies(["connect-src 'self'"]), from, src)).toBe(false)
  })
})

test('tags of a hostile page are read in one pass', () => {
  const hostile = [
    '<',
    '<script',
    '<script ',
    '<script a="',
    "<meta b='",
    '<!--',
    '</script',
    '=',
    '<script =/= "',
  ].map((part) => part.repeat(40_000))
  for (const html of hostile) expect(readTags(html).length).toBeLessThanOrEqual(5_000)
  expect(readTags('<SCRIPT SRC=/a.js DATA-KEY=pk>x</SCRIPT><meta charset="utf-8"/>')).toEqual([
    { name: 'script', attributes: { src: '/a.js', 'data-key': 'pk' }, text: 'x' },
    { name: 'meta', attributes: { charset: 'utf-8' }, text: '' },
  ])
})
