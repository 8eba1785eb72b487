import {
  type Answer,
  createBoard,
  createReport,
  createShare,
  deleteBoard,
  getOverview,
  getShare,
  getShared,
  getSharedResult,
  type Input,
  listShares,
  type Overview,
  revokeShare,
  routes,
  shareLimits,
  type Tile,
  updateShare,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessCookie } from '../http/access/person.ts'
import { dayMs, hourMs, minuteMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  const many = 1e9
  const calls = {
    apiRead: many,
    apiWrite: many,
    controlRead: many,
    controlWrite: many,
    person: many,
    open: many,
  }
  world = await startWorld({
    now: () => clock.ms,
    config: { callsPerMinute: { ...calls, signIn: 5 } },
  })
  shop = await world.newWorkspace()
  const events = Array.from({ length: 14 }, (_, nth) => ({
    event: '$pageview',
    event_id: `share-${nth}`,
    anonymous_id: `visitor-${nth}`,
    ts: new Date(clock.ms - nth * hourMs - hourMs).toISOString(),
    historical: true,
    properties: { url: `https://shop.example${nth < 10 ? '/cart' : '/invoice/ada'}`, title: 'Page' },
  }))
  await shop.send(events, { outcomes: ['accept', 'warn'] })
})
afterAll(() => world?.close())

type Wanted = Partial<Input<typeof createShare>['body']>
const share = async (wanted: Wanted = {}) => {
  const body = { siteId: shop.siteId, type: 'overview' as const, ...wanted }
  const made = await shop.call(createShare, { body })
  expect(made.status).toBe(201)
  return made.body
}
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}`,
})
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.product.url}${path}`, { headers })
const resultOf = (token: string, tile = 'overview', query: Input<typeof getSharedResult>['query'] = {}) =>
  shop.call(getSharedResult, { params: { token, tile }, query }, { key: '' })
const place = { x: 0, y: 0, width: 6, height: 4 }

describe('who has the address', () => {
  test('sees sums of the overview, without rows of few visitors, and nothing of who made it', async () => {
    const { token, url } = await share()
    expect(url).toBe(`${world.product.url}/share/${token}`)
    const { body: view } = await shop.call(getShared, { params: { token } }, { key: '' })
    expect(view).toMatchObject({ type: 'overview', name: 'Overview', theme: 'system' })
    expect(JSON.stringify(view)).not.toMatch(/usr_|key_|ws_|shr_/)
    const { body } = await resultOf(token)
    // boundary: the answer of an overview.
    const shown = body.result as Overview
    const { body: whole } = await shop.call(getOverview, { query: { siteId: shop.siteId } })
    expect(shown.metrics).toEqual(whole.metrics)
    expect(whole.breakdowns.pages.map(({ key }) => key)).toEqual(['/cart', '/invoice/ada'])
    expect(shown.breakdowns.pages.map(({ key }) => key)).toEqual(['/cart'])
    expect(JSON.stringify(body)).not.toContain('ada')
    const page = await (await get(`/share/${token}`)).text()
    expect(page).toContain('/cart')
    expect(page).not.toContain('ada')
  })

  test('sees the texts and sums of a board, and neither its errors nor what its tiles ask', async () => {
    const report = {
      siteId: shop.siteId,
      kind: 'overview' as const,
      name: 'Carts',
      question: { path: '/cart' },
    }
    const { body: saved } = await shop.call(createReport, { body: report })
    const tiles: Tile[] = [
      { ...place, id: 'a', type: 'report', reportId: saved.id },
      { ...place, id: 'b', type: 'text', text: '<script>alert(1)</script>' },
      { ...place, id: 'c', type: 'question', kind: 'errors', question: {} },
      { ...place, id: 'd', type: 'question', kind: 'retention', question: {}, title: 'Return' },
    ]
    const { body: board } = await shop.call(createBoard, {
      body: { siteId: shop.siteId, name: 'Ours', tiles },
    })
    const { token } = await share({ type: 'board', targetId: board.id })
    const { body: view } = await shop.call(getShared, { params: { token } }, { key: '' })
    expect(view.tiles.map(({ id, title }) => `${id} ${title ?? ''}`)).toEqual(['a Carts', 'b ', 'd Return'])
    expect(JSON.stringify(view)).not.toContain(saved.id)
    expect(JSON.stringify(view)).not.toContain('/cart')
    for (const [tile, status] of [
      ['a', 200],
      ['b', 404],
      ['c', 404],
      ['d', 200],
      ['z', 404],
    ] as const) {
      expect((await resultOf(token, tile)).status, tile).toBe(status)
    }
    const page = await (await get(`/share/${token}`)).text()
    expect(page).toContain('&lt;script&gt;')
    expect(page).not.toContain('<script')
    await shop.call(deleteBoard, { params: { id: board.id } })
    expect((await resultOf(token, 'a')).status).toBe(404)
    expect((await get(`/share/${token}`)).status).toBe(404)
  })

  test('sees rows of a query that enough visitors have, as it was asked', async () => {
    const question = {
      metrics: ['pageviews', { as: 'A', event: '$pageview', math: 'count' }],
      dimensions: ['page'],
    }
    const report = { siteId: shop.siteId, kind: 'query' as const, name: 'Pages', question }
    const { body: saved } = await shop.call(createReport, { body: report })
    const { token } = await share({ type: 'report', targetId: saved.id })
    const { body } = await resultOf(token, 'report')
    // boundary: the answer of a query.
    const { rows, metrics, totals } = body.result as Answer
    expect(rows.map((row) => [row.dimensions, row.metrics])).toEqual([[['/cart'], { pageviews: 10, A: 10 }]])
    expect(metrics.map(({ name }) => name)).toEqual(['pageviews', 'A'])
    expect(totals.metrics).toEqual({ pageviews: 14, A: 14 })
    const page = await (await get(`/share/${token}`)).text()
    expect(page).toContain('/cart')
    expect(page).not.toContain('ada')
  })

  test('sees nothing that is asked by traits of people', async () => {
    const question = { metrics: ['visitors'], dimensions: ['trait:email'] }
    const filters = [['is', 'trait:email', ['ada@shop.example']] as const]
    const report = { siteId: shop.siteId, kind: 'query' as const, name: 'Mail', question }
    const { body: saved } = await shop.call(createReport, { body: report })
    for (const wanted of [
      { type: 'report' as const, targetId: saved.id },
      { type: 'overview' as const, narrowing: { filters } },
    ]) {
      const { status } = await shop.call(createShare, { body: { siteId: shop.siteId, ...wanted } })
      expect(status).toBe(422)
    }
    const tiles: Tile[] = [
      { ...place, id: 'a', type: 'report', reportId: saved.id },
      { ...place, id: 'b', type: 'question', kind: 'overview', question: { filters } },
      { ...place, id: 'c', type: 'question', kind: 'overview', question: {} },
    ]
    const wanted = { siteId: shop.siteId, name: 'Traits', tiles }
    const { body: board } = await shop.call(createBoard, { body: wanted })
    const { token } = await share({ type: 'board', targetId: board.id })
    const { body: view } = await shop.call(getShared, { params: { token } }, { key: '' })
    expect(view.tiles.map(({ id }) => id)).toEqual(['c'])
    for (const [tile, status] of [
      ['a', 404],
      ['b', 404],
      ['c', 200],
    ] as const) {
      expect((await resultOf(token, tile)).status, tile).toBe(status)
    }
  })

  test('cannot undo the filters and the period of the link', async () => {
    const { token } = await share({ narrowing: { path: '/cart' } })
    const { body } = await resultOf(token, 'overview', { window: '7d' })
    expect(body.result).toMatchObject({ metrics: { visitors: 10 } })
    const more = await get(`/api/shared/${token}/tiles/overview/result?path=/invoice/ada`)
    expect(more.status).toBe(422)
    const { token: fixed } = await share({ narrowing: { window: '2d' } })
    expect((await resultOf(fixed)).status).toBe(200)
    expect((await resultOf(fixed, 'overview', { window: '30d' })).status).toBe(422)
    expect((await shop.call(getShared, { params: { token: fixed } }, { key: '' })).body.narrowing).toEqual({
      window: '2d',
    })
  })
})

describe('a link', () => {
  const isThere = async (token: string) => (await get(`/api/shared/${token}`)).status

  test('ends with its revocation at once, and with its expiry', async () => {
    const revoked = await share()
    expect(await isThere(revoked.token)).toBe(200)
    expect((await shop.call(revokeShare, { params: { id: revoked.id } })).status).toBe(204)
    const expiring = await share({ expiresAt: new Date(clock.ms + dayMs).toISOString() })
    expect(await isThere(expiring.token)).toBe(200)
    const beforeMs = clock.ms
    clock.ms += dayMs
    const answers = [revoked.token, expiring.token, `shr_${'x'.repeat(43)}`, 'x'].map(async (token) => {
      const answer = await get(`/api/shared/${token}`)
      const { instance: _, ...said } = Object(await answer.json())
      return { status: answer.status, said }
    })
    const [first, ...others] = await Promise.all(answers)
    clock.ms = beforeMs
    expect(first?.status).toBe(404)
    for (const other of others) expect(other).toEqual(first)
  })

  test('with a password shows nothing without it, and lets few guesses through', async () => {
    const { token, id, hasPassword } = await share({ password: 'correct horse' })
    expect(hasPassword).toBe(true)
    const path = `/api/shared/${token}`
    const asked = await get(path)
    expect(asked.status).toBe(401)
    expect(asked.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect((await get(`/share/${token}`)).status).toBe(401)
    expect((await get(path, basic('correct horse'))).status).toBe(200)
    expect((await get(`${path}/tiles/overview/result`, basic('correct horse'))).status).toBe(200)
    const guesses: number[] = []
    for (let nth = 0; nth < 8; nth += 1) guesses.push((await get(path, basic(`guess ${nth}`))).status)
    expect(new Set(guesses)).toEqual(new Set([401, 429]))
    expect(guesses.at(-1)).toBe(429)
    // Anyone who knows it is let in meanwhile.
    expect((await get(path, basic('correct horse'))).status).toBe(200)
    const rows = await world.product.deps.control.query('SELECT * FROM shares WHERE id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain('correct horse')
    await shop.call(updateShare, { params: { id }, body: { password: null } })
    expect((await get(path)).status).toBe(200)
  })

  test('is not indexed, not cached, and framed by the named sites alone', async () => {
    const { token, id } = await share()
    for (const path of [
      `/share/${token}`,
      `/api/shared/${token}`,
      `/api/shared/${token}/tiles/overview/result`,
    ]) {
      const { headers } = await get(path)
      expect(headers.get('x-robots-tag')).toContain('noindex')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
    const body = { origins: ['https://blog.example', 'http://localhost:3000'], theme: 'dark' as const }
    await shop.call(updateShare, { params: { id }, body })
    const { headers } = await get(`/share/${token}`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain('frame-ancestors https://blog.example http://localhost:3000')
    for (const origin of [
      'https://x.example; script-src *',
      'https://x.example/path',
      '*',
      "'self'",
      'javascript:x',
    ]) {
      expect((await shop.call(updateShare, { params: { id }, body: { origins: [origin] } })).status).toBe(422)
    }
  })

  test('is listed, read and changed without its secret, and only in its workspace', async () => {
    const own = await world.newWorkspace()
    const made = await own.call(createShare, {
      body: { siteId: own.siteId, type: 'overview', theme: 'light' },
    })
    const { token: _token, url: _url, ...stored } = made.body
    expect((await own.call(listShares, { query: { siteId: own.siteId } })).body.data).toEqual([stored])
    expect((await own.call(getShare, { params: { id: stored.id } })).body).toEqual(stored)
    for (const away of [getShare, revokeShare]) {
      expect((await shop.call(away, { params: { id: stored.id } })).status).toBe(404)
    }
    expect(await isThere(made.body.token)).toBe(200)
  })
})

describe('is refused', () => {
  const errors = { kind: 'errors' as const, name: 'Errors', question: {} }
  test('a report of errors, a target of another site, an expiry in the past, a short password', async () => {
    const { body: report } = await shop.call(createReport, { body: { siteId: shop.siteId, ...errors } })
    const other = await world.newWorkspace()
    const cases: [Wanted, number][] = [
      [{ type: 'report', targetId: report.id }, 422],
      [{ type: 'report' }, 404],
      [{ type: 'board', targetId: `traffic.${other.siteId}` }, 404],
      [{ siteId: other.siteId }, 404],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 422],
      [{ password: 'short' }, 422],
      [{ narrowing: { window: '999d' } }, 422],
    ]
    for (const [wanted, status] of cases) {
      const body = { siteId: shop.siteId, type: 'overview' as const, ...wanted }
      expect((await shop.call(createShare, { body })).status, JSON.stringify(wanted)).toBe(status)
    }
  })

  test('one more than a site may have', async () => {
    const own = await world.newWorkspace()
    await world.product.deps.control.query(
      `INSERT INTO shares (workspace_id, id, site_id, token_hash, type, narrowing, origins, theme, owner, created_at)
       SELECT $1, 'shr_' || lpad(nth::text, 26, '0'), $2, decode(md5($2 || nth::text), 'hex'), 'overview', '{}', '{}',
              'system', 'x', now()
       FROM generate_series(1, $3) AS nth`,
      [own.workspaceId, own.siteId, shareLimits.sharesMax],
    )
    const body = { siteId: own.siteId, type: 'overview' as const }
    expect((await own.call(createShare, { body })).status).toBe(409)
  })
})

describe('the secret of a link opens nothing but the routes made for it', () => {
  const made = new Set(['getShared', 'getSharedResult'])
  const others = routes.filter(({ id }) => !made.has(id))
  let token: string
  beforeAll(async () => {
    token = (await share()).token
  })

  test.each(others.map((route) => ({ id: route.id, route })))('$id', async ({ route }) => {
    // Wrong credentials count as tries to sign in, of which a minute has few.
    clock.ms += minuteMs
    const path = route.path.replace(/:[A-Za-z_]+/g, token)
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${world.product.url}${path}?siteId=${shop.siteId}`, {
        method: route.method,
        redirect: 'manual',
        headers: { ...(route.method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
        ...(route.method !== 'GET' && {
          body: JSON.stringify({ siteId: shop.siteId, writeKey: token, token }),
        }),
      })
      await response.arrayBuffer()
      return response.status
    }
    const without = await ask({})
    const isOpen = ['open', 'vendor', 'siteToken'].includes(route.access)
    const cookie = `${accessCookie(false)}=${token}`
    const asUser = Buffer.from(`${token}:`).toString('base64')
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${asUser}` },
      { cookie, 'x-assay-dashboard': '1' },
    ]) {
      expect(await ask(headers)).toBe(without)
    }
    if (!isOpen) expect(without).toBe(401)
  })
})
