import {
  type AudienceCondition,
  type AudienceOperator,
  type AudienceRules,
  audienceConditionsMax,
  audienceDaysMax,
  type ConsentCategory,
  type ConsentChoice,
  consentCategories,
  type FieldError,
  Problem,
  type Refuse,
} from '@assay/contract'

type Scalar = string | number | boolean

/** A number of a person that conditions compare. */
export type Measure =
  | { kind: 'count'; of: 'events' | 'sessions' | 'pageviews' | 'orders' | 'revenue' }
  | { kind: 'eventCount'; event: string }
  | { kind: 'daysSince'; event: string }
  | { kind: 'daysSinceSeen' }
  | { kind: 'daysSinceFirstSeen' }

const attributes = ['country', 'region', 'city', 'device', 'source', 'channel', 'path'] as const
type Attribute = (typeof attributes)[number]

/** A condition that was found sound: what it asks of a person. */
export type Condition =
  | { kind: 'measure'; measure: Measure; op: AudienceOperator; value: number; windowDays: number }
  | {
      kind: 'attribute'
      attribute: Attribute
      op: AudienceOperator
      values: readonly string[]
      windowDays: number
    }
  | { kind: 'trait'; key: string; op: AudienceOperator; values: readonly Scalar[] }
  | { kind: 'consent'; category: ConsentCategory; choice: ConsentChoice }

export type Rule = { kind: 'all' | 'any'; of: readonly Rule[] } | Condition

const counts = ['events', 'sessions', 'pageviews', 'orders', 'revenue'] as const
const numberOperators: readonly AudienceOperator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte']
const presence: readonly AudienceOperator[] = ['exists', 'notExists']
const lists: readonly AudienceOperator[] = ['in', 'notIn']
const attributeOperators: readonly AudienceOperator[] = ['eq', 'neq', 'contains', ...lists, ...presence]

/** Says all that is wrong at once, each with the place. */
export function readRules(rules: AudienceRules): Rule {
  const errors: FieldError[] = []
  let conditions = 0
  const read = (node: AudienceRules | AudienceCondition, at: string): Rule => {
    const nested = groupOf(node)
    if (nested === null) {
      conditions++
      // boundary: what is no group is a condition, as the shape of the route says.
      return readCondition(node as AudienceCondition, at, (field, message) => errors.push({ field, message }))
    }
    return {
      kind: nested.kind,
      of: nested.items.map((item, index) => read(item, `${at}.${nested.kind}[${index}]`)),
    }
  }
  const rule = read(rules, 'rules')
  if (conditions > audienceConditionsMax) {
    errors.push({ field: 'rules', message: `may have ${audienceConditionsMax} conditions at most` })
  }
  if (errors.length > 0) {
    const [first] = errors
    throw new Problem('invalid-parameter', { detail: `${first?.field} ${first?.message}.`, errors })
  }
  return rule
}

type Node = AudienceRules | AudienceCondition

function groupOf(node: Node): { kind: 'all' | 'any'; items: readonly Node[] } | null {
  if ('all' in node) return { kind: 'all', items: node.all as readonly Node[] } // boundary: groups hold nodes.
  if ('any' in node) return { kind: 'any', items: node.any as readonly Node[] } // boundary: groups hold nodes.
  return null
}

function readCondition(node: AudienceCondition, at: string, refuse: Refuse): Condition {
  const [head = '', ...rest] = node.field.split('.')
  const tail = rest.join('.')
  const windowDays = readWindow(node, at, refuse)
  if (head === 'trait' && tail !== '') return readTrait(node, tail, at, refuse)
  if (head === 'consent') return readConsent(node, tail, at, refuse)
  const attribute = attributes.find((name) => name === node.field)
  if (attribute !== undefined) {
    requireOperator(node, attributeOperators, at, refuse)
    const values = valuesOf(node, at, refuse).map(String)
    return { kind: 'attribute', attribute, op: node.op, values, windowDays }
  }
  const measure = measureOf(node.field, head, tail)
  if (measure === null) refuse(`${at}.field`, 'is not a field that an audience can ask for')
  requireOperator(node, [...numberOperators, ...presence], at, refuse)
  const [value] = valuesOf(node, at, refuse)
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  if (!presence.includes(node.op) && !isNumber) refuse(`${at}.value`, 'must be a number')
  return {
    kind: 'measure',
    measure: measure ?? { kind: 'daysSinceSeen' },
    op: node.op,
    value: isNumber ? value : 0,
    windowDays,
  }
}

function measureOf(field: string, head: string, tail: string): Measure | null {
  const count = counts.find((name) => name === field)
  if (count !== undefined) return { kind: 'count', of: count }
  if (field === 'daysSinceSeen' || field === 'daysSinceFirstSeen') return { kind: field }
  if (tail === '') return null
  if (head === 'event') return { kind: 'eventCount', event: tail }
  return head === 'daysSince' ? { kind: 'daysSince', event: tail } : null
}

function readTrait(node: AudienceCondition, key: string, at: string, refuse: Refuse): Condition {
  if (node.window !== undefined) refuse(`${at}.window`, 'is of no use here: a trait holds until it changes')
  return { kind: 'trait', key, op: node.op, values: valuesOf(node, at, refuse) }
}

function readConsent(node: AudienceCondition, name: string, at: string, refuse: Refuse): Condition {
  const category = consentCategories.find((one) => one === name)
  if (category === undefined) refuse(`${at}.field`, `must name one of ${consentCategories.join(', ')}`)
  if (node.window !== undefined) refuse(`${at}.window`, 'is of no use here: consent is as it is now')
  requireOperator(node, ['eq', 'neq'], at, refuse)
  const { value } = node
  if (value !== 'granted' && value !== 'denied') refuse(`${at}.value`, 'must be granted or denied')
  const isGranted = (value === 'granted') === (node.op === 'eq')
  return {
    kind: 'consent',
    category: category ?? 'analytics_storage',
    choice: isGranted ? 'granted' : 'denied',
  }
}

function requireOperator(
  node: AudienceCondition,
  allowed: readonly AudienceOperator[],
  at: string,
  refuse: Refuse,
): void {
  if (!allowed.includes(node.op)) refuse(`${at}.op`, `must be one of ${allowed.join(', ')} for ${node.field}`)
}

function valuesOf(node: AudienceCondition, at: string, refuse: Refuse): readonly Scalar[] {
  if (presence.includes(node.op)) return []
  const { value } = node
  if (value === undefined) {
    refuse(`${at}.value`, 'is missing')
    return []
  }
  if (Array.isArray(value) !== lists.includes(node.op)) {
    refuse(`${at}.value`, lists.includes(node.op) ? 'must be a list' : 'must be one value')
  }
  return Array.isArray(value) ? value : [value]
}

function readWindow(node: AudienceCondition, at: string, refuse: Refuse): number {
  const days = node.window === undefined ? audienceDaysMax : Number.parseInt(node.window, 10)
  if (days > audienceDaysMax) refuse(`${at}.window`, `may be ${audienceDaysMax}d at most`)
  return days
}
