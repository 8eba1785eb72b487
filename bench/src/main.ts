/** `npm run bench`: throughput and cost of the product, each figure with its target. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { Bench } from './bench.ts'
import { checkOut, commitOf, removeTree } from './commit-tree.ts'
import { compare, formatComparison } from './comparison.ts'
import { describeMachine, formatMachine } from './machine.ts'
import { profileAll } from './measure-profile.ts'
import { measure } from './measurement.ts'
import { writeNdjson } from './ndjson.ts'
import { help, readOptions } from './options.ts'
import { type Figure, formatTable, verdictOf, writeReport } from './report.ts'
import { hereSide, type Side } from './side.ts'
import { measurementsOf } from './works.ts'

const options = readOptions(process.argv.slice(2))
const repository = join(import.meta.dirname, '..', '..')
const startedAt = new Date()
const nowMs = startedAt.getTime()
const scratch = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const print = (line: string) => console.log(`  ${line}`)

/** The other commit first, as it comes first in the table. */
function openSides(): readonly Side[] {
  const here = hereSide(commitOf(repository))
  if (options.against === undefined) return [here]
  const before = checkOut(repository, options.against, join(scratch, 'before-tree'))
  process.on('exit', () => removeTree(repository, before))
  return [before, { ...here, name: 'after' }]
}

async function measureAll(bench: Bench, sides: readonly Side[]): Promise<readonly Figure[][]> {
  const figures: Figure[][] = sides.map(() => [])
  for (const measurement of measurementsOf(bench, options)) {
    const measured = await measure(sides, measurement)
    for (const [index, own] of measured.entries()) figures[index]?.push(...own)
    // A whole run takes long, and one that ends early has shown what it had.
    for (const own of measured) if (own.length > 0) console.log(`\n${formatTable(own)}\n`)
  }
  return figures
}

async function main(): Promise<void> {
  if (options.help) return console.log(help)
  if (options.write !== undefined) return writeEvents(options.write)
  const sides = openSides()
  const machine = await describeMachine(sides)
  console.log(formatMachine(machine))
  // Ratios survive a busy machine, absolute figures do not.
  if (Number(machine.loadBefore) > 0.5)
    console.log('The machine is busy: trust ratios, not absolute figures.')
  const { rounds, roundMs, reads, fillMs, data: givenData } = options
  const bench = new Bench({ scratch, nowMs, rounds, roundMs, reads, fillMs, givenData, print })
  const measured = await measureAll(bench, sides)
  const [first = [], second] = measured
  const compared = second === undefined ? undefined : compare(first, second)
  const figures = second ?? first
  const profiles = options.works.has('profile') ? await profileAll(bench, sides) : {}
  if (figures.length > 0) console.log(`\n${formatTable(figures)}\n`)
  if (compared !== undefined) console.log(`${formatComparison(compared)}\n`)
  for (const [name, lines] of Object.entries(profiles)) console.log(`${name}\n${lines.join('\n')}\n`)
  const missed = figures.filter((figure) => verdictOf(figure) === 'missed').length
  const folder = join(import.meta.dirname, '..', 'results')
  const report = {
    startedAt: startedAt.toISOString(),
    machine,
    figures,
    profiles,
    ...(compared && { compared }),
  }
  const file = writeReport(folder, report)
  const seconds = Math.round((Date.now() - nowMs) / 1000)
  const targets = figures.filter(({ target }) => target).length
  console.log(`${formatMachine(machine)}\n${missed} of ${targets} targets missed · ${seconds} s · ${file}`)
  if (options.keep) console.log(`data kept in ${scratch}`)
}

function writeEvents(file: string): void {
  const { events } = makeTraffic({ seed: 1, events: options.events, fromMs: nowMs - 60 * dayMs, toMs: nowMs })
  console.log(`${writeNdjson(events, file)} events in ${file}`)
}

// An exit by signal still ends the programs that were started, and takes the data away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
process.on('exit', () => {
  if (!options.keep) rmSync(scratch, { recursive: true, force: true })
})
await main()
