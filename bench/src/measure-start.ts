import { setTimeout as wait } from 'node:timers/promises'
import { readGauge } from './api.ts'
import type { Bench } from './bench.ts'
import { waitUntilPending } from './fill.ts'
import { prepareLoad } from './measure-ingest.ts'
import type { Measurement, Subject } from './measurement.ts'
import { killProgram, residentMegabytes } from './process.ts'
import { type ProductOptions, startProduct, stopProduct } from './product.ts'
import type { Figure } from './report.ts'
import { productEntryIn, type Side } from './side.ts'
import { median } from './statistics.ts'

/** After this time an idle product has finished its work after a start. */
const settleMs = 3_000
const startSecondsMost = 3
const afterKillSecondsMost = 10
const idleMegabytesMost = 600

type Started = { readonly seconds: number; readonly megabytes: number }

/** Later starts without events, and the memory of an idle product. */
export function startMeasurement(bench: Bench, rounds: number): Measurement {
  return {
    rounds,
    async open(side) {
      const options = await bench.product(side, 'start')
      // The first start makes the stores and the pages, which the later ones find.
      const first = await startOnce(options)
      return laterStarts(options, ', second time', [
        { work: 'start-up, first time', value: first.seconds, unit: 's' },
      ])
    },
  }
}

/** The same with data. */
export function startWithDataMeasurement(
  bench: Bench,
  events: number,
  days: number,
  rounds: number,
): Measurement {
  return {
    rounds,
    async open(side) {
      const filled = await bench.filled(side, { events, days })
      const options = { ...filled, program: productEntryIn(side.root) }
      await startOnce(options)
      return laterStarts(options, ' with data', [])
    },
  }
}

function laterStarts(options: ProductOptions, what: string, before: readonly Figure[]): Subject {
  const later: Started[] = []
  return {
    async round() {
      later.push(await startOnce(options))
    },
    async figures() {
      return [
        ...before,
        {
          work: `start-up${what}`,
          value: median(later.map(({ seconds }) => seconds)),
          unit: 's',
          target: { of: 'value', most: startSecondsMost },
        },
        {
          work: `memory, idle${what === ' with data' ? what : ', without events'}`,
          value: median(later.map(({ megabytes }) => megabytes)),
          unit: 'MB',
          target: { of: 'value', most: idleMegabytesMost },
        },
      ]
    },
    close: async () => {},
  }
}

async function startOnce(options: ProductOptions): Promise<Started> {
  const product = await startProduct(options)
  await wait(settleMs)
  const megabytes = residentMegabytes(product.processId)
  await stopProduct(product)
  return { seconds: product.readyAfterMs / 1000, megabytes }
}

/** Nothing is loaded while the log fills: a segment stays open for a minute and for a gigabyte. */
const keptOpen = { ASSAY_SEGMENT_AGE_MS_MAX: '60000', ASSAY_SEGMENT_BYTES_MAX: '1000000000' }

/** A start after `kill -9` under load, with everything that was acknowledged still in the log. */
export function afterKillMeasurement(bench: Bench, rounds: number): Measurement {
  return { rounds, open: async (side) => openAfterKill(bench, side) }
}

function openAfterKill(bench: Bench, side: Side): Subject {
  const { nowMs, roundMs } = bench.options
  const ready: number[] = []
  const loaded: number[] = []
  let pending = 0
  return {
    async round(index) {
      const options = await bench.product(side, `killed-${index}`)
      const killed = await startProduct({ ...options, env: { ...options.env, ...keptOpen } })
      await prepareLoad(killed, 'batch', nowMs)(roundMs * 2)
      pending = await readGauge(killed, 'assay_log_pending_events')
      await killProgram(killed)
      const startedMs = performance.now()
      const product = await startProduct(options)
      ready.push(product.readyAfterMs / 1000)
      await waitUntilPending(product, 0)
      loaded.push((performance.now() - startedMs) / 1000)
      await stopProduct(product)
    },
    async figures() {
      const target = { of: 'value', most: afterKillSecondsMost } as const
      const note = `${pending} events in the log`
      return [
        { work: 'start-up after kill -9 with a full log', value: median(ready), unit: 's', target, note },
        { work: 'start-up after kill -9, until all is stored', value: median(loaded), unit: 's' },
      ]
    },
    close: async () => {},
  }
}
