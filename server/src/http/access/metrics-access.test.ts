import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { silentLogger } from '../../platform/logging/logger.ts'
import { nodeRoles } from '../../platform/node/node-roles.ts'
import { createApplication } from '../application.ts'
import { createLimits } from '../limits/limits.ts'
import { probeRoutes } from '../probes.ts'

const token = 't'.repeat(40)
const wrongMax = 3
type App = Awaited<ReturnType<typeof createApplication>>
let app: App | null = null
afterEach(async () => {
  await app?.close()
  app = null
})
const now = 1_900_000_000_000

/** The probes on a port, with an operator's settings. */
async function serveMetrics(env: Record<string, string>) {
  const config = readConfig(env)
  const events = { eventsPerSecond: 1_000, eventsPerSecondPerAddress: 200 }
  const limits = createLimits(() => now, events, { ...config.callsPerMinute, open: wrongMax })
  app = await createApplication({
    limits,
    firstSite: async () => null,
    errorsUrl: () => '',
    publicUrl: () => '',
    now: () => 0,
    newRequestId: () => 'req',
    proxies: config.trustProxy,
    logger: silentLogger,
    logRequests: false,
    roles: nodeRoles,
    isDraining: () => false,
  })
  const standing = { isStarting: false, isStopping: false }
  const readiness = async () => ({ control: true, events: true, log: true, ...standing, failing: [] })
  probeRoutes(
    app,
    {
      version: '1',
      roles: nodeRoles,
      nodes: () => [],
      addresses: () => ({ control: '', data: '' }),
      readiness,
      gauges: [],
      failures: () => new Map(),
      counted: new Registry(),
      dataDir: '.',
    },
    { access: config.metrics, limits },
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return async (headers: Record<string, string> = {}) => (await fetch(`${url}/metrics`, { headers })).status
}

test('the metrics are for this machine, and never through a proxy or a foreign page', async () => {
  const read = await serveMetrics({ ASSAY_TRUST_PROXY: '1' })
  expect(await read()).toBe(200)
  expect(await read({ 'x-forwarded-for': '127.0.0.1' })).toBe(401)
  expect(await read({ forwarded: 'for=127.0.0.1' })).toBe(401)
  expect(await read({ via: '1.1 proxy' })).toBe(401)
})

test('with the token they are read from elsewhere, and guessing it runs into a limit', async () => {
  const read = await serveMetrics({ ASSAY_METRICS_TOKEN: token })
  const elsewhere = { 'x-forwarded-for': '203.0.113.1' }
  const withToken = { ...elsewhere, authorization: `Bearer ${token}` }
  expect(await read(withToken)).toBe(200)
  expect(await read()).toBe(200)
  for (let attempt = 0; attempt < wrongMax; attempt++) {
    expect(await read({ ...elsewhere, authorization: `Bearer ${attempt}` })).toBe(401)
  }
  expect(await read({ ...elsewhere, authorization: 'Bearer x' })).toBe(429)
  expect(await read(withToken)).toBe(200)
})

test('they can be opened, or turned off', async () => {
  const readOpen = await serveMetrics({ ASSAY_METRICS: 'open' })
  expect(await readOpen({ 'x-forwarded-for': '203.0.113.1' })).toBe(200)
  await app?.close()
  expect(await (await serveMetrics({ ASSAY_METRICS: 'off' }))()).toBe(404)
  expect(() => readConfig({ ASSAY_METRICS: 'token' })).toThrow('ASSAY_METRICS')
  expect(() => readConfig({ ASSAY_METRICS_TOKEN: 'short' })).toThrow('ASSAY_METRICS_TOKEN')
})
