import type { Condition, FilterDimension, OperatorName } from '@assay/contract'
import type { Binder } from './binder.ts'
import { type Compared, comparisonSql } from './comparison-sql.ts'
import { columnSql, inside, propertySql } from './dimension-sql.ts'
import type { VisitPage } from './visit-value.ts'

export type Did = Extract<Condition, { kind: 'did' }>
/** A dimension of people. */
export type PersonDimension = Extract<FilterDimension, { of: 'person' }>

/** What a condition on one event needs of the read around it. */
export type ConditionWorld = {
  binder: Binder
  /** Whether the person of an event did something. */
  did: (did: Did) => string
  /** Whether the person of an event is in one of these audiences. */
  inAudience: (audiences: readonly string[]) => string
  /** Whether something that is known of the person of an event fits: the value of a trait, or one of the audiences. */
  ofPerson: (dimension: PersonDimension, fits: (value: Compared) => string) => string
  /** What an event has to fit to reach a goal. */
  goal: (id: string) => readonly Condition[]
  /** Whether the first or last page of the visit of an event fits. */
  ofVisit: (page: VisitPage, fits: (path: string) => string) => string
}

/** A condition on rows of events. It is never NULL, so that negations are plain ones. */
export function conditionSql(condition: Condition, world: ConditionWorld): string {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.of.map((part) => conditionSql(part, world))
      return `(${parts.join(condition.kind === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return `NOT (${conditionSql(condition.of, world)})`
    case 'did':
      return world.did(condition)
    case 'inAudience':
      return world.inAudience(condition.audiences)
    case 'reached':
      return anyOf(condition.goals.map((id) => allOf(world.goal(id), world)))
    case 'compare':
      return comparedSql(condition, world)
  }
}

const anyOf = (parts: readonly string[]) => `(${parts.join(' OR ') || '0'})`

/** Whether an event fits all of them. */
export function allOf(conditions: readonly Condition[], world: ConditionWorld): string {
  return `(${conditions.map((one) => conditionSql(one, world)).join(' AND ') || '0'})`
}

const opposites: Readonly<Partial<Record<OperatorName, OperatorName>>> = {
  isNot: 'is',
  notContains: 'contains',
  isNotSet: 'isSet',
}

/** Only who has a value is listed, so that negations are asked the other way round. */
function ofPersonSql(
  { op, values }: Extract<Condition, { kind: 'compare' }>,
  dimension: PersonDimension,
  { binder, ofPerson }: ConditionWorld,
): string {
  const opposite = opposites[op]
  const fits = ofPerson(dimension, (value) => comparisonSql(opposite ?? op, values, value, binder))
  return opposite === undefined ? fits : `NOT (${fits})`
}

function comparedSql(condition: Extract<Condition, { kind: 'compare' }>, world: ConditionWorld): string {
  const { op, values, dimension } = condition
  const { binder, ofVisit } = world
  if (dimension.of === 'person') return ofPersonSql(condition, dimension, world)
  if (dimension.kind === 'property') {
    const { fits } = propertySql(dimension.property, binder)
    return fits(comparisonSql(op, values, { ...inside, type: 'any' }, binder))
  }
  const { name, type } = dimension
  if (name === 'entryPage' || name === 'exitPage') {
    return ofVisit(name, (text) => comparisonSql(op, values, { text, type }, binder))
  }
  return comparisonSql(op, values, { text: columnSql(name), type }, binder)
}

/** Whether it asks about people and nothing else. */
export function isOfPeople(condition: Condition): boolean {
  return everyLeaf(condition, isPersonal)
}

/** Whether some part of it asks about people. */
export function asksPeople(condition: Condition): boolean {
  return !everyLeaf(condition, (leaf) => !isPersonal(leaf))
}

function isPersonal(leaf: Condition): boolean {
  if (leaf.kind === 'compare') return leaf.dimension.of === 'person'
  return leaf.kind === 'did' || leaf.kind === 'inAudience'
}

/** Whether all that it consists of fits. */
export function everyLeaf(condition: Condition, fits: (leaf: Condition) => boolean): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') {
    return condition.of.every((part) => everyLeaf(part, fits))
  }
  return condition.kind === 'not' ? everyLeaf(condition.of, fits) : fits(condition)
}

/** All ids of audiences that conditions name, each once. */
export function audiencesIn(conditions: readonly Condition[]): string[] {
  return idsIn(conditions, (leaf) => (leaf.kind === 'inAudience' ? leaf.audiences : []))
}

/** All dimensions of people that conditions name. */
export function personDimensionsIn(conditions: readonly Condition[]): PersonDimension[] {
  const found: PersonDimension[] = []
  const isSeen = (leaf: Condition) => {
    if (leaf.kind === 'compare' && leaf.dimension.of === 'person') found.push(leaf.dimension)
    return true
  }
  for (const condition of conditions) everyLeaf(condition, isSeen)
  return found
}

/** All ids of goals, also of those within conditions on what people did. */
export function goalsIn(conditions: readonly Condition[]): string[] {
  return idsIn(conditions, (leaf) => {
    if (leaf.kind === 'did') return goalsIn(leaf.where)
    return leaf.kind === 'reached' ? leaf.goals : []
  })
}

function idsIn(conditions: readonly Condition[], idsOf: (leaf: Condition) => readonly string[]): string[] {
  const found = new Set<string>()
  const isSeen = (leaf: Condition) => {
    for (const id of idsOf(leaf)) found.add(id)
    return true
  }
  for (const condition of conditions) everyLeaf(condition, isSeen)
  return [...found]
}
