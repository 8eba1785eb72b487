import { join } from 'node:path'
import { readOverview } from './api.ts'
import type { Bench } from './bench.ts'
import { addSummary, waitUntilStored } from './fill.ts'
import { costFigures, ingestFigures, type Round } from './ingest-figures.ts'
import { type IngestKind, type IngestShape, ingestShapes } from './ingest-shapes.ts'
import { type LoadResult, runLoad } from './load.ts'
import { keepSegments } from './measure-writer.ts'
import type { Measurement, Subject } from './measurement.ts'
import {
  peakMegabytes,
  processorSeconds,
  residentMegabytes,
  startProgram,
  stopProgram,
  waitFor,
} from './process.ts'
import { type Product, startProduct, stopProduct } from './product.ts'
import type { Figure } from './report.ts'
import { makeRequests, type RequestSource } from './requests.ts'
import type { Side } from './side.ts'

type IngestPlan = {
  readonly kinds: readonly IngestKind[]
  /** Keeps segments of the log for the measurement of the writer. */
  readonly keepsSegments: boolean
}

/** What the product said of the events. Under this load all of them must be stored. */
type Acknowledged = { stored: number; duplicate: number; other: number }

type Server = { readonly port: number; readonly processId: number }

type Kind = {
  readonly shape: IngestShape
  readonly requests: RequestSource
  readonly acknowledged: Acknowledged
  readonly product: Round[]
  readonly bare: Round[]
  stored: number
}

const afterIngestMegabytesMost = 1_000
export const segmentsFolder = (bench: Bench, side: Side): string => bench.folder(side.name, 'segments')

/** The product against a bare Fastify with the same bytes, in turns; a round is one turn of one kind. */
export function ingestMeasurement(bench: Bench, plan: IngestPlan): Measurement {
  // The first round of each kind compiles what is hot and lets visitors return, and is not counted.
  const rounds = plan.kinds.length * (bench.options.rounds + 1)
  return { rounds, open: (side) => openIngest(bench, plan, side) }
}

async function openIngest(bench: Bench, plan: IngestPlan, side: Side): Promise<Subject> {
  const { nowMs, roundMs, print } = bench.options
  const options = await bench.product(side, 'ingest')
  const product = await startProduct(options)
  const bare = await startBare()
  const kinds = plan.kinds.map((kind) => makeKind(product, kind, nowMs))
  return {
    async round(index) {
      const kind = kinds[index % kinds.length]
      if (kind === undefined) return
      const isWarmUp = index < kinds.length
      const forMs = isWarmUp ? roundMs / 2 : roundMs
      const isKept = plan.keepsSegments && kind.shape.eventsPerRequest > 1
      const endWatch = isKept
        ? keepSegments(join(options.dataDir, 'log'), segmentsFolder(bench, side))
        : () => {}
      const bareRound = await runBare(bare, kind, forMs)
      const round = await runProduct(product, kind, forMs)
      endWatch()
      if (isWarmUp) return
      kind.bare.push(bareRound)
      kind.product.push(round)
      print(
        `${side.name}: ${kind.shape.name}: ${Math.round(round.rate)}/s, bare ${Math.round(bareRound.rate)}/s`,
      )
    },
    async figures() {
      const figures = kinds.flatMap((kind) => [...ingestFigures(kind), ...costFigures(kind)])
      return [...figures, ...memoryFigures(product)]
    },
    async close() {
      await stopProgram(bare.program, 5_000)
      await stopProduct(product)
    },
  }
}

function makeKind(product: Product, kind: IngestKind, nowMs: number): Kind {
  const shape = ingestShapes[kind]
  const requests = makeRequests({ ...shape, key: product.keys.publicKey, nowMs })
  const acknowledged = { stored: 0, duplicate: 0, other: 0 }
  return { shape, requests, acknowledged, product: [], bare: [], stored: 0 }
}

async function startBare() {
  const program = startProgram([new URL('./bare-server.ts', import.meta.url).pathname])
  const findAddress = async () => program.lines.find((line) => line.startsWith('http')) ?? null
  const address = await waitFor('the start of the bare server', 20_000, findAddress)
  return { program, port: Number(new URL(address).port), processId: program.child.pid ?? 0 }
}

/** The same load without a comparison, for the profiler. */
export function prepareLoad(
  product: Product,
  kind: IngestKind,
  nowMs: number,
): (forMs: number) => Promise<LoadResult> {
  const { shape, requests } = makeKind(product, kind, nowMs)
  return (forMs) => send(product.port, shape, requests, forMs)
}

async function runBare(bare: Server, { shape, requests }: Kind, forMs: number): Promise<Round> {
  const before = processorSeconds(bare.processId)
  const result = await send(bare.port, shape, requests, forMs)
  return roundOf(result, shape, before, processorSeconds(bare.processId), result.seconds)
}

/** Until everything is stored: the bare server's next turn must not share the machine with what is left of it. */
async function runProduct(product: Product, kind: Kind, forMs: number): Promise<Round> {
  const { shape, requests, acknowledged } = kind
  const count = shape.eventsPerRequest === 1 ? countTrack : countBatch
  const storedBefore = await countStored(product)
  const before = processorSeconds(product.processId)
  const startedMs = performance.now()
  const result = await send(product.port, shape, requests, forMs, (status, body) =>
    count(acknowledged, status, body),
  )
  await waitUntilStored(product)
  const seconds = (performance.now() - startedMs) / 1000
  const after = processorSeconds(product.processId)
  kind.stored += (await countStored(product)) - storedBefore
  return roundOf(result, shape, before, after, seconds)
}

type Used = ReturnType<typeof processorSeconds>

function roundOf(
  result: LoadResult,
  { eventsPerRequest }: IngestShape,
  before: Used,
  after: Used,
  storedSeconds: number,
): Round {
  const events = result.requests * eventsPerRequest
  const micros = (spent: 'main' | 'all') =>
    before === null || after === null ? null : (1e6 * (after[spent] - before[spent])) / events
  return {
    rate: events / result.seconds,
    storedRate: events / storedSeconds,
    p50Ms: result.latencyMs.percentile(0.5),
    p99Ms: result.latencyMs.percentile(0.99),
    mainMicros: micros('main'),
    allMicros: micros('all'),
  }
}

function send(
  port: number,
  { connections }: IngestShape,
  { next }: RequestSource,
  forMs: number,
  onAnswer: (status: number, body: Buffer) => void = () => {},
): Promise<LoadResult> {
  return runLoad({ port, connections, next, forMs, onAnswer })
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

function memoryFigures({ processId }: Product): readonly Figure[] {
  return [
    {
      work: 'memory after ingest',
      value: residentMegabytes(processId),
      unit: 'MB',
      target: { of: 'value', most: afterIngestMegabytesMost },
    },
    { work: 'memory during ingest, at most', value: peakMegabytes(processId), unit: 'MB' },
  ]
}
