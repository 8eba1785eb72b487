import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { silentLogger } from '../platform/logging/logger.ts'
import { nodeRoles } from '../platform/node/node-roles.ts'
import { createApplication } from './application.ts'
import { createLimits } from './limits/limits.ts'
import { probeRoutes } from './probes.ts'

let app: Awaited<ReturnType<typeof createApplication>> | null = null
afterEach(async () => {
  await app?.close()
  app = null
})

/** Asks a node in this state whether it is ready. */
async function askReadiness(standing: { isStarting?: boolean; isStopping?: boolean; events?: boolean }) {
  const config = readConfig({})
  const limits = createLimits(
    () => 0,
    { eventsPerSecond: 1_000, eventsPerSecondPerAddress: 200 },
    config.callsPerMinute,
  )
  app = await createApplication({
    limits,
    firstSite: async () => null,
    errorsUrl: () => '',
    publicUrl: () => '',
    now: () => 0,
    newRequestId: () => 'req',
    proxies: 0,
    logger: silentLogger,
    logRequests: false,
    roles: nodeRoles,
    isDraining: () => false,
  })
  const usual = { control: true, events: true, log: true, isStarting: false, isStopping: false, failing: [] }
  const options = {
    version: '1',
    roles: nodeRoles,
    nodes: () => [],
    addresses: () => ({ control: '', data: '' }),
    readiness: async () => ({ ...usual, ...standing }),
    gauges: [],
    failures: () => new Map(),
    counted: new Registry(),
    dataDir: '.',
  }
  probeRoutes(app, options, { access: config.metrics, limits })
  const answer = await app.inject({ method: 'GET', url: '/readyz', headers: { host: 'x' } })
  return { status: answer.statusCode, ...answer.json() }
}

test.each([
  { standing: {}, says: { status: 'ready', control: true } },
  { standing: { isStarting: true }, says: { status: 503, detail: 'Not ready: this node is starting.' } },
  { standing: { isStopping: true }, says: { status: 503, detail: 'Not ready: this node is about to stop.' } },
  {
    standing: { isStarting: true, events: false },
    says: { status: 503, detail: 'Not ready: this node is starting, events.', events: false },
  },
])('readiness of $standing', async ({ standing, says }) => {
  expect(await askReadiness(standing)).toMatchObject(says)
})
