import type { RequestPlan } from './requests.ts'

export const ingestKinds = ['track', 'new', 'batch'] as const
export type IngestKind = (typeof ingestKinds)[number]

export type IngestShape = Omit<RequestPlan, 'key' | 'nowMs'> & {
  readonly name: string
  readonly leastRatio: number
  /** Events a second: fifty times what Umami took on such a machine, when quiet. */
  readonly leastRate?: number
  /** Processor time of all threads until stored, in microseconds an event. */
  readonly mostMicros?: number
}

/** Connections, events a request and targets as targets.md sets them; as many templates as 60 MB hold. */
export const ingestShapes: Readonly<Record<IngestKind, IngestShape>> = {
  track: {
    name: 'single events of returning visitors',
    path: '/v1/track',
    visitors: 'returning',
    connections: 32,
    eventsPerRequest: 1,
    templatesPerConnection: 200,
    leastRatio: 0.5,
    leastRate: 50 * 345,
    seed: 11,
  },
  new: {
    name: 'single events of new visitors',
    path: '/v1/track',
    visitors: 'new',
    connections: 32,
    eventsPerRequest: 1,
    templatesPerConnection: 200,
    leastRatio: 0.5,
    leastRate: 50 * 256,
    seed: 13,
  },
  batch: {
    name: 'batches of 100',
    path: '/v1/batch',
    visitors: 'returning',
    connections: 8,
    eventsPerRequest: 100,
    templatesPerConnection: 80,
    leastRatio: 0.3,
    mostMicros: 30,
    seed: 12,
  },
}
