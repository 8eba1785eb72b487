import { join } from 'node:path'
import type * as Contract from '@assay/contract'
import type { Measurement, Subject } from './measurement.ts'
import type { Side } from './side.ts'
import { median } from './statistics.ts'

const eventsPerRound = 20_000
const rounds = 8
const ratioMost = 1.5

/** A purchase with 20 properties, as the target says. */
function makeEventText(nowMs: number): string {
  const more = Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [`property_${index}`, `value ${index}`]),
  )
  return JSON.stringify({
    event: '$purchase',
    event_id: '0197f3a0-1111-7000-8000-000000000001',
    anonymous_id: '9e3779b1f4473385',
    ts: new Date(nowMs).toISOString(),
    properties: { amount: 49.9, currency: 'EUR', order_id: 'A-1001', coupon: 'SPRING', ...more },
    context: { page: { url: 'https://shop.example/thanks', path: '/thanks', title: 'Thanks' } },
  })
}

/** Processor time of one call in microseconds: other programs on the machine do not count. */
function timeOf(act: () => void): number {
  const before = process.cpuUsage()
  for (let event = 0; event < eventsPerRound; event += 1) act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / eventsPerRound
}

/** The gate library on one event against parsing its JSON, in turns. */
export function judgeMeasurement(nowMs: number): Measurement {
  return { rounds, open: (side) => openJudge(nowMs, side) }
}

async function openJudge(nowMs: number, { root }: Side): Promise<Subject> {
  const loaded: unknown = await import(join(root, 'contract', 'src', 'index.ts'))
  // boundary: the same package of another commit; what it lacks fails at once.
  const { compileContracts, compileMapping, defaultRules, judgeReading, readTrack } =
    loaded as typeof Contract
  const text = makeEventText(nowMs)
  const known = {
    contracts: compileContracts([]),
    mapping: compileMapping(defaultRules),
    keyClass: 'public' as const,
    receivedAt: nowMs,
  }
  const parsed: unknown = JSON.parse(text)
  const judgeOnce = () => {
    const reading = readTrack(parsed)
    if (reading.kind === 'alias' || judgeReading(reading, known).outcome !== 'accept') {
      throw new Error('the event of the bench must be acceptable')
    }
  }
  const judgeMicros: number[] = []
  const parseMicros: number[] = []
  return {
    async round(index) {
      const judge = timeOf(judgeOnce)
      const parse = timeOf(() => JSON.parse(text))
      // The first round compiles.
      if (index === 0) return
      judgeMicros.push(judge)
      parseMicros.push(parse)
    },
    async figures() {
      return [
        {
          work: 'judge one event, 20 properties',
          value: median(judgeMicros),
          unit: 'µs',
          bare: median(parseMicros),
          target: { of: 'ratio', most: ratioMost },
        },
      ]
    },
    close: async () => {},
  }
}
