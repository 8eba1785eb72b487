import { answerRowsMax, invalidParameter, Problem, type ReadQuestion } from '@assay/contract'
import { dayMs } from '../../../platform/units.ts'
import {
  type Interval,
  type Period,
  pointsMax,
  previousPeriod,
  readPeriod,
  yearBefore,
} from '../../period.ts'
import type { GroupDimension } from '../row-store.ts'

export type Shape = {
  /** Null without a dimension of time. */
  unit: Interval | null
  groups: readonly GroupDimension[]
}

/** Refuses a question that gives too many rows over this period. */
export function requireAnswerable(question: ReadQuestion, period: Period) {
  const shape = shapeOf(question)
  const compared = comparedPeriod(question, period)
  for (const one of [period, ...(compared === null ? [] : [compared])]) requireFewPoints(question, shape, one)
  return { shape, compared }
}

function shapeOf({ dimensions }: ReadQuestion): Shape {
  const groups = dimensions.filter((one) => one.kind !== 'time')
  const time = dimensions.find((one) => one.kind === 'time')
  return { unit: time?.unit ?? null, groups }
}

function comparedPeriod({ compare }: ReadQuestion, period: Period): Period | null {
  if (compare === null) return null
  if (compare === 'previous') return previousPeriod(period)
  if (compare === 'year') return yearBefore(period)
  try {
    return readPeriod({ ...compare, timezone: period.timezone }, period.timezone, period.nowMs)
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    const [error] = cause.options.errors ?? []
    throw invalidParameter(`compare.${error?.field}`, error?.message ?? 'is not a period')
  }
}

const hoursOf: Readonly<Record<Interval, number>> = { hour: 1, day: 24, week: 168, month: 672 }

function requireFewPoints({ limit }: ReadQuestion, { unit, groups }: Shape, { fromMs, toMs }: Period): void {
  if (unit === null) return
  const points = Math.ceil(((toMs - fromMs) / dayMs) * 24) / hoursOf[unit]
  if (points > pointsMax + 1) {
    throw invalidParameter('dimensions', `time:${unit} is for periods of up to ${pointsMax} intervals`)
  }
  if (groups.length > 0 && points * limit > answerRowsMax) {
    throw invalidParameter('limit', `gives more than ${answerRowsMax} rows over this period: lower it`)
  }
}
