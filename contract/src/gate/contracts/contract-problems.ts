import { standardByKey, standardByName } from '../../registry/catalog.ts'
import type { EventContract, PropertyRule, PropertyType } from '../../registry/event-contract.ts'
import { depthMax, propertiesMax } from '../envelope/size.ts'
import { isSnakeCase } from '../names/names.ts'
import { compilePattern } from '../patterns/pattern.ts'
import { hasType } from './coerce.ts'

/** A reason why a contract cannot be registered. */
type ContractProblem = { path: string; message: string }

/** A larger set of values is a reference table, not an enum. */
const enumValuesMax = 1000

/** All reasons why a contract cannot be registered; none means that it compiles as written. */
export function contractProblems(contract: EventContract): ContractProblem[] {
  const problems: ContractProblem[] = []
  checkName(contract, problems)
  if (!/^\d{1,6}-\d{1,6}-\d{1,6}$/.test(contract.version)) {
    problems.push({ path: 'version', message: 'Write the version as major-minor-patch, such as 1-0-0.' })
  }
  checkProperties(contract.properties, 'properties', 1, problems)
  return problems
}

function checkName({ key, name }: EventContract, problems: ContractProblem[]): void {
  if (!isSnakeCase(key))
    problems.push({ path: 'key', message: 'Use lowercase letters, digits and underscores.' })
  const isStandard = standardByName.get(name)?.key === key
  if (name.startsWith('$') && !isStandard) {
    problems.push({ path: 'name', message: 'Drop the $: it is kept for the 18 standard events.' })
  } else if (!isStandard && standardByKey.has(key)) {
    problems.push({ path: 'key', message: `Choose another key: ${key} is the standard event $${key}.` })
  } else if (!isStandard && name !== key) {
    problems.push({ path: 'name', message: 'Give a custom event the same name as its key.' })
  }
}

function checkProperties(
  properties: Readonly<Record<string, PropertyRule>>,
  path: string,
  depth: number,
  problems: ContractProblem[],
): void {
  const entries = Object.entries(properties)
  if (entries.length > propertiesMax) {
    problems.push({ path, message: `Name at most ${propertiesMax} properties: an event cannot carry more.` })
  }
  for (const [name, rule] of entries) checkProperty(rule, `${path}.${name}`, depth, problems)
}

function checkProperty(rule: PropertyRule, path: string, depth: number, problems: ContractProblem[]): void {
  if (depth > depthMax) {
    problems.push({ path, message: `Nest at most ${depthMax} levels: an event cannot be deeper.` })
    return
  }
  needsType(rule, path, 'pattern', 'string', problems)
  needsType(rule, path, 'format', 'string', problems)
  needsType(rule, path, 'minimum', 'number', problems)
  needsType(rule, path, 'maximum', 'number', problems)
  needsType(rule, path, 'items', 'array', problems)
  needsType(rule, path, 'properties', 'object', problems)
  checkEnum(rule, path, problems)
  if (rule.minimum !== undefined && rule.maximum !== undefined && rule.minimum > rule.maximum) {
    problems.push({ path, message: 'Let minimum be at most maximum: no number fits.' })
  }
  const compiled = rule.pattern === undefined ? undefined : compilePattern(rule.pattern)
  if (compiled?.ok === false) problems.push({ path, message: `Rewrite the pattern: ${compiled.problem}.` })
  if (rule.items !== undefined) checkProperty(rule.items, `${path}[]`, depth + 1, problems)
  if (rule.properties !== undefined) checkProperties(rule.properties, path, depth + 1, problems)
}

function needsType(
  rule: PropertyRule,
  path: string,
  member: 'pattern' | 'format' | 'minimum' | 'maximum' | 'items' | 'properties',
  type: PropertyType,
  problems: ContractProblem[],
): void {
  if (rule[member] === undefined || rule.type === type) return
  problems.push({ path, message: `Drop ${member}, which belongs to a ${type}, or make this one a ${type}.` })
}

function checkEnum(rule: PropertyRule, path: string, problems: ContractProblem[]): void {
  if (rule.enum === undefined) return
  if (rule.enum.length === 0 || rule.enum.length > enumValuesMax) {
    problems.push({ path, message: `List between 1 and ${enumValuesMax} values in enum.` })
  }
  const alien = rule.enum.find((value) => !hasType(value, rule.type))
  if (alien !== undefined)
    problems.push({ path, message: `Drop ${String(alien)} from enum: it is no ${rule.type}.` })
}
