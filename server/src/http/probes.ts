import { type Addresses, openApi, Problem, routes } from '@assay/contract'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { freeBytes } from '../platform/files/free-space.ts'
import { type NodeRole, nodeRoles } from '../platform/node/node-roles.ts'
import type { RunningNodes } from '../store/nodes/running-nodes.ts'
import { type MetricsAccess, requireMetricsAccess } from './access/metrics-access.ts'
import type { Limits } from './limits/limits.ts'

type Readiness = {
  control: boolean
  events: boolean
  log: boolean
  /** Not everything is open yet: the start can still fail. */
  isStarting: boolean
  /** The node is about to stop: it still answers, and wants no more requests. */
  isStopping: boolean
  /** Components that fail at the moment, by the class of their error and since when. */
  failing: readonly { part: string; since: number; kind: string }[]
}

type ProbeOptions = {
  version: string
  roles: readonly NodeRole[]
  /** All that run on the same stores. */
  nodes: RunningNodes['list']
  /** What is counted as it happens. */
  counted: Registry
  /** Where the log and embedded stores lie. */
  dataDir: string
  /** Public URLs of the planes. */
  addresses: () => Addresses
  readiness: () => Promise<Readiness>
  /** Name, help and current value of the product's metrics. */
  gauges: readonly { name: string; help: string; read: () => number }[]
  /** Number of failures of each component since start. */
  failures: () => ReadonlyMap<string, number>
}

/** For operators' tools: liveness, readiness, metrics, and the OpenAPI description. */
export function probeRoutes(
  app: FastifyInstance,
  options: ProbeOptions,
  metrics: { access: MetricsAccess; limits: Limits },
): void {
  const registry = measured(options)
  let description: string | undefined
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const { failing, isStarting, isStopping, ...parts } = await options.readiness()
    const missing = Object.entries(parts).filter(([, isReady]) => !isReady)
    const shown = failing.map((one) => ({ ...one, since: new Date(one.since).toISOString() }))
    const ready = { ...parts, roles: options.roles, failing: shown }
    const notReady = missing.map(([part]) => part)
    if (isStarting) notReady.unshift('this node is starting')
    if (isStopping) notReady.unshift('this node is about to stop')
    if (notReady.length === 0) return { status: 'ready', ...ready }
    throw new Problem('unavailable', {
      detail: `Not ready: ${notReady.join(', ')}.`,
      members: { ...ready },
      headers: { 'retry-after': '1' },
    })
  })
  app.get('/metrics', async (request, reply) => {
    requireMetricsAccess(metrics.access, metrics.limits, request, reply)
    const all = Registry.merge([options.counted, registry])
    return reply.type(all.contentType).send(await all.metrics())
  })
  app.get('/openapi.json', async (_request, reply) => {
    // At the first request: it takes a tenth of a second, and most processes are never asked.
    description ??= JSON.stringify(openApi(routes, options.version, options.addresses()))
    return reply.type('application/json').send(description)
  })
}

function measured({ gauges, failures, dataDir, version, roles, nodes }: ProbeOptions): Registry {
  const registry = new Registry()
  const node = new Gauge({
    name: 'assay_node_info',
    help: '1, with the version of this node and its roles',
    labelNames: ['version', 'roles'],
    registers: [registry],
  })
  node.set({ version, roles: roles.join(',') }, 1)
  collectDefaultMetrics({ register: registry })
  for (const { name, help, read } of gauges) {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) })
  }
  const free: Gauge = new Gauge({
    name: 'assay_disk_free_bytes',
    help: 'Free space where the log and embedded stores lie',
    registers: [registry],
    collect: async () => free.set(await freeBytes(dataDir)),
  })
  countNodes(registry, nodes)
  const failed: Counter<'part'> = new Counter({
    name: 'assay_failures_total',
    help: 'Failures that no caller heard of, by part',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      failed.reset()
      for (const [part, count] of failures()) failed.inc({ part }, count)
    },
  })
  return registry
}

/** Of all nodes, so that any one of them shows a mixed set and a role that no node has. */
function countNodes(registry: Registry, nodes: RunningNodes['list']): void {
  const running: Gauge<'version' | 'schema'> = new Gauge({
    name: 'assay_nodes',
    help: 'Nodes that run on the same stores, by version and last known migrations',
    labelNames: ['version', 'schema'],
    registers: [registry],
    collect() {
      running.reset()
      for (const { version, schema } of nodes()) running.inc({ version, schema })
    },
  })
  const withRole: Gauge<'role'> = new Gauge({
    name: 'assay_nodes_with_role',
    help: 'Nodes that have a role, of those that run on the same stores',
    labelNames: ['role'],
    registers: [registry],
    collect() {
      withRole.reset()
      const known = nodes()
      for (const role of known.length === 0 ? [] : nodeRoles) {
        withRole.set({ role }, known.filter(({ roles }) => roles.includes(role)).length)
      }
    },
  })
}
