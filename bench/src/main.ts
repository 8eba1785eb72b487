/** `npm run bench`: throughput and cost of the product, each figure with its target. */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { measureAttribution } from './measure-attribution.ts'
import { measureForgets } from './measure-forgets.ts'
import { measureGate } from './measure-gate.ts'
import { type IngestKind, measureIngest, prepareLoad } from './measure-ingest.ts'
import { measureOverview } from './measure-overview.ts'
import { measurePrivacy } from './measure-privacy.ts'
import { measureReads } from './measure-reads.ts'
import { measureStart } from './measure-start.ts'
import { keepSegments, measureWriter } from './measure-writer.ts'
import { writeNdjson } from './ndjson.ts'
import { residentMegabytes, startProgram, stopProgram, waitFor } from './process.ts'
import { startProduct, stopProduct, unlimited } from './product.ts'
import { formatSelfTimes, profileDuring, selfTimes, selfTimesByPlace } from './profile.ts'
import { type Figure, formatTable, verdictOf, writeReport } from './report.ts'

const works = [
  'gate',
  'start',
  'track',
  'batch',
  'writer',
  'overview',
  'reads',
  'attribution',
  'privacy',
  'forgets',
  'profile',
] as const
type Work = (typeof works)[number]

const help = `npm run bench -- [options]
  --only a,b       of ${works.join(', ')}; all but profile unless said
  --events 1e6,5e6 sizes for the overview, growing (1e6,5e6,20e6); the other works take the first
  --rounds 5       rounds of each ingest measurement
  --seconds 4      length of a round
  --reads 20       overviews in each turn
  --days 30        over how many days the events of reads are spread; the last 30 are read
  --forgets 100    how many people ask to be forgotten at once (at most 1000)
  --data dir       measure reads of a directory that --keep left, without filling it
  --fill-minutes 30  longest time that the fill of one size may take
  --sql            print the statements that an overview runs
  --keep           keep the data
  --write file     only write --events (the first size) as NDJSON and stop`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: works.filter((work) => work !== 'profile').join(',') },
    events: { type: 'string', default: '1e6,5e6,20e6' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    reads: { type: 'string', default: '20' },
    days: { type: 'string', default: '30' },
    forgets: { type: 'string', default: '100' },
    data: { type: 'string' },
    'fill-minutes': { type: 'string', default: '30' },
    sql: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    write: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const startedAt = new Date()
const nowMs = startedAt.getTime()
const figures: Figure[] = []
const profiles: Record<string, readonly string[]> = {}
const scratch = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const print = (line: string) => console.log(`  ${line}`)

function readWorks(): ReadonlySet<Work> {
  const wanted = options.only.split(',')
  const unknown = wanted.filter((name) => !works.some((work) => work === name))
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}\n${help}`)
  return new Set(works.filter((work) => wanted.includes(work)))
}

function readNumber(text: string, name: string): number {
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a number above 0\n${help}`)
  return value
}

const sizes = options.events.split(',').map((text) => readNumber(text, 'events'))
const rounds = readNumber(options.rounds, 'rounds')
const roundMs = readNumber(options.seconds, 'seconds') * 1000

async function startBare() {
  const program = startProgram([new URL('./bare-server.ts', import.meta.url).pathname])
  const findAddress = async () => program.lines.find((line) => line.startsWith('http')) ?? null
  const address = await waitFor('the start of the bare server', 20_000, findAddress)
  return { program, port: Number(new URL(address).port), processId: program.child.pid ?? 0 }
}

async function runIngest(kinds: readonly IngestKind[], wantsWriter: boolean): Promise<void> {
  const dataDir = join(scratch, 'ingest')
  const product = await startProduct({ dataDir, env: unlimited })
  const bare = await startBare()
  const segments = join(scratch, 'segments')
  try {
    for (const kind of kinds) {
      const endWatch = kind === 'batch' ? keepSegments(join(dataDir, 'log'), segments) : () => {}
      const measured = await measureIngest(product, bare, { kind, rounds, roundMs, nowMs, print })
      endWatch()
      figures.push(...measured)
    }
    figures.push({ work: 'memory after ingest', value: residentMegabytes(product.processId), unit: 'MB' })
  } finally {
    await stopProgram(bare.program, 5_000)
    await stopProduct(product)
  }
  if (wantsWriter) figures.push(...(await measureWriter(segments, join(scratch, 'writer'))))
}

/** The product's main thread under each kind of load, and nothing but the load. */
async function runProfile(kind: IngestKind): Promise<void> {
  const dataDir = join(scratch, `profiled-${kind}`)
  const product = await startProduct({ dataDir, env: unlimited, nodeFlags: ['--inspect=127.0.0.1:0'] })
  try {
    const inspectorUrl = product.lines.find((line) => line.includes('ws://'))?.replace(/^.*(?=ws:)/, '')
    if (inspectorUrl === undefined) throw new Error('the product has no inspector')
    const load = prepareLoad(product, kind, nowMs)
    await load(roundMs)
    const profile = await profileDuring(inspectorUrl, () => load(roundMs * 2))
    const mostLines = 15
    profiles[`${kind}, main thread, self time`] = formatSelfTimes(selfTimes(profile, mostLines))
    profiles[`${kind}, main thread, by place`] = formatSelfTimes(selfTimesByPlace(profile, mostLines))
  } finally {
    await stopProduct(product)
  }
}

async function runAll(wanted: ReadonlySet<Work>): Promise<void> {
  if (wanted.has('gate')) figures.push(...measureGate(nowMs))
  if (wanted.has('start')) figures.push(...(await measureStart({ dataDir: join(scratch, 'start') })))
  const kinds = (['track', 'batch'] as const).filter((kind) => wanted.has(kind))
  // The writer's segments are those of the batch run.
  if (wanted.has('writer') && !wanted.has('batch')) kinds.push('batch')
  if (kinds.length > 0) await runIngest(kinds, wanted.has('writer'))
  if (wanted.has('overview')) {
    const fillMs = readNumber(options['fill-minutes'], 'fill-minutes') * 60_000
    const reads = readNumber(options.reads, 'reads')
    const product = { dataDir: join(scratch, 'overview'), env: unlimited }
    const result = await measureOverview(product, { sizes, nowMs, reads, fillMs, print })
    figures.push(...result.figures)
    if (options.sql) console.log(`\n${result.statements.join(';\n\n')};\n`)
  }
  if (wanted.has('reads')) figures.push(...(await runReads()))
  if (wanted.has('privacy')) {
    figures.push(...(await measurePrivacy({ dataDir: join(scratch, 'privacy'), env: unlimited }, print)))
  }
  if (wanted.has('forgets')) {
    const forgets = readNumber(options.forgets, 'forgets')
    const product = { dataDir: join(scratch, 'forgets'), env: unlimited }
    figures.push(...(await measureForgets(product, forgets, print)))
  }
  if (wanted.has('attribution')) {
    const fillMs = readNumber(options['fill-minutes'], 'fill-minutes') * 60_000
    const product = { dataDir: join(scratch, 'attribution'), env: unlimited }
    figures.push(...(await measureAttribution(product, { events: sizes[0] ?? 0, nowMs, fillMs, print })))
  }
  if (wanted.has('profile')) {
    await runProfile('track')
    await runProfile('batch')
  }
}

function runReads(): Promise<readonly Figure[]> {
  const fillMs = readNumber(options['fill-minutes'], 'fill-minutes') * 60_000
  const reads = readNumber(options.reads, 'reads')
  const days = readNumber(options.days, 'days')
  const events = options.data === undefined ? (sizes[0] ?? 1e6) : null
  const product = { dataDir: options.data ?? join(scratch, 'reads'), env: unlimited }
  return measureReads(product, { events, days, nowMs, reads, fillMs, print })
}

function describeMachine() {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    architecture: process.arch,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

async function main(): Promise<void> {
  if (options.help) return console.log(help)
  if (options.write !== undefined) {
    const events = sizes[0] ?? 0
    const { events: stream } = makeTraffic({ seed: 1, events, fromMs: nowMs - 60 * dayMs, toMs: nowMs })
    return console.log(`${writeNdjson(stream, options.write)} events in ${options.write}`)
  }
  const machine = describeMachine()
  console.log(
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(' · '),
  )
  // Ratios survive a busy machine, absolute figures do not.
  if (machine.loadBefore > 0.5) console.log('The machine is busy: trust ratios, not absolute figures.')
  await runAll(readWorks())
  console.log(`\n${formatTable(figures)}\n`)
  for (const [name, lines] of Object.entries(profiles)) console.log(`${name}\n${lines.join('\n')}\n`)
  const missed = figures.filter((figure) => verdictOf(figure) === 'missed').length
  const folder = join(import.meta.dirname, '..', 'results')
  const file = writeReport(folder, { startedAt: startedAt.toISOString(), machine, figures, profiles })
  console.log(`${missed} of ${figures.filter(({ target }) => target).length} targets missed · ${file}`)
  if (options.keep) console.log(`data kept in ${scratch}`)
}

// An exit by signal still ends the programs that were started, and takes the data away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.on('exit', () => {
  if (!options.keep) rmSync(scratch, { recursive: true, force: true })
})
await main()
