import type { Findings } from '../issues.ts'
import { report } from '../issues.ts'
import type { Properties } from '../raw-event.ts'
import { setOwn } from '../raw-event.ts'
import { toSnakeCase } from './names.ts'

export const ruleOrigins = ['custom', 'seed', 'kin', 'ga4', 'segment', 'mixpanel', 'amplitude'] as const
export type RuleOrigin = (typeof ruleOrigins)[number]

/** Turns a customer's event name into a standard one. Every origin but `custom` is a default rule. */
export type MappingRule = {
  id: string
  source: string
  target: string
  /** Source property → canonical property, tried in this order. */
  propertyMap?: Readonly<Record<string, string>>
  origin: RuleOrigin
  isEnabled?: boolean
}

export type CompiledRule = {
  rule: MappingRule
  moves: readonly { from: string; to: string }[]
}

/**
 * Rules by normalised source name. Custom and default rules are separate because a registered contract ranks
 * between them.
 */
export type CompiledMapping = {
  custom: ReadonlyMap<string, CompiledRule>
  standard: ReadonlyMap<string, CompiledRule>
}

/** Of two rules with the same source the first wins. */
export function compileMapping(rules: readonly MappingRule[]): CompiledMapping {
  const custom = new Map<string, CompiledRule>()
  const standard = new Map<string, CompiledRule>()
  for (const rule of rules) {
    if (rule.isEnabled === false) continue
    const bySource = rule.origin === 'custom' ? custom : standard
    const source = toSnakeCase(rule.source)
    if (bySource.has(source)) continue
    const moves = Object.entries(rule.propertyMap ?? {}).map(([from, to]) => ({ from, to }))
    bySource.set(source, { rule, moves: moves.filter((move) => move.from !== move.to) })
  }
  return { custom, standard }
}

/**
 * Renames properties once: a moved value is never moved again. A canonical property that was sent wins over
 * one that would be moved onto it, and so does the first of two moves to the same name; the other keeps its
 * own name.
 */
export function moveProperties(rule: CompiledRule, sent: Properties, findings: Findings): Properties {
  let moved: Record<string, unknown> | undefined
  for (const { from, to } of rule.moves) {
    if (!isGiven(sent, from)) continue
    if (isGiven(sent, to)) {
      report(findings, {
        code: 'mapping_conflict',
        field: from,
        message: `Send either ${from} or ${to}: rule ${rule.rule.id} maps the one to the other, and ${to} was kept.`,
        expected: to,
        actual: from,
      })
      continue
    }
    moved ??= { ...sent }
    if (isGiven(moved, to)) continue
    setOwn(moved, to, sent[from])
    delete moved[from]
  }
  return moved ?? sent
}

function isGiven(properties: Properties, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name] !== undefined && properties[name] !== null
}
