import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { importEvents } from '@assay/contract'
import { makeEncoder } from '../../server/src/demo/traffic/events/encode.ts'
import { siteTally } from '../../server/src/demo/traffic/tally.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { type Bench, windowStartMs } from './bench.ts'
import { addSummary, eventsPerBatch, waitUntilStored } from './fill.ts'
import { httpRequest, runLoad } from './load.ts'
import type { Measurement, Subject } from './measurement.ts'
import { type Product, productEntry, startProduct, stopProduct } from './product.ts'
import { productEntryIn, type Side } from './side.ts'
import { median } from './statistics.ts'

/** Events of a round: some seconds at today's rate, one at the rate that is aimed at. */
const eventsPerRound = 50_000
const rounds = 3
const rateLeast = 50_000
const connections = 4
const importMsMax = 600_000
/** History through `/v1/import`, until the last event can be read. */
export function importMeasurement(bench: Bench): Measurement {
  return { rounds: rounds + 1, open: (side) => openImport(bench, side) }
}

async function openImport(bench: Bench, side: Side): Promise<Subject> {
  const product = await startProduct(await bench.product(side, 'import'))
  const rates: number[] = []
  let wronglyJudged = 0
  return {
    async round(index) {
      const history = makeHistory(product, bench.options.nowMs, index)
      const startedMs = performance.now()
      const answered = await sendAll(product, history.requests)
      await waitUntilStored(product)
      const seconds = (performance.now() - startedMs) / 1000
      // An event under the wrong name is missing under the right one, so it is found twice.
      for (const name of outcomes) wronglyJudged += Math.abs(history.expected[name] - answered[name]) / 2
      if (index > 0) rates.push(history.events / seconds)
    },
    async figures() {
      return [
        {
          work: 'import of history, until stored',
          value: median(rates),
          unit: 'events/s',
          target: { of: 'value', least: rateLeast },
          note: '/v1/import, 1,000 a call',
        },
        {
          work: 'events judged otherwise than the generator knows',
          value: wronglyJudged,
          unit: 'events',
          target: { of: 'value', most: 0 },
        },
      ]
    },
    close: () => stopProduct(product),
  }
}

/** What `Retry-After` of an import says. */
const retryMs = 1_000

const outcomes = ['accept', 'warn', 'quarantine', 'reject', 'duplicate'] as const
type Outcomes = Record<(typeof outcomes)[number], number>

type History = {
  readonly requests: readonly Buffer[]
  readonly events: number
  readonly expected: Outcomes
}

/** Made before the clock runs: to make an event costs as much as to take it in. */
function makeHistory(product: Product, nowMs: number, round: number): History {
  const traffic = makeTraffic({
    seed: 500 + round,
    events: eventsPerRound,
    fromMs: windowStartMs(nowMs, 60),
    toMs: nowMs - dayMs,
    sites: ['shop'],
  })
  const encode = makeEncoder()
  const texts = Array.from(traffic.events, ({ wire }) => encode(wire))
  const headers = { authorization: `Bearer ${product.keys.secretKey}` }
  const requests: Buffer[] = []
  for (let at = 0; at < texts.length; at += eventsPerBatch) {
    const batch = texts.slice(at, at + eventsPerBatch).join(',')
    const body = Buffer.from(`{"site_id":"${product.keys.siteId}","batch":[${batch}]}`)
    requests.push(httpRequest(importEvents.path, headers, body))
  }
  const { outcomes: known } = traffic.tally
  // An order that browser and server both report counts once; the later report is answered as a duplicate.
  const duplicate = siteTally(traffic.tally, 'shop').orders.both
  return {
    requests,
    events: texts.length,
    expected: { ...known, accept: known.accept - duplicate, duplicate },
  }
}

/** As an importer sends: while the store is behind, it waits, and sends again what was refused. */
async function sendAll(product: Product, requests: readonly Buffer[]): Promise<Outcomes> {
  const answered = { accept: 0, warn: 0, quarantine: 0, reject: 0, duplicate: 0 }
  const left = [...requests]
  while (left.length > 0) {
    const refused: Buffer[] = []
    const lastOf: Buffer[] = []
    await runLoad({
      port: product.port,
      connections,
      forMs: importMsMax,
      next: (connection) => {
        const request = refused.length > 0 ? undefined : left.shift()
        if (request !== undefined) lastOf[connection] = request
        return request ?? null
      },
      onAnswer: (status, body, connection) => {
        const request = lastOf[connection]
        if (status === 503 && request !== undefined) return void refused.push(request)
        if (status !== 200) throw new Error(`an import was answered ${status}: ${body.toString()}`)
        addSummary(answered, body)
      },
    })
    left.unshift(...refused)
    if (refused.length > 0) await setTimeout(retryMs)
  }
  return answered
}

const workspaceEvents = 1e5
const workspaceRounds = 2
const run = promisify(execFile)

/** A workspace by `assay import`, into a new installation each time. */
export function workspaceImportMeasurement(bench: Bench): Measurement {
  return { rounds: workspaceRounds, open: (side) => openWorkspaceImport(bench, side) }
}

async function openWorkspaceImport(bench: Bench, side: Side): Promise<Subject> {
  const directory = join(bench.folder(side.name), 'exported')
  const filled = await bench.filled(side, { events: workspaceEvents, days: 30 })
  await withProduct({ ...filled, program: productEntryIn(side.root) }, (product) =>
    assay(side, product, 'export', directory),
  )
  const rates: number[] = []
  return {
    async round(index) {
      const options = await bench.product(side, `imported-${index}`)
      await withProduct(options, async (product) => {
        const startedMs = performance.now()
        const answer = await assay(side, product, 'import', directory)
        const rows = Number(/(\d+) rows/.exec(answer)?.[1])
        rates.push(rows / ((performance.now() - startedMs) / 1000))
      })
      rmSync(options.dataDir, { recursive: true, force: true })
    },
    async figures() {
      return [
        {
          work: 'import of a workspace by the command, until stored',
          value: median(rates),
          unit: 'rows/s',
          note: 'assay import',
        },
      ]
    },
    close: async () => {},
  }
}

async function withProduct<Answer>(
  options: Parameters<typeof startProduct>[0],
  act: (product: Product) => Promise<Answer>,
): Promise<Answer> {
  const product = await startProduct({ program: productEntry, ...options })
  try {
    return await act(product)
  } finally {
    await stopProduct(product)
  }
}

async function assay({ root }: Side, product: Product, command: string, directory: string): Promise<string> {
  const program = join(root, 'cli', 'src', 'main.ts')
  const args = [program, command, directory, '--server', product.url, '--key', product.keys.secretKey]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 26 })
  return stdout
}
