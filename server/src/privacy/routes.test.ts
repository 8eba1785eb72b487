import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  batch,
  cancelSubjectRequest,
  getSubjectRequest,
  identify,
  listPrivacyKeys,
  listSubjectRequests,
  recordConsent,
  requestExport,
  type SubjectRequest,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { newId } from '../clock.ts'
import { createDelivery, isInside } from '../http/outgoing.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { createWorker } from './worker.ts'

let world: World
let shop: TestWorkspace
let listener: Server
let callbackUrl: string
const heard: { headers: Record<string, unknown>; body: string }[] = []
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  listener = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await text(request) })
    // Once refused, so that it must be told again.
    response.writeHead(heard.length === 1 ? 500 : 204).end()
  }).listen(0, '127.0.0.1')
  await untilTrue('the listener', () => listener.listening)
  // boundary: a server that listens on a port has an address of this kind.
  callbackUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/status`
  world = await startWorld({
    now: () => Date.now() + aheadMs,
    config: { allowPrivateCallbacks: true, ingestEventsPerSecond: 1e9 },
  })
  shop = await world.newWorkspace()
})
afterAll(async () => {
  listener?.close()
  await world?.close()
})

async function send(at: TestWorkspace, events: readonly object[]): Promise<string[]> {
  const body = { batch: events.map((event) => ({ event: '$login', properties: { method: 'x' }, ...event })) }
  const answer = await at.call(batch, { body })
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ event_id }) => event_id)
}

async function done(id: string): Promise<SubjectRequest> {
  const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body
  await untilTrue('the request', async () => /completed|failed/.test((await read()).status), 60_000)
  return read()
}

async function unzip(url: string): Promise<Map<string, string>> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
  }
  return files
}

const rowsIn = (content = ''): Record<string, unknown>[] =>
  content
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('an export', () => {
  test('holds everything about the person and nothing about others, though these go on sending', async () => {
    const user_id = newId('user')
    const anonymous_id = newId('visitor')
    const mine: string[] = []
    const theirs: string[] = []
    for (let round = 0; round < 6; round += 1) {
      mine.push(
        ...(await send(
          shop,
          Array.from({ length: 1_000 }, () => ({ user_id })),
        )),
      )
      theirs.push(
        ...(await send(
          shop,
          Array.from({ length: 100 }, () => ({ user_id: newId('other') })),
        )),
      )
    }
    mine.push(...(await send(shop, [{ anonymous_id, event: '$login' }])))
    const [held = ''] = await send(shop, [{ user_id, event: 'never_heard_of' }])
    const key = { key: shop.keys.secret }
    await shop.call(recordConsent, { body: { user_id, categories: { ad_storage: 'denied' } } }, key)
    const traits = { plan: 'gold' }
    const { person_id } = (await shop.call(identify, { body: { user_id, anonymous_id, traits } }, key)).body

    const identifiers = [{ type: 'user_id', value: user_id }]
    const regime = 'gdpr' as const
    const body = { identifiers, regime, status_callback_urls: [callbackUrl] }
    const asked = await shop.call(requestExport, { body })
    expect(asked.status).toBe(202)
    expect(Date.parse(asked.body.due_at) - Date.parse(asked.body.received_at)).toBe(60_000)
    const others = (async () => {
      for (let round = 0; round < 5; round += 1)
        theirs.push(...(await send(shop, [{ user_id: newId('other') }])))
    })()
    const request = await done(asked.body.id)
    await others
    expect(request).toMatchObject({ status: 'completed', sla_met: true, attempts: 1, error: null })

    const files = await unzip(request.export?.url ?? '')
    expect(new Set(rowsIn(files.get('events.ndjson')).map((row) => row.event_id))).toEqual(new Set(mine))
    expect(rowsIn(files.get('events.ndjson'))).toHaveLength(mine.length)
    expect(rowsIn(files.get('quarantine.ndjson'))).toMatchObject([
      { event_id: held, held: { event: { userId: user_id } } },
    ])
    expect(rowsIn(files.get('consents.ndjson'))).toMatchObject([{ stated: { ad_storage: 'denied' } }])
    expect(rowsIn(files.get('people.ndjson'))).toMatchObject([{ person_id, traits, identifiers: [{}, {}] }])
    expect(rowsIn(files.get('merge_ledger.ndjson')).length).toBeGreaterThan(0)
    const all = [...files.values()].join('')
    for (const id of theirs) expect(all).not.toContain(id)
    const manifest = JSON.parse(files.get('manifest.json') ?? '')
    for (const { name, rows, sha256 } of manifest.files) {
      expect(
        createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
        name,
      ).toBe(sha256)
      expect(rowsIn(files.get(name))).toHaveLength(rows)
    }
  }, 120_000)

  test('tells each change of status, signed by the published key, until it is heard', async () => {
    const statuses = () => heard.map(({ body }) => JSON.parse(body).data.status)
    await untilTrue('the end', () => statuses().includes('completed'))
    aheadMs += 10_000
    await untilTrue('what was refused first', () => heard.length >= 3)
    expect(statuses().toSorted()).toEqual(['completed', 'in_progress', 'in_progress'])
    const { body } = await shop.call(listPrivacyKeys, {}, { key: null })
    const [jwk] = body.keys
    if (jwk === undefined) throw new Error('no key is published')
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' })
    for (const { headers, body: sent } of heard) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${sent}`
      const signature = String(headers['webhook-signature']).replace('v1a,', '')
      expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true)
    }
  })

  test('of somebody of whom nothing is held is complete and empty; an unknown id of ours is not found', async () => {
    const identifiers = [{ type: 'email', value: 'Nobody@Example.com' }]
    const asked = await shop.call(requestExport, { body: { identifiers, regime: 'ccpa' } })
    const request = await done(asked.body.id)
    expect(Object.values(request.export?.counts ?? {}).every((count) => count === 0)).toBe(true)
    const person_id = 'per_00000000000000000000000000'
    expect((await shop.call(requestExport, { body: { person_id, regime: 'gdpr' } })).status).toBe(404)
  })

  test('is made once for one subject_request_id', async () => {
    const identifiers = [{ type: 'user_id', value: newId('user') }]
    const body = { identifiers, regime: 'kvkk', subject_request_id: newId('ours') } as const
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.call(requestExport, { body })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
    const other = { ...body, identifiers: [{ type: 'user_id', value: newId('user') }] }
    expect((await shop.call(requestExport, { body: other })).status).toBe(409)
    const theirs = await world.newWorkspace()
    const [first] = answers
    const params = { id: first?.body.id ?? '' }
    expect((await theirs.call(getSubjectRequest, { params })).status).toBe(404)
    expect((await theirs.call(listSubjectRequests, { query: {} })).body.data).toEqual([])
  })

  test.each([
    { body: { regime: 'gdpr' } },
    { body: { regime: 'gdpr', person_id: 'p', identifiers: [{ type: 'user_id', value: 'u' }] } },
    { body: { regime: 'gdpr', identifiers: [{ type: 'user_id', value: 'null' }] } },
    { body: { regime: 'none', identifiers: [{ type: 'user_id', value: 'u' }] } },
    {
      body: {
        regime: 'gdpr',
        identifiers: [{ type: 'user_id', value: 'u' }],
        status_callback_urls: ['ftp://x'],
      },
    },
    {
      body: {
        regime: 'gdpr',
        identifiers: [{ type: 'user_id', value: 'u' }],
        status_callback_urls: ['http://a:b@x'],
      },
    },
  ])('with $body is refused', async ({ body }) => {
    expect((await shop.call(requestExport, { body: JSON.parse(JSON.stringify(body)) })).status).toBe(422)
  })

  test('lies behind a link that cannot be made up and that expires', async () => {
    const { body } = await shop.call(listSubjectRequests, { query: { status: 'completed' } })
    const url = body.data.at(-1)?.export?.url ?? ''
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(url.replace(/expires=\d/, 'expires=9'))).status).toBe(404)
    expect((await fetch(url.replace(/dsr_[0-9a-z]+/, body.data[0]?.id ?? ''))).status).toBe(404)
    aheadMs += 7 * 24 * 3_600_000
    expect((await fetch(url)).status).toBe(404)
    const again = await shop.call(getSubjectRequest, { params: { id: body.data.at(-1)?.id ?? '' } })
    expect(again.body.export?.url).toBe(null)
  })
})

describe('a worker', () => {
  const workerOf = (holder: string, handle: Parameters<typeof createWorker>[0]['handle']) => {
    const { requests, key } = world.product.deps.privacy
    return createWorker({ requests, holder, handle, key, deliver: async () => 204, tell: () => {} })
  }
  const ask = async () => {
    const identifiers = [{ type: 'user_id', value: newId('user') }]
    return (await shop.call(requestExport, { body: { identifiers, regime: 'gdpr' } })).body.id
  }
  const result = { export: { bytes: 1, sha256: 'x', counts: {}, expires_at: new Date(0).toISOString() } }
  const read = async (id: string) => (await shop.call(getSubjectRequest, { params: { id } })).body

  beforeAll(async () => {
    const { data } = (await shop.call(listSubjectRequests, { query: {} })).body
    for (const { id } of data) await done(id)
    world.product.deps.privacy.stop()
  })

  test('that died is followed by another, and the request ends once', async () => {
    const id = await ask()
    const stuck = Promise.withResolvers<object>()
    const dead = workerOf('dead', () => stuck.promise)
    const dying = dead.work()
    await untilTrue('its beginning', async () => (await read(id)).status === 'in_progress')
    let worked = 0
    const next = workerOf('next', async () => {
      worked += 1
      return result
    })
    await next.work()
    expect((await read(id)).status).toBe('in_progress')
    // The one that is stuck may renew its lease once more before it is taken for dead.
    await untilTrue('the end of its lease', async () => {
      aheadMs += 16_000
      await next.work()
      return (await read(id)).status === 'completed'
    })
    const ended = await read(id)
    expect(ended).toMatchObject({ status: 'completed', attempts: 2 })
    dead.stop()
    stuck.resolve({ export: { ...result.export, bytes: 2 } })
    await dying
    expect(await read(id)).toEqual(ended)
    expect(worked).toBe(1)
  })

  test('tries again what failed, five times, and then says so', async () => {
    const id = await ask()
    const failing = workerOf('failing', () => Promise.reject(new Error('the disk is full')))
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await failing.work()
      expect(await read(id)).toMatchObject({
        attempts: attempt,
        status: attempt < 5 ? 'in_progress' : 'failed',
      })
      aheadMs += 20_000
    }
    const failed = await read(id)
    expect(failed).toMatchObject({ sla_met: false, error: expect.any(String) })
    expect(failed.error).not.toContain('disk')
  })

  test('does not begin what was cancelled, and what was begun is not cancelled', async () => {
    const id = await ask()
    expect((await shop.call(cancelSubjectRequest, { params: { id } })).body.status).toBe('cancelled')
    expect((await shop.call(cancelSubjectRequest, { params: { id } })).status).toBe(409)
    const worker = workerOf('idle', async () => result)
    await worker.work()
    expect((await read(id)).status).toBe('cancelled')
    const other = await ask()
    await worker.work()
    expect((await shop.call(cancelSubjectRequest, { params: { id: other } })).status).toBe(409)
  })
})

describe('a callback', () => {
  test.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.31.255.255', true],
    ['192.168.0.1', true],
    ['169.254.169.254', true],
    ['0.0.0.0', true],
    ['::1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.0.2.1', false],
    ['2001:db8::1', false],
    ['no address', true],
  ])('to %s leads inside: %s', (address, expected) => {
    expect(isInside(address)).toBe(expected)
  })

  test('is not sent to this machine or its neighbours, by address or by name', async () => {
    const before = heard.length
    const deliver = createDelivery(false)
    const { port } = new URL(callbackUrl)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '2130706433']) {
      await expect(deliver(`http://${host}:${port}/`, {}, '{}'), host).rejects.toThrow('leads inside')
    }
    expect(heard.length).toBe(before)
  })
})
