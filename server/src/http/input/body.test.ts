import { brotliCompressSync, gzipSync } from 'node:zlib'
import { batch, track } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const login = { event: '$login', user_id: 'u1', properties: { method: 'password' } }

function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.product.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${shop.keys.secret}`, ...headers },
    body,
  })
}

describe('a body', () => {
  test('may be packed with gzip or brotli', async () => {
    const text = JSON.stringify(login)
    const gzip = await post('/v1/track', gzipSync(text), { 'content-encoding': 'gzip' })
    const brotli = await post('/v1/track', brotliCompressSync(text), { 'content-encoding': 'br' })
    expect([gzip.status, brotli.status]).toEqual([202, 202])
  })

  test('that unpacks to more than 4 MB is refused while it unfolds', async () => {
    const bomb = JSON.stringify({
      batch: [{ ...login, properties: { method: 'x'.repeat(60 * 1024 * 1024) } }],
    })
    for (const [encoding, packed] of [
      ['gzip', gzipSync(bomb)],
      ['br', brotliCompressSync(Buffer.alloc(60 * 1024 * 1024, 0x20), { params: {} })],
    ] as const) {
      const answer = await post('/v1/batch', packed, { 'content-encoding': encoding })
      expect(answer.status, encoding).toBe(413)
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('4 MB') })
    }
  })

  test('that is damaged, or has an unknown encoding, is not answered as a bug', async () => {
    const damaged = await post('/v1/track', Buffer.from('no gzip'), { 'content-encoding': 'gzip' })
    expect(damaged.status).toBe(400)
    const truncated = gzipSync(JSON.stringify(login)).subarray(0, 20)
    expect((await post('/v1/track', truncated, { 'content-encoding': 'gzip' })).status).toBe(400)
    expect((await post('/v1/track', 'x', { 'content-encoding': 'zstd' })).status).toBe(415)
    expect((await post('/v1/track', '<a/>', { 'content-type': 'application/xml' })).status).toBe(415)
  })

  test('over 4 MB as sent is refused, and so are more than 1,000 events', async () => {
    expect((await post('/v1/batch', ' '.repeat(4 * 1024 * 1024 + 1))).status).toBe(413)
    const many = await shop.call(batch, { body: { batch: Array.from({ length: 1001 }, () => login) } })
    expect(many.status).toBe(413)
    expect(many.problem.detail).toContain('1000')
  })

  test('may be sent as plain text by a beacon, with the key in it', async () => {
    const body = JSON.stringify({ ...login, writeKey: shop.keys.public })
    const answer = await fetch(`${world.product.url}/v1/track`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      body,
    })
    expect(answer.status).toBe(202)
  })
})

describe('a key', () => {
  test('is taken as Basic user name, as tracking SDKs send it', async () => {
    const basic = Buffer.from(`${shop.keys.secret}:`).toString('base64')
    const answer = await shop.call(
      track,
      { body: login },
      { key: null, headers: { authorization: `Basic ${basic}` } },
    )
    expect(answer.status).toBe(202)
  })

  test('for tests gets the verdict, and nothing is stored', async () => {
    const body = { ...login, event_id: 'by_test_key' }
    const first = await shop.call(track, { body }, { key: shop.keys.test })
    expect(first.body).toMatchObject({ outcome: 'accept', duplicate: false })
    const again = await shop.call(track, { body }, { key: shop.keys.secret })
    expect(again.body).toMatchObject({ outcome: 'accept', duplicate: false })
  })
})

describe('other origins', () => {
  const preflight = (path: string) =>
    fetch(`${world.product.url}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    })

  test('may use the data plane', async () => {
    for (const path of ['/v1/track', '/v1/batch', '/api/ingest']) {
      const answer = await preflight(path)
      expect(answer.status, path).toBe(204)
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*')
    }
  })

  test('may not use the control plane', async () => {
    const answer = await preflight('/api/v1/sites')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})
