import type { AlertInterval } from '@assay/contract'
import {
  durationText,
  moneyText,
  numberText,
  percentText,
  timeTextOf,
} from '../../shares/page/shown-values.ts'
import type { AlertFacts } from './facts.ts'

type Measure = Pick<AlertFacts, 'unit' | 'currency'>

function valueText(value: number | null, { unit, currency }: Measure): string {
  if (value === null) return 'no value'
  if (unit === 'share') return percentText(value)
  if (unit === 'ms') return durationText(value)
  return unit === 'money' ? moneyText(value, currency) : numberText(value)
}

/** A limit that was computed has no more places than the value is worth. */
function limitText(value: number, facts: Measure): string {
  return valueText(facts.unit === 'count' ? Math.round(value) : value, facts)
}

/** The day, the hour, or the first day of the week. */
function timeText(startMs: number, { interval, timezone }: Pick<AlertFacts, 'interval' | 'timezone'>) {
  return timeTextOf(interval === 'hour' ? 'hour' : 'day', timezone)(new Date(startMs).toISOString())
}

const before: Readonly<Record<AlertInterval, string>> = { hour: 'on', day: 'on', week: 'in the week of' }
const when = (facts: AlertFacts) => `${before[facts.interval]} ${timeText(facts.startMs, facts)}`

/** Names are of members: a line break in one must not become a header of a mail. */
const inOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** All of it in one line. */
export function headline(facts: AlertFacts): string {
  const subject = `${facts.metric} of ${facts.siteName}`
  return inOneLine(`${subject} ${whatHappened(facts)}: ${valueText(facts.value, facts)} ${when(facts)}`)
}

function whatHappened(facts: AlertFacts): string {
  const { type, condition, value, expected } = facts
  if (condition.type === 'above' || condition.type === 'below') {
    const isAbove = condition.type === 'above'
    const limit = valueText(condition.value, facts)
    if (type === 'opened') return `${isAbove ? 'rose above' : 'fell below'} ${limit}`
    return `${isAbove ? 'no longer above' : 'no longer below'} ${limit}`
  }
  if (type === 'closed') return 'back to normal'
  const isMore = value > (expected ?? 0)
  if (condition.type === 'unusual') return `unusually ${isMore ? 'high' : 'low'}`
  const share = expected === null || expected === 0 ? 0 : Math.abs(value - expected) / Math.abs(expected)
  return `${isMore ? 'rose' : 'fell'} by ${percentText(share)}`
}

const like: Readonly<Record<AlertInterval, string>> = {
  hour: 'the same hour a week before',
  day: 'the same weekday a week before',
  week: 'the week before',
}

/** What the value was compared with. */
export function comparison(facts: AlertFacts): string {
  const { condition, expected, low, high, interval } = facts
  if (condition.type === 'above' || condition.type === 'below') {
    return `The alert opens ${condition.type} ${valueText(condition.value, facts)}.`
  }
  if (condition.type === 'changedBy') {
    const was = expected === null ? 'unknown' : valueText(expected, facts)
    const limit = `${numberText(condition.share * 100)}%`
    return `${like[interval]} it was ${was}; the alert opens at a change of more than ${limit}.`
  }
  const canBeNegative = facts.unit === 'money' || facts.unit === 'number'
  const least = canBeNegative ? (low ?? 0) : Math.max(0, low ?? 0)
  const times = { hour: 'the same hour of the', day: 'the same weekday of the', week: 'the' }[interval]
  return `Usual by ${times} weeks before: ${limitText(least, facts)} to ${limitText(high ?? 0, facts)}.`
}

/** The last intervals, the newest first. */
export function recentRows(facts: AlertFacts): string[][] {
  return facts.recent
    .toReversed()
    .map(({ startMs, value }) => [timeText(startMs, facts), valueText(value, facts)])
}
