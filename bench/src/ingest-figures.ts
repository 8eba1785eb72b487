import type { IngestShape } from './ingest-shapes.ts'
import type { Figure } from './report.ts'
import { median } from './statistics.ts'

export type Round = {
  readonly rate: number
  readonly storedRate: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time an event, until all are stored; null where the system does not report it. */
  readonly mainMicros: number | null
  readonly allMicros: number | null
}

type Measured = {
  readonly shape: IngestShape
  readonly product: readonly Round[]
  readonly bare: readonly Round[]
  readonly acknowledged: { readonly stored: number; readonly duplicate: number; readonly other: number }
  readonly stored: number
}

const medianOf = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of))

export function ingestFigures({ shape, product, bare, acknowledged, stored }: Measured): readonly Figure[] {
  const { name: work, connections } = shape
  const rate = medianOf(product, (round) => round.rate)
  const figures: Figure[] = [
    {
      work,
      value: rate,
      unit: 'events/s',
      bare: medianOf(bare, (round) => round.rate),
      target: { of: 'ratio', least: shape.leastRatio },
      note: `${connections} connections`,
    },
    {
      work: `${work}, until stored`,
      value: medianOf(product, (round) => round.storedRate),
      unit: 'events/s',
    },
    { work: `${work}, p50`, value: medianOf(product, (round) => round.p50Ms), unit: 'ms' },
    { work: `${work}, p99`, value: medianOf(product, (round) => round.p99Ms), unit: 'ms' },
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
  if (shape.leastRate === undefined) return figures
  const target = { of: 'value', least: shape.leastRate } as const
  const quiet = { work: `${work}, against 50 × Umami`, value: rate, unit: 'events/s', target }
  return figures.toSpliced(1, 0, quiet)
}

/** Where other programs take their share of the machine, these are steadier than events a second. */
export function costFigures({ shape, product, bare }: Measured): readonly Figure[] {
  const micros = (rounds: readonly Round[], of: 'mainMicros' | 'allMicros') =>
    medianOf(rounds, (round) => round[of] ?? Number.NaN)
  const { name, mostMicros } = shape
  if (Number.isNaN(micros(product, 'allMicros'))) return []
  return [
    {
      work: `${name}, processor time of the main thread`,
      value: micros(product, 'mainMicros'),
      unit: 'µs/event',
      bare: micros(bare, 'mainMicros'),
    },
    {
      work: `${name}, processor time of all threads until stored`,
      value: micros(product, 'allMicros'),
      unit: 'µs/event',
      bare: micros(bare, 'allMicros'),
      ...(mostMicros !== undefined && { target: { of: 'value', most: mostMicros } as const }),
    },
  ]
}
