import { compileContracts, compileMapping, defaultRules, judgeReading, readTrack } from '@assay/contract'
import type { Figure } from './report.ts'
import { median } from './statistics.ts'

const eventsPerRound = 20_000
const rounds = 7

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
export function measureGate(nowMs: number): readonly Figure[] {
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
  for (let round = -1; round < rounds; round += 1) {
    const judging = timeOf(judgeOnce)
    const parsing = timeOf(() => JSON.parse(text))
    // The first round compiles.
    if (round < 0) continue
    judgeMicros.push(judging)
    parseMicros.push(parsing)
  }
  const target = { of: 'ratio', most: 2 } as const
  return [
    {
      work: 'judge one event, 20 properties',
      value: median(judgeMicros),
      unit: 'µs',
      bare: median(parseMicros),
      target,
    },
  ]
}
