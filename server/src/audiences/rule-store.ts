import type { AudienceOperator, ConsentChoice, ConsentRegime } from '@assay/contract'
import { presumedConsent } from '../consent/presumed-consent.ts'
import type { QueryParams } from '../store/events.ts'
import { type Money, moneySql } from '../store/money.ts'
import type { Condition, Measure, Rule } from './rules.ts'

/** People found in the control store and copied to the events store. */
export type ControlSet =
  | Extract<Condition, { kind: 'trait' }>
  | { kind: 'consent'; category: Extract<Condition, { kind: 'consent' }>['category']; choice: ConsentChoice }

/** A rule as a condition on all events of one person together, and the sets of people that it refers to. */
type Compiled = { having: string; params: QueryParams; sets: readonly ControlSet[] }

const comparisons: Readonly<Partial<Record<AudienceOperator, string>>> = {
  eq: '=',
  neq: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

/**
 * Values travel as parameters, and what stands in the text comes from lists of ours. `{nowMs}` and, for each set,
 * `{set<n>}` are the caller's to give.
 */
export function compileRule(
  rule: Rule,
  regime: ConsentRegime | null,
  money: Money,
  since: WindowStart,
): Compiled {
  const params: Record<string, unknown> = {}
  const sets: ControlSet[] = []
  const bind = (type: string, value: unknown): string => {
    const name = `rule${Object.keys(params).length}`
    params[name] = value
    return `{${name}:${type}}`
  }
  const compile = (node: Rule): string => {
    switch (node.kind) {
      case 'all':
      case 'any':
        return `(${node.of.map(compile).join(node.kind === 'all' ? ' AND ' : ' OR ')})`
      case 'measure':
        return measureSql(node, bind, money, since)
      case 'attribute':
        return attributeSql(node, bind, since)
      case 'trait': {
        const { op, isNegated } = positiveOf(node.op)
        return `${isNegated ? 'NOT ' : ''}${inSet(sets.push({ ...node, op }) - 1)}`
      }
      case 'consent': {
        // Most people said nothing, so the set is of those for whom something else holds than is presumed.
        const isPresumed = presumedConsent(regime, node.category) === node.choice
        const choice = presumedConsent(regime, node.category) === 'granted' ? 'denied' : 'granted'
        return `${isPresumed ? 'NOT ' : ''}${inSet(sets.push({ ...node, choice }) - 1)}`
      }
    }
  }
  return { having: compile(rule), params: { ...params, ...moneySql(money).params }, sets }
}

type Bind = (type: string, value: unknown) => string

/** Who has no such trait fits what is negated, so the set is of those who do not fit. */
function positiveOf(op: AudienceOperator): { op: AudienceOperator; isNegated: boolean } {
  if (op === 'neq') return { op: 'eq', isNegated: true }
  if (op === 'notIn') return { op: 'in', isNegated: true }
  return op === 'notExists' ? { op: 'exists', isNegated: true } : { op, isNegated: false }
}

function inSet(index: number): string {
  return `person_key IN (
        SELECT person_key FROM audience_sets WHERE set_id = {set${index}:String})`
}

/** When a window of so many days began, in milliseconds: of the calendar, as reads have it. */
type WindowStart = (days: number) => number

function within(days: number, since: WindowStart): string {
  return `ts >= fromUnixTimestamp64Milli(toInt64(${since(days)}))`
}

const nobody = "cityHash64('')"

function measureSql(
  node: Extract<Condition, { kind: 'measure' }>,
  bind: Bind,
  money: Money,
  since: WindowStart,
): string {
  const value = numberOf(node.measure, within(node.windowDays, since), bind, money)
  if (node.op === 'exists') return `${value.known}`
  if (node.op === 'notExists') return `NOT ${value.known}`
  const compared = `${value.number} ${comparisons[node.op]} ${bind('Float64', node.value)}`
  // Days since something that never was are no number that could be compared.
  return value.isAlwaysKnown ? `(${compared})` : `(${value.known} AND ${compared})`
}

type Value = { number: string; known: string; isAlwaysKnown: boolean }

function numberOf(measure: Measure, inWindow: string, bind: Bind, money: Money): Value {
  const count = (number: string): Value => ({ number, known: `(${number} > 0)`, isAlwaysKnown: true })
  const days = (time: string, known: string): Value => ({
    number: `(({nowMs:Int64} - toUnixTimestamp64Milli(${time})) / 86400000)`,
    known,
    isAlwaysKnown: false,
  })
  switch (measure.kind) {
    case 'count':
      return count(countSql(measure.of, inWindow, money))
    case 'eventCount':
      return count(`countIf(name = ${bind('String', measure.event)} AND ${inWindow})`)
    case 'daysSince': {
      const isIt = `name = ${bind('String', measure.event)} AND ${inWindow}`
      return days(`maxIf(ts, ${isIt})`, `(countIf(${isIt}) > 0)`)
    }
    case 'daysSinceSeen':
      return days(`maxIf(ts, ${inWindow})`, `(countIf(${inWindow}) > 0)`)
    case 'daysSinceFirstSeen':
      return days(`minIf(ts, ${inWindow})`, `(countIf(${inWindow}) > 0)`)
  }
}

function countSql(of: Extract<Measure, { kind: 'count' }>['of'], inWindow: string, money: Money): string {
  const { amount, isKnown } = moneySql(money)
  switch (of) {
    case 'events':
      return `countIf(${inWindow})`
    case 'sessions':
      return `uniqExactIf(session_key, session_key != ${nobody} AND ${inWindow})`
    case 'pageviews':
      return `countIf(name = '$pageview' AND ${inWindow})`
    case 'orders':
      return `countIf(name = '$purchase' AND ${inWindow})`
    case 'revenue':
      return `toFloat64(sumIf(if(name = '$refund', -${amount}, ${amount}),
        name IN ('$purchase', '$subscribe', '$refund') AND amount IS NOT NULL AND ${isKnown}
        AND ${inWindow}))`
  }
}

/** A person who was once seen in Turkey is from Turkey; a person who is not from there never was. */
function attributeSql(
  node: Extract<Condition, { kind: 'attribute' }>,
  bind: Bind,
  since: WindowStart,
): string {
  const { attribute, op, values } = node
  const inWindow = within(node.windowDays, since)
  const has = (test: string) => `(countIf(${test} AND ${inWindow}) > 0)`
  const list = () => `${attribute} IN ${bind('Array(String)', values)}`
  switch (op) {
    case 'exists':
      return has(`${attribute} != ''`)
    case 'notExists':
      return `NOT ${has(`${attribute} != ''`)}`
    case 'contains':
      return has(`positionCaseInsensitiveUTF8(${attribute}, ${bind('String', values[0] ?? '')}) > 0`)
    case 'neq':
    case 'notIn':
      return `NOT ${has(list())}`
    default:
      return has(list())
  }
}
