import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batch, getOverview } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './platform/settings/environment.ts'
import { readTraceparent, writeTraceparent } from './platform/tracing/traceparent.ts'
import { startChild } from './testing/child-product.ts'
import { caller, type Database, makeDatabase, sharedStores, untilTrue } from './testing/harness.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './testing/otlp-receiver.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-tracing-'))
let clickhouseUrl: string
let receiver: OtlpReceiver
const databases: Database[] = []
let nats: NatsServers

beforeAll(async () => {
  ;[{ clickhouseUrl }, receiver, nats] = await Promise.all([
    sharedStores(),
    startOtlpReceiver(),
    startNats(1),
  ])
}, 120_000)
afterAll(async () => {
  await receiver?.close()
  await nats?.close()
  for (const { drop } of databases) await drop()
  rmSync(directory, { recursive: true, force: true })
})

async function newStores(): Promise<{ ASSAY_CLICKHOUSE_URL: string; ASSAY_POSTGRES_URL: string }> {
  const database = await makeDatabase()
  databases.push(database)
  return { ASSAY_CLICKHOUSE_URL: clickhouseUrl, ASSAY_POSTGRES_URL: database.url }
}

function newDirectory(name: string): string {
  const made = join(directory, name)
  mkdirSync(made, { mode: 0o700 })
  return made
}

/** Writes on the terminal which packages of OpenTelemetry a process loads, but for the types that prom-client loads. */
const watchedLoads = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
   registerHooks({ resolve: (name, at, next) => {
     if (/opentelemetry.(?!api)/.test(name)) console.error('LOADS ' + name)
     return next(name, at)
   } })`,
)}`

const person = 'ada@example.com'
const sent = { event: '$login', event_id: 't-1', user_id: person, properties: { method: 'secret-method' } }
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const [, traceId] = traceparent.split('-')

const named = (name: string) => receiver.spans().filter((span) => span.name === name)
const childOf = (parent: ReceivedSpan | undefined, name: string) =>
  receiver.spans().find((span) => span.name === name && span.parentSpanId === parent?.spanId)

/** The request of the event, and what it led to. */
function requireSpans(): void {
  const request = named('POST /v1/batch').find((span) => span.traceId === traceId)
  expect(request).toMatchObject({
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/batch',
      'http.response.status_code': 200,
      'assay.request_id': expect.stringMatching(/^req_/),
    },
  })
  expect(childOf(request, 'judge')).toMatchObject({ attributes: { 'assay.events': 1 } })
  const append = childOf(request, 'append')
  expect(append).toMatchObject({ attributes: { 'assay.lines': 1 } })
  const load = named('load').find(({ links }) => links.some((link) => link.spanId === append?.spanId))
  expect(load, 'a load with a link to the append').toBeDefined()
  expect(load?.links.length).toBeLessThanOrEqual(32)
  expect(childOf(load, 'events INSERT')?.attributes).toMatchObject({ 'db.system.name': 'clickhouse' })
  const text = JSON.stringify(receiver.spans())
  for (const secret of [person, 'secret-method', 't-1', '127.0.0.1', 'Bearer']) {
    expect(text).not.toContain(secret)
  }
}

describe('with the address of a receiver', () => {
  test('an event is seen from its request to its load, on one node', async () => {
    const product = await startChild({
      ...(await newStores()),
      ASSAY_DATA_DIR: newDirectory('one'),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=shop',
      OTEL_SERVICE_NAME: 'assay-of-the-shop',
      NODE_OPTIONS: watchedLoads,
    })
    const { keys, url } = product
    const options = { headers: { traceparent } }
    const { status } = await caller(url, keys.secretKey)(batch, { body: { batch: [sent] } }, options)
    expect(status).toBe(200)
    const query = { siteId: keys.siteId, window: '7d' }
    await caller(url, keys.liveKey)(getOverview, { query }, { headers: { prefer: 'wait=30' } })
    expect(await product.terminate()).toBe(0)
    expect(product.output()).toContain('LOADS @opentelemetry/sdk-trace')
    requireSpans()
    const overview = named('GET /api/analytics/overview')[0]
    expect(childOf(overview, 'events SELECT')).toBeDefined()
    expect(receiver.resources()[0]).toMatchObject({ 'service.name': 'assay-of-the-shop' })
    expect(receiver.headers()[0]).toMatchObject({ 'x-team': 'shop' })
  }, 120_000)

  test('an event is seen across nodes, where one takes it and another one loads it', async () => {
    const already = receiver.spans().length
    const shared = {
      ...(await newStores()),
      ASSAY_LOG_URL: nats.url,
      ASSAY_DRAIN_SECONDS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    }
    const loaderDir = newDirectory('loader')
    const loader = await startChild({
      ...shared,
      ASSAY_DATA_DIR: loaderDir,
      ASSAY_ROLES: 'loader,jobs,control',
    })
    const takerDir = newDirectory('taker')
    copyFileSync(`${loaderDir}/first-run.json`, `${takerDir}/first-run.json`)
    const taker = await startChild({ ...shared, ASSAY_DATA_DIR: takerDir, ASSAY_ROLES: 'data' })
    const send = caller(taker.url, taker.keys.secretKey)
    const { status } = await send(batch, { body: { batch: [{ ...sent, event_id: 't-2' }] } })
    expect(status).toBe(200)
    expect(await taker.terminate()).toBe(0)
    expect(await loader.terminate()).toBe(0)
    const spans = receiver.spans().slice(already)
    const append = spans.find(({ name }) => name === 'append')
    const load = spans.find(
      ({ name, links }) => name === 'load' && links.some((link) => link.spanId === append?.spanId),
    )
    expect(load?.attributes['assay.partition']).toBeDefined()
    expect(load?.traceId).not.toBe(append?.traceId)
  }, 120_000)
})

test('a receiver that does not answer slows no request down, and the node stops in time', async () => {
  const away = await startOtlpReceiver()
  away.hang()
  const product = await startChild({
    ...(await newStores()),
    ASSAY_DATA_DIR: newDirectory('away'),
    ASSAY_INGEST_EVENTS_PER_SECOND: '1000000',
    OTEL_EXPORTER_OTLP_ENDPOINT: away.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
  })
  const send = caller(product.url, product.keys.secretKey)
  // Each has three spans and more: far beyond what the queue holds.
  for (let round = 0; round < 30; round += 1) {
    const calls = Array.from({ length: 50 }, (_, nth) =>
      send(batch, { body: { batch: [{ ...sent, event_id: `away-${round}-${nth}` }] } }),
    )
    expect((await Promise.all(calls)).filter(({ status }) => status !== 200)).toEqual([])
  }
  await untilTrue('the failure to be shown', async () => {
    const ready = await fetch(`${product.url}/readyz`)
    return ready.status === 200 && (await ready.text()).includes('"part":"traces"')
  })
  const begunMs = performance.now()
  expect(await product.terminate()).toBe(0)
  expect(performance.now() - begunMs).toBeLessThan(45_000)
  await away.close()
}, 120_000)

test('without an address nothing of OpenTelemetry is loaded', async () => {
  const product = await startChild({
    ...(await newStores()),
    ASSAY_DATA_DIR: newDirectory('off'),
    NODE_OPTIONS: watchedLoads,
  })
  await caller(product.url, product.keys.secretKey)(batch, {
    body: { batch: [{ ...sent, event_id: 't-3' }] },
  })
  expect(await product.terminate()).toBe(0)
  expect(product.output()).not.toContain('LOADS')
}, 120_000)

test('settings have the names of the standard, and are refused where they mean nothing', () => {
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(readConfig({}).tracing).toBeUndefined()
  expect(readConfig(on).tracing).toEqual({ sampler: 'parentbased_always_on', ratio: 1 })
  const ratio = { ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  expect(readConfig(ratio).tracing).toEqual({ sampler: 'traceidratio', ratio: 0.1 })
  expect(readConfig({ ...on, OTEL_SDK_DISABLED: 'true' }).tracing).toBeUndefined()
  expect(() => readConfig({ ...ratio, OTEL_TRACES_SAMPLER_ARG: '7' })).toThrow(ConfigError)
  expect(() => readConfig({ ...on, OTEL_TRACES_SAMPLER: 'some' })).toThrow('OTEL_TRACES_SAMPLER must be')
  expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  )
})

test('a traceparent is taken over only if it is one', () => {
  const context = readTraceparent(traceparent)
  expect(context && writeTraceparent(context)).toBe(traceparent)
  const zeros = '0'.repeat(32)
  const wrong = [
    '',
    'x',
    `00-${zeros}-b7ad6b7169203331-01`,
    traceparent.toUpperCase(),
    `ff${traceparent.slice(2)}`,
  ]
  for (const text of [...wrong, ['a', 'b'], undefined]) expect(readTraceparent(text)).toBeNull()
})
