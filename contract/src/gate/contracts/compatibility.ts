import type { EventContract, Outcome, PropertyRule } from '../../registry/event-contract.ts'
import type { Severities } from '../issues.ts'
import { issueRules, severityRanks } from '../issues.ts'

export type Break = { path: string; what: string }
export type Compatibility = { compatible: boolean; breaks: readonly Break[] }

type Rules = Readonly<Record<string, PropertyRule>>
type Comparison = { breaks: Break[]; additional: Outcome }

/**
 * Whether the newer version accepts every event that the older one accepted, with the same values. Two
 * visible changes are allowed: a deprecation, whose warning is its purpose, and a new optional property, even
 * if another type was sent undeclared under that name.
 */
export function isCompatibleChange(older: EventContract, newer: EventContract): Compatibility {
  const breaks: Break[] = []
  if (older.key !== newer.key)
    breaks.push({ path: 'key', what: `key changed from ${older.key} to ${newer.key}` })
  if (older.name !== newer.name)
    breaks.push({ path: 'name', what: `name changed from ${older.name} to ${newer.name}` })
  if (older.purpose !== newer.purpose) {
    breaks.push({ path: 'purpose', what: `purpose changed from ${older.purpose} to ${newer.purpose}` })
  }
  const [before, after] = [additionalOf(older), additionalOf(newer)]
  if (severityRanks[after] > severityRanks[before]) {
    breaks.push({ path: 'additional', what: `additional tightened from ${before} to ${after}` })
  }
  compareSeverities(older.severities, newer.severities, breaks)
  compareMembers(older.properties, newer.properties, 'properties.', { breaks, additional: after })
  return { compatible: breaks.length === 0, breaks }
}

/** A contract has two places for what an undeclared property leads to; the severity takes precedence. */
function additionalOf(contract: EventContract): Outcome {
  return contract.severities?.unexpected_property ?? contract.additional
}

function compareSeverities(older: Severities = {}, newer: Severities = {}, breaks: Break[]): void {
  for (const [code, rule] of Object.entries(issueRules)) {
    const before = older[code] ?? rule.severity
    const after = newer[code] ?? rule.severity
    if (code !== 'unexpected_property' && severityRanks[after] > severityRanks[before]) {
      breaks.push({ path: `severities.${code}`, what: `severity raised from ${before} to ${after}` })
    }
  }
}

function compareMembers(older: Rules, newer: Rules, prefix: string, comparison: Comparison): void {
  for (const [name, rule] of Object.entries(older)) {
    const path = `${prefix}${name}`
    const next = Object.hasOwn(newer, name) ? newer[name] : undefined
    if (next === undefined) compareRemoved(rule, path, comparison)
    else compareRule(rule, next, path, comparison)
  }
  for (const [name, rule] of Object.entries(newer)) {
    if (rule.required === true && !Object.hasOwn(older, name)) {
      comparison.breaks.push({ path: `${prefix}${name}`, what: 'a required property was added' })
    }
  }
}

function compareRemoved(rule: PropertyRule, path: string, { breaks, additional }: Comparison): void {
  if (additional !== 'accept')
    breaks.push({ path, what: `property was removed, and additional is ${additional}` })
  // An undeclared property falls under the default policy for personal data.
  else if (allowsPersonalData(rule))
    breaks.push({ path, what: 'property that allows personal data was removed' })
}

function allowsPersonalData(rule: PropertyRule): boolean {
  const nested = Object.values(rule.properties ?? {})
  return (
    rule.pii === 'allow' ||
    nested.some(allowsPersonalData) ||
    (rule.items !== undefined && allowsPersonalData(rule.items))
  )
}

function compareRule(older: PropertyRule, newer: PropertyRule, path: string, comparison: Comparison): void {
  const { breaks } = comparison
  if (older.type !== newer.type) {
    breaks.push({ path, what: `type changed from ${older.type} to ${newer.type}` })
    return
  }
  if (newer.required === true && older.required !== true)
    breaks.push({ path, what: 'property became required' })
  compareEnum(older, newer, path, breaks)
  compareLimits(older, newer, path, breaks)
  if (newer.pattern !== undefined && newer.pattern !== older.pattern) {
    breaks.push({ path, what: older.pattern === undefined ? 'a pattern was added' : 'the pattern changed' })
  }
  if (newer.format !== undefined && newer.format !== older.format)
    breaks.push({ path, what: 'a format was added' })
  if (older.pii !== newer.pii && older.pii !== 'deny' && newer.pii !== 'allow') {
    breaks.push({
      path,
      what: `personal data was forbidden: ${older.pii ?? 'default'} became ${newer.pii ?? 'default'}`,
    })
  }
  compareNested(older, newer, path, comparison)
}

function compareEnum(older: PropertyRule, newer: PropertyRule, path: string, breaks: Break[]): void {
  if (newer.enum === undefined) return
  if (older.enum === undefined) {
    breaks.push({ path, what: 'a list of allowed values was added' })
    return
  }
  const kept = new Set(newer.enum)
  const lost = older.enum.filter((value) => !kept.has(value))
  if (lost.length > 0) breaks.push({ path, what: `values are no longer allowed: ${lost.join(', ')}` })
}

function compareLimits(older: PropertyRule, newer: PropertyRule, path: string, breaks: Break[]): void {
  if (newer.minimum !== undefined && newer.minimum > (older.minimum ?? Number.NEGATIVE_INFINITY)) {
    breaks.push({ path, what: `minimum raised to ${newer.minimum}` })
  }
  if (newer.maximum !== undefined && newer.maximum < (older.maximum ?? Number.POSITIVE_INFINITY)) {
    breaks.push({ path, what: `maximum lowered to ${newer.maximum}` })
  }
}

function compareNested(older: PropertyRule, newer: PropertyRule, path: string, comparison: Comparison): void {
  const { breaks, additional } = comparison
  if (newer.items !== undefined) {
    if (older.items === undefined)
      breaks.push({ path: `${path}[]`, what: 'a shape of the elements was added' })
    else compareRule(older.items, newer.items, `${path}[]`, comparison)
  } else if (older.items !== undefined && allowsPersonalData(older.items)) {
    breaks.push({ path: `${path}[]`, what: 'elements that allow personal data lost their shape' })
  }
  if (newer.properties !== undefined && older.properties === undefined && additional !== 'accept') {
    breaks.push({ path, what: `members were listed, and additional is ${additional}` })
    return
  }
  if (newer.properties !== undefined)
    compareMembers(older.properties ?? {}, newer.properties, `${path}.`, comparison)
  else if (Object.values(older.properties ?? {}).some(allowsPersonalData)) {
    breaks.push({ path, what: 'members that allow personal data are no longer listed' })
  }
}
