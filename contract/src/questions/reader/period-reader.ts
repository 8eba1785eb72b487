import { isRecord } from '../../gate/raw-event.ts'
import { type Refuse, requireMembers } from '../filters/member-checks.ts'
import { rollingPointsMax } from '../question-limits.ts'
import type { QuestionPeriod, ReadMetric, ReadQuestion } from './read-question.ts'
import { readFlag, readOptionalText, readWhole } from './value-reader.ts'

const periodNames = ['from', 'to', 'window'] as const

export function readPeriodMembers(
  given: Record<string, unknown>,
  at: string,
  refuse: Refuse,
): QuestionPeriod {
  const [from, to, window] = periodNames.map((name) => readOptionalText(given[name], at + name, 40, refuse))
  if (window !== undefined && !/^[1-9][0-9]{0,2}[hd]$/.test(window)) {
    refuse(`${at}window`, 'must be days or hours such as 30d or 24h')
  }
  return { from, to, window }
}

export function readCompare(value: unknown, refuse: Refuse): ReadQuestion['compare'] {
  if (value === undefined || value === null) return null
  if (value === 'previous' || value === 'year') return value
  if (!isRecord(value)) {
    refuse('compare', 'must be "previous", "year" or a period: {"from": "2026-01-01", "to": "2026-01-31"}')
    return null
  }
  requireMembers(value, ['from', 'to'], 'compare', refuse)
  const period = readPeriodMembers({ from: value.from, to: value.to }, 'compare.', refuse)
  if (period.from === undefined) refuse('compare.from', 'is missing')
  if (period.to === undefined) refuse('compare.to', 'is missing')
  return period
}

export function readRolling(
  given: Record<string, unknown>,
  hasTime: boolean,
  metrics: readonly ReadMetric[],
  refuse: Refuse,
): number | 'all' | null {
  const isCumulative = readFlag(given.cumulative, 'cumulative', refuse)
  const points = readWhole(given.rolling, 'rolling', rollingPointsMax, refuse)
  if (isCumulative && points !== null) refuse('rolling', 'cannot be combined with cumulative')
  if ((isCumulative || points !== null) && !hasTime) {
    refuse(isCumulative ? 'cumulative' : 'rolling', 'needs a dimension of time, such as time:day')
  }
  if (points !== null && metrics.some(({ name }) => name === 'newVisitors')) {
    refuse('rolling', 'cannot be combined with newVisitors, who are new in one interval only')
  }
  return isCumulative ? 'all' : points
}
