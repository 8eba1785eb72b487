import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DirectoryLocked } from '../store/engine/open.ts'
import { type ClickHouseHttp, startClickHouseHttp } from './clickhouse-http.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-http-'))
let server: ClickHouseHttp
beforeAll(async () => {
  server = await startClickHouseHttp({ path: home, password: 'right' })
})
afterAll(async () => {
  await server.close()
  fs.rmSync(home, { recursive: true })
})

const ask = (query: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}/?${new URLSearchParams(query)}`, {
    ...init,
    headers: { 'X-ClickHouse-Key': 'right', ...init.headers },
  })

test('answers a query in the address, in the body, or divided between them', async () => {
  expect(await (await ask({ query: 'SELECT 1' })).text()).toBe('1\n')
  expect(await (await ask({}, { method: 'POST', body: 'SELECT 2' })).text()).toBe('2\n')
  expect(await (await ask({ query: 'SELECT ' }, { method: 'POST', body: '3' })).text()).toBe('3\n')
})

test('names the format, the default or the requested one', async () => {
  const usual = await ask({ query: 'SELECT 1 AS a' })
  expect(usual.headers.get('X-ClickHouse-Format')).toBe('TabSeparated')
  const chosen = await ask({ query: 'SELECT 1 AS a', default_format: 'JSONEachRow' })
  expect(chosen.headers.get('X-ClickHouse-Format')).toBe('JSONEachRow')
  expect(await chosen.json()).toEqual({ a: 1 })
})

test('reads a compressed body and compresses its answer when both sides agree', async () => {
  await ask({}, { method: 'POST', body: 'CREATE TABLE numbers (n UInt32) ENGINE = MergeTree ORDER BY n' })
  const inserted = await ask(
    { query: 'INSERT INTO numbers FORMAT CSV' },
    { method: 'POST', body: gzipSync('1\n2\n3\n'), headers: { 'Content-Encoding': 'gzip' } },
  )
  expect(inserted.status).toBe(200)
  const answer = await ask(
    { query: 'SELECT sum(n) FROM numbers', enable_http_compression: '1' },
    { headers: { 'Accept-Encoding': 'gzip' } },
  )
  expect(answer.headers.get('Content-Encoding')).toBe('gzip')
  expect(await answer.text()).toBe('6\n')
})

test('an INSERT of a SELECT in the address needs no body', async () => {
  await ask({}, { method: 'POST', body: 'CREATE TABLE copied (n UInt32) ENGINE = MergeTree ORDER BY n' })
  await ask({ query: 'INSERT INTO copied SELECT 7' }, { method: 'POST' })
  expect(await (await ask({ query: 'SELECT n FROM copied' })).text()).toBe('7\n')
})

test('refuses with the status, the code and the text of ClickHouse', async () => {
  const refusal = await ask({ query: 'SELECT (' })
  expect(refusal.status).toBe(400)
  expect(refusal.headers.get('X-ClickHouse-Exception-Code')).toBe('62')
  expect(await refusal.text()).toMatch(/^Code: 62\. DB::Exception: .*\(SYNTAX_ERROR\)/s)
  expect((await ask({ query: 'SELECT * FROM missing' })).status).toBe(404)
})

test('lets no one in without the password', async () => {
  const client = createClient({ url: server.url, password: 'wrong', log: { level: 127 } })
  await expect(client.query({ query: 'SELECT 1' })).rejects.toMatchObject({ type: 'AUTHENTICATION_FAILED' })
  await client.close()
})

test('is out of order from pause to resume', async () => {
  const client = createClient({ url: server.url, password: 'right', log: { level: 127 } })
  server.pause()
  expect(await client.ping()).toMatchObject({ success: false })
  await expect(
    client.insert({ table: 'numbers', values: [{ n: 9 }], format: 'JSONEachRow' }),
  ).rejects.toThrow()
  server.resume()
  expect(await client.ping()).toEqual({ success: true })
  await client.close()
})

test('holds its directory for itself', async () => {
  await expect(startClickHouseHttp({ path: home })).rejects.toBeInstanceOf(DirectoryLocked)
})
