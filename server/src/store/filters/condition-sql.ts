import type { Condition } from '@assay/contract'
import type { Binder } from './binder.ts'
import { comparisonSql } from './comparison-sql.ts'
import { columnSql, inside, propertySql } from './dimension-sql.ts'

export type Did = Extract<Condition, { kind: 'did' }>
export type VisitPage = 'entryPage' | 'exitPage'

/** What a condition on one event needs of the read around it. */
export type ConditionWorld = {
  binder: Binder
  /** Whether the person of an event did something. */
  did: (did: Did) => string
  /** Whether the person of an event is in one of these audiences. */
  inAudience: (audiences: readonly string[]) => string
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

function comparedSql(
  { op, values, dimension }: Extract<Condition, { kind: 'compare' }>,
  { binder, ofVisit }: ConditionWorld,
): string {
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
  return everyLeaf(condition, ({ kind }) => kind === 'did' || kind === 'inAudience')
}

/** Whether some part of it asks about people. */
export function asksPeople(condition: Condition): boolean {
  return !everyLeaf(condition, ({ kind }) => kind !== 'did' && kind !== 'inAudience')
}

function everyLeaf(condition: Condition, fits: (leaf: Condition) => boolean): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') {
    return condition.of.every((part) => everyLeaf(part, fits))
  }
  return condition.kind === 'not' ? everyLeaf(condition.of, fits) : fits(condition)
}

/** All ids of audiences that conditions name, each once. */
export function audiencesIn(conditions: readonly Condition[]): string[] {
  return idsIn(conditions, (leaf) => (leaf.kind === 'inAudience' ? leaf.audiences : []))
}

/** The same of goals, also of those within conditions on what people did. */
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
