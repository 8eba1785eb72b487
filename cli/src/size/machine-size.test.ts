import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openShell } from '../testing/shell.ts'
import { figures } from './figures.ts'
import { type Load, sizeOf } from './machine-size.ts'

const shell = openShell()
afterAll(() => shell.remove())

const grown = [
  'nodes',
  'ingestCores',
  'readCores',
  'memoryGigabytes',
  'diskGigabytes',
  'logGigabytes',
] as const

const loads: fc.Arbitrary<Load> = fc.record({
  eventsPerDay: fc.double({ min: 1, max: 1e12, noNaN: true }),
  days: fc.integer({ min: 1, max: 36_500 }),
  peak: fc.double({ min: 1, max: 1_000, noNaN: true }),
  isBatched: fc.boolean(),
  largestShare: fc.double({ min: 0.00001, max: 1, noNaN: true }),
})

test('more events, a higher peak, longer retention or single events never need less', () => {
  const growths: ((load: Load, times: number) => Load)[] = [
    (load, times) => ({ ...load, eventsPerDay: load.eventsPerDay * times }),
    (load, times) => ({ ...load, peak: load.peak * times }),
    (load, times) => ({ ...load, days: load.days * times }),
    (load) => ({ ...load, isBatched: false }),
  ]
  fc.assert(
    fc.property(
      loads,
      fc.constantFrom(...growths),
      fc.double({ min: 1, max: 50, noNaN: true }),
      (load, grow, times) => {
        const [less, more] = [sizeOf(load), sizeOf(grow(load, times))]
        for (const name of grown) {
          expect(more[name]).toBeGreaterThanOrEqual(less[name])
        }
      },
    ),
  )
})

test('the command prints what it calculates, and refuses what is no number', async () => {
  const small = await shell.assay(['size', '--events-per-day', '1e5'])
  expect(small.exitCode).toBe(0)
  expect(small.out).toContain('one process with its embedded stores')
  const large = await shell.assay(['size', '--events-per-day', '50e6', '--json'])
  expect(large.json()).toMatchObject({ sizing: { layout: 'servers', nodes: 1 } })
  const site = await shell.assay(['size', '--events-per-day', '50e6'])
  expect(site.out).toContain('stops after 10 s')
  for (const refused of [[], ['--events-per-day', 'many'], ['--events-per-day', '1e6', '--peak', '0']]) {
    expect((await shell.assay(['size', ...refused])).exitCode).toBe(2)
  }
})

test('the page has the figures that are multiplied, and what comes of them', () => {
  const page = readFileSync(new URL('../../../docs/sizing.md', import.meta.url), 'utf8')
  const { mainMicros, allMicros, storedBytes, loggedBytes, readMicros, processGigabytes } = figures
  for (const said of [
    `${mainMicros.batched} µs in a batch, ${mainMicros.single} µs alone`,
    `${allMicros.batched} µs in a batch, ${allMicros.single} µs alone`,
    `${storedBytes} bytes`,
    `${loggedBytes} bytes`,
    `${readMicros} µs for each event`,
    `${processGigabytes} GB after a million events`,
  ]) {
    expect(page).toContain(said)
  }
  const usual = { days: 365, peak: 4, isBatched: true, largestShare: 1 }
  for (const load of [
    { ...usual, eventsPerDay: 1e5 },
    { ...usual, eventsPerDay: 5e5 },
    { ...usual, eventsPerDay: 2e6 },
    { ...usual, eventsPerDay: 50e6, largestShare: 0.05 },
  ]) {
    const { ingestCores, readCores, memoryGigabytes, diskGigabytes } = sizeOf(load)
    const disk =
      diskGigabytes < 1_000 ? `${Math.round(diskGigabytes)} GB` : `${(diskGigabytes / 1e3).toFixed(1)} TB`
    expect(page).toContain(`| ${ingestCores}, ${readCores} | ${memoryGigabytes} GB | ${disk} |`)
  }
})
