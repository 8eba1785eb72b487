import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSdkAssets } from './sdk-assets.ts'
import { sdkRoutes } from './sdk-routes.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-sdk-'))
let app: FastifyInstance
beforeAll(async () => {
  app = Fastify()
  sdkRoutes(app, openSdkAssets(dataDir))
  await app.ready()
})
afterAll(async () => {
  await app.close()
  rmSync(dataDir, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

test('the snippet and the module are within the size that the product promises', async () => {
  for (const file of ['/sdk.js', '/sdk.mjs']) {
    const { body } = await get(file)
    // Everything but replay, as gzip, at most this large.
    expect(gzipSync(body, { level: 9 }).length, file).toBeLessThanOrEqual(8_100)
  }
})

test('files that are asked for at the same time are all made, the recorder in a file of its own', async () => {
  const other = Fastify()
  sdkRoutes(other, openSdkAssets(mkdtempSync(join(dataDir, 'other-'))))
  const files = ['/replay.js', '/sdk.js', '/sdk.mjs', '/replay.js']
  const answers = await Promise.all(files.map((file) => other.inject(file)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  const [replay, snippet] = answers.map(({ body }) => body)
  expect(replay).toContain('takeFullSnapshot')
  expect(snippet).not.toContain('takeFullSnapshot')
  const name = String(answers[0]?.headers['content-location'])
  expect(name).toMatch(/^\/replay-[0-9a-f]{16}\.js$/)
  expect((await other.inject(name)).body).toBe(replay)
  await other.close()
})

test('the module exports init, and the snippet exports nothing', async () => {
  expect((await get('/sdk.mjs')).body).toMatch(/export\{\w+ as init\}/)
  expect((await get('/sdk.js')).body).not.toContain('export')
})

test('a page of any origin may load the SDK, compressed as its browser likes', async () => {
  const plain = await get('/sdk.js')
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=3600',
    vary: 'accept-encoding',
  })
  const gzip = await get('/sdk.js', { 'accept-encoding': 'gzip, deflate' })
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
  const brotli = await get('/sdk.js', { 'accept-encoding': 'gzip, deflate, br, zstd' })
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body)
  expect((await get('/sdk.js', { 'accept-encoding': 'br;q=0, gzip;q=0.0' })).body).toBe(plain.body)
})

test('what a browser has already is not sent again, and each encoding has a tag of its own', async () => {
  const gzip = await get('/sdk.js', { 'accept-encoding': 'gzip' })
  const again = { 'accept-encoding': 'gzip', 'if-none-match': String(gzip.headers.etag) }
  expect((await get('/sdk.js', again)).statusCode).toBe(304)
  expect((await get('/sdk.js', { ...again, 'accept-encoding': 'br' })).statusCode).toBe(200)
})

test('a version keeps its name and its bytes, also after an update and a restart', async () => {
  const { body, headers } = await get('/sdk.js')
  const name = String(headers['content-location'])
  expect(name).toMatch(/^\/sdk-[0-9a-f]{16}\.js$/)
  const pinned = await get(name)
  expect(pinned.body).toBe(body)
  expect(pinned.headers['cache-control']).toBe('public, max-age=31536000, immutable')

  writeFileSync(join(dataDir, 'sdk', 'sdk-00000000000000aa.js'), 'of last year')
  const restarted = Fastify()
  sdkRoutes(restarted, openSdkAssets(dataDir))
  expect((await restarted.inject('/sdk-00000000000000aa.js')).body).toBe('of last year')
  expect((await restarted.inject(name)).body).toBe(body)
  await restarted.close()
})

test('only versions of the SDK can be read from the assets', async () => {
  for (const name of ['/sdk-ffffffffffffffff.js', '/sdk-..%2F..%2Fnode-id', '/sdk-00000000000000aa.js.new']) {
    expect((await get(name)).statusCode, name).not.toBe(200)
  }
})
