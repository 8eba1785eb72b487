import { readOverview } from './api.ts'
import { addSummary, waitUntilPending } from './fill.ts'
import { type LoadResult, runLoad } from './load.ts'
import { processorSeconds } from './process.ts'
import type { Product } from './product.ts'
import type { Figure } from './report.ts'
import { makeRequests, type RequestSource } from './requests.ts'
import { median } from './statistics.ts'

export type IngestKind = 'track' | 'batch'

export type IngestOptions = {
  readonly kind: IngestKind
  readonly rounds: number
  readonly roundMs: number
  readonly nowMs: number
  readonly print: (line: string) => void
}

type Shape = {
  readonly name: string
  readonly connections: number
  readonly eventsPerRequest: number
  readonly templatesPerConnection: number
  readonly leastRatio: number
  readonly seed: number
}

/** Connections, events a request and ratios as the targets set them; as many templates as 60 MB hold. */
const shapes: Readonly<Record<IngestKind, Shape>> = {
  track: {
    name: 'single events, 32 connections',
    connections: 32,
    eventsPerRequest: 1,
    templatesPerConnection: 500,
    leastRatio: 0.5,
    seed: 11,
  },
  batch: {
    name: 'batches of 100, 8 connections',
    connections: 8,
    eventsPerRequest: 100,
    templatesPerConnection: 80,
    leastRatio: 0.3,
    seed: 12,
  },
}

/** What the product said of the events. Under this load all of them must be stored. */
export type Acknowledged = { stored: number; duplicate: number; other: number }

export type Server = { readonly port: number; readonly processId: number }

/** What rounds cost, in processor time of the server, summed up. */
type Cost = { events: number; mainSeconds: number; allSeconds: number }

type Round = {
  readonly rate: number
  readonly storedRate: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The product against a bare Fastify with the same bytes, in turns: a noisy machine hurts both alike. */
export async function measureIngest(
  product: Product,
  bare: Server,
  options: IngestOptions,
): Promise<readonly Figure[]> {
  const shape = shapes[options.kind]
  const path = options.kind === 'track' ? '/v1/track' : '/v1/batch'
  const requests = makeRequests({ ...shape, path, key: product.keys.publicKey, nowMs: options.nowMs })
  const storedBefore = await countStored(product)
  const acknowledged: Acknowledged = { stored: 0, duplicate: 0, other: 0 }
  const bareRates: number[] = []
  const rounds: Round[] = []
  const costs = { bare: noCost(), product: noCost() }
  const runBare = async (forMs: number) =>
    rateOf(await withCost(costs.bare, bare, shape, () => send(bare.port, shape, requests, forMs)), shape)
  const runProduct = (forMs: number) =>
    productRound(product, shape, requests, forMs, options.kind, acknowledged, costs.product)
  // Both get the time to compile what is hot.
  await runBare(options.roundMs / 2)
  await runProduct(options.roundMs / 2)
  for (const cost of [costs.bare, costs.product]) Object.assign(cost, noCost())
  for (let index = 0; index < options.rounds; index += 1) {
    if (index % 2 === 0) bareRates.push(await runBare(options.roundMs))
    const round = await runProduct(options.roundMs)
    rounds.push(round)
    if (index % 2 === 1) bareRates.push(await runBare(options.roundMs))
    options.print(`${shape.name}: ${Math.round(round.rate)}/s, bare ${Math.round(bareRates.at(-1) ?? 0)}/s`)
  }
  const stored = (await countStored(product)) - storedBefore
  return [...describe(shape, rounds, median(bareRates), acknowledged, stored), ...costFigures(shape, costs)]
}

/** The same load without a comparison, for the profiler. */
export function prepareLoad(
  product: Product,
  kind: IngestKind,
  nowMs: number,
): (forMs: number) => Promise<LoadResult> {
  const shape = shapes[kind]
  const path = kind === 'track' ? '/v1/track' : '/v1/batch'
  const requests = makeRequests({ ...shape, path, key: product.keys.publicKey, nowMs })
  return (forMs) => send(product.port, shape, requests, forMs)
}

async function productRound(
  product: Product,
  shape: Shape,
  requests: RequestSource,
  forMs: number,
  kind: IngestKind,
  acknowledged: Acknowledged,
  cost: Cost,
): Promise<Round> {
  const startedMs = performance.now()
  const count = kind === 'track' ? countTrack : countBatch
  const result = await withCost(cost, product, shape, () =>
    send(product.port, shape, requests, forMs, (status, body) => count(acknowledged, status, body)),
  )
  // The bare server's next turn must not share the machine with this one's left-overs.
  await waitUntilPending(product, 0)
  const seconds = (performance.now() - startedMs) / 1000
  return {
    rate: rateOf(result, shape),
    storedRate: (result.requests * shape.eventsPerRequest) / seconds,
    p50Ms: result.latencyMs.percentile(0.5),
    p99Ms: result.latencyMs.percentile(0.99),
  }
}

function send(
  port: number,
  shape: Shape,
  requests: RequestSource,
  forMs: number,
  onAnswer: (status: number, body: Buffer) => void = () => {},
): Promise<LoadResult> {
  return runLoad({ port, connections: shape.connections, next: requests.next, forMs, onAnswer })
}

const noCost = (): Cost => ({ events: 0, mainSeconds: 0, allSeconds: 0 })

async function withCost(
  cost: Cost,
  { processId }: Server,
  shape: Shape,
  act: () => Promise<LoadResult>,
): Promise<LoadResult> {
  const before = processorSeconds(processId)
  const result = await act()
  const after = processorSeconds(processId)
  if (before === null || after === null) return result
  cost.events += result.requests * shape.eventsPerRequest
  cost.mainSeconds += after.main - before.main
  cost.allSeconds += after.all - before.all
  return result
}

/** Where other programs take their share of the machine, these are steadier than events a second. */
function costFigures({ name }: Shape, costs: { bare: Cost; product: Cost }): readonly Figure[] {
  if (costs.product.events === 0) return []
  const micros = (seconds: number, { events }: Cost) => (1e6 * seconds) / events
  return [
    {
      work: `${name}, main thread`,
      value: micros(costs.product.mainSeconds, costs.product),
      unit: 'µs/event',
      bare: micros(costs.bare.mainSeconds, costs.bare),
    },
    {
      work: `${name}, all threads`,
      value: micros(costs.product.allSeconds, costs.product),
      unit: 'µs/event',
      bare: micros(costs.bare.allSeconds, costs.bare),
    },
  ]
}

function rateOf(result: LoadResult, shape: Shape): number {
  return (result.requests * shape.eventsPerRequest) / result.seconds
}

function countTrack(total: Acknowledged, status: number, body: Buffer): void {
  const isStored =
    status === 202 && (body.includes('"outcome":"accept"') || body.includes('"outcome":"warn"'))
  if (!isStored) total.other += 1
  else if (body.includes('"duplicate":true')) total.duplicate += 1
  else total.stored += 1
}

function countBatch(total: Acknowledged, status: number, body: Buffer): void {
  if (status !== 200) {
    total.other += 1
    return
  }
  const summary = { accept: 0, warn: 0, quarantine: 0, reject: 0, duplicate: 0 }
  addSummary(summary, body)
  total.stored += summary.accept + summary.warn
  total.duplicate += summary.duplicate
  total.other += summary.quarantine + summary.reject
}

/** Events of the bench's site that can be read, bots included: the templates have some. */
async function countStored(product: Product): Promise<number> {
  const query = { siteId: product.keys.siteId, window: '3d', includeBots: 'true' }
  return (await readOverview(product, query)).metrics.events
}

function describe(
  shape: Shape,
  rounds: readonly Round[],
  bare: number,
  acknowledged: Acknowledged,
  stored: number,
): readonly Figure[] {
  const rate = median(rounds.map((round) => round.rate))
  const work = shape.name
  return [
    { work, value: rate, unit: 'events/s', bare, target: { of: 'ratio', least: shape.leastRatio } },
    {
      work: `${work}, until stored`,
      value: median(rounds.map((round) => round.storedRate)),
      unit: 'events/s',
    },
    { work: `${work}, p50`, value: median(rounds.map((round) => round.p50Ms)), unit: 'ms' },
    { work: `${work}, p99`, value: median(rounds.map((round) => round.p99Ms)), unit: 'ms' },
    {
      work: `${work}, stored of acknowledged`,
      value: stored,
      unit: 'events',
      bare: acknowledged.stored,
      target: { of: 'ratio', least: 1, most: 1 },
    },
    {
      work: `${work}, duplicates and refusals`,
      value: acknowledged.duplicate + acknowledged.other,
      unit: 'events',
      target: { of: 'value', most: 0 },
    },
  ]
}
