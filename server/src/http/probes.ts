import { openApi, Problem, routes } from '@assay/contract'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Limits } from './limits.ts'
import { type MetricsAccess, requireMetricsAccess } from './metrics-access.ts'

export type Readiness = { control: boolean; events: boolean; log: boolean }

export type ProbeOptions = {
  version: string
  readiness: () => Promise<Readiness>
  /** Name, help and present value of what the product counts of itself. */
  gauges: readonly { name: string; help: string; read: () => number }[]
}

/** What an operator's tools ask: alive, ready, figures, and the description of the interface. */
export function probeRoutes(
  app: FastifyInstance,
  options: ProbeOptions,
  metrics: { access: MetricsAccess; limits: Limits },
): void {
  const registry = measured(options.gauges)
  let description: string | undefined
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    const ready = await options.readiness()
    const missing = Object.entries(ready).filter(([, isReady]) => !isReady)
    if (missing.length === 0) return { status: 'ready', ...ready }
    throw new Problem('unavailable', {
      detail: `Not ready: ${missing.map(([part]) => part).join(', ')}.`,
      members: { ...ready },
      headers: { 'retry-after': '1' },
    })
  })
  app.get('/metrics', async (request, reply) => {
    requireMetricsAccess(metrics.access, metrics.limits, request, reply)
    return reply.type(registry.contentType).send(await registry.metrics())
  })
  app.get('/openapi.json', async (_request, reply) => {
    // At the first question: it takes a tenth of a second, and hardly any process is ever asked.
    description ??= JSON.stringify(openApi(routes, options.version))
    return reply.type('application/json').send(description)
  })
}

function measured(gauges: ProbeOptions['gauges']): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const { name, help, read } of gauges) {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) })
  }
  return registry
}
