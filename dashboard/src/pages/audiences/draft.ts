import {
  type AudienceCondition,
  type AudienceOperator,
  type AudienceRules,
  audienceOperators,
  consentCategories,
} from '@assay/contract'

/** What conditions can be about; those that end in a dot need a name. */
export const fieldKinds = [
  'event.',
  'daysSince.',
  'events',
  'sessions',
  'pageviews',
  'orders',
  'revenue',
  'daysSinceSeen',
  'daysSinceFirstSeen',
  'country',
  'region',
  'city',
  'device',
  'source',
  'channel',
  'path',
  'trait.',
  'consent.',
] as const
type FieldKind = (typeof fieldKinds)[number]

export type DraftCondition = {
  id: number
  field: FieldKind
  name: string
  op: AudienceOperator
  value: string
  /** Empty: as far back as it goes. */
  days: string
}
export type DraftGroup = { id: number; join: 'all' | 'any'; items: readonly DraftNode[] }
export type DraftNode = DraftCondition | DraftGroup

export const isGroup = (node: DraftNode): node is DraftGroup => 'join' in node

/** Groups of groups of groups: the contract allows no more. */
export const depthMax = 3

/** Identifies lines while they are edited. */
let lastId = 0
const nextId = () => ++lastId

const attributes: readonly FieldKind[] = ['country', 'region', 'city', 'device', 'source', 'channel', 'path']
const presence: readonly AudienceOperator[] = ['exists', 'notExists']
const lists: readonly AudienceOperator[] = ['in', 'notIn']
const orders: readonly AudienceOperator[] = ['gt', 'gte', 'lt', 'lte']

export function operatorsOf(field: FieldKind): readonly AudienceOperator[] {
  if (field === 'consent.') return ['eq', 'neq']
  if (field === 'trait.') return audienceOperators
  if (attributes.includes(field)) return ['eq', 'neq', 'in', 'notIn', 'contains', 'exists', 'notExists']
  return ['gte', 'gt', 'lte', 'lt', 'eq', 'neq', 'exists', 'notExists']
}

export const needsName = (field: FieldKind) => field.endsWith('.')
export const needsValue = (op: AudienceOperator) => !presence.includes(op)
export const takesList = (op: AudienceOperator) => lists.includes(op)
export const takesDays = (field: FieldKind) => field !== 'trait.' && field !== 'consent.'
export const isNumeric = (field: FieldKind) => takesDays(field) && !attributes.includes(field)

export function newCondition(): DraftCondition {
  return { id: nextId(), field: 'event.', name: '$purchase', op: 'gte', value: '1', days: '' }
}

export function newGroup(join: DraftGroup['join']): DraftGroup {
  return { id: nextId(), join, items: [newCondition()] }
}

/** Another field keeps of a condition what still fits. */
export function withField(condition: DraftCondition, field: FieldKind): DraftCondition {
  const operators = operatorsOf(field)
  const op = operators.includes(condition.op) ? condition.op : (operators[0] ?? 'eq')
  const name = field === 'consent.' ? consentCategories[0] : ''
  const value = field === 'consent.' ? 'granted' : condition.value
  return {
    ...condition,
    field,
    op,
    value,
    name: needsName(field) ? name : '',
    days: takesDays(field) ? condition.days : '',
  }
}

export function draftOf(rules: AudienceRules): DraftGroup {
  // boundary: what is a group has either of the two, and holds nodes; the server says so.
  const { all, any } = rules as { all?: unknown[]; any?: unknown[] }
  const items = (all ?? any ?? []).map((node) => draftNode(node as AudienceRules | AudienceCondition))
  return { id: nextId(), join: all === undefined ? 'any' : 'all', items }
}

function draftNode(node: AudienceRules | AudienceCondition): DraftNode {
  if (!('field' in node)) return draftOf(node)
  const kinds = fieldKinds.filter(needsName)
  const named = kinds.find((kind) => node.field.startsWith(kind))
  const field = named ?? fieldKinds.find((kind) => kind === node.field) ?? 'events'
  const { value = '' } = node
  return {
    id: nextId(),
    field,
    name: named === undefined ? '' : node.field.slice(named.length),
    op: node.op,
    value: Array.isArray(value) ? writeList(value.map(String)) : String(value),
    days: node.window?.replace('d', '') ?? '',
  }
}

export function rulesOf(group: DraftGroup): AudienceRules {
  const items = group.items.map((node) => (isGroup(node) ? rulesOf(node) : conditionOf(node)))
  // boundary: the editor offers no deeper nesting than the contract has; the server checks it.
  return (group.join === 'all' ? { all: items } : { any: items }) as AudienceRules
}

function conditionOf({ field, name, op, value, days }: DraftCondition): AudienceCondition {
  const asNumber = isNumeric(field) || (field === 'trait.' && orders.includes(op))
  const one = (typed: string) =>
    asNumber && typed !== '' && !Number.isNaN(Number(typed)) ? Number(typed) : typed
  return {
    field: needsName(field) ? `${field}${name.trim()}` : field,
    op,
    ...(needsValue(op) && { value: takesList(op) ? readList(value) : one(value) }),
    ...(days.trim() !== '' && { window: `${days.trim()}d` }),
  }
}

/** Separated by commas, unless commas are in the values: then as JSON. */
function writeList(values: readonly string[]): string {
  const isPlain = values.every((value) => /^[^,[\s](?:[^,]*[^,\s])?$/.test(value))
  return isPlain ? values.join(', ') : JSON.stringify(values)
}

function readList(typed: string): string[] {
  try {
    const parsed: unknown = JSON.parse(typed)
    if (Array.isArray(parsed)) return parsed.map(String)
  } catch {
    // No JSON: values with commas between them.
  }
  return typed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The tree with one node changed, or without it where it becomes null. */
export function withNode(
  group: DraftGroup,
  id: number,
  change: (node: DraftNode) => DraftNode | null,
): DraftGroup {
  const items = group.items.flatMap((node) => {
    const next = node.id === id ? change(node) : isGroup(node) ? withNode(node, id, change) : node
    return next === null ? [] : [next]
  })
  return { ...group, items }
}
