import { type CompiledMapping, compileMapping, defaultRules, type MappingRule } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { type MappingRow, selectMappings } from './store.ts'

/** The rules of a site as the gate takes them, those of higher precedence first. Every site has the default ones. */
export async function mappingRules(
  control: Sql,
  workspaceId: string,
  siteId: string,
): Promise<readonly MappingRule[]> {
  const rows = await selectMappings(control, workspaceId, siteId)
  if (rows.length === 0) return defaultRules
  const changes = new Map(rows.filter((row) => row.is_default).map((row) => [row.id, row]))
  return [
    ...rows.filter((row) => !row.is_default).map((row) => ruleOf(row, 'custom')),
    ...defaultRules.map((rule) => changed(rule, changes.get(rule.id))),
  ]
}

/** What a customer wrote ranks as theirs; a default rule that was only switched on or off stays one. */
function changed(rule: MappingRule, change: MappingRow | undefined): MappingRule {
  return change === undefined ? rule : ruleOf(change, isEdited(rule, change) ? 'custom' : rule.origin)
}

export function isEdited(rule: MappingRule, change: Pick<MappingRow, 'target' | 'property_map'>): boolean {
  const before = JSON.stringify(Object.entries(rule.propertyMap ?? {}))
  return rule.target !== change.target || before !== JSON.stringify(Object.entries(change.property_map))
}

function ruleOf(row: MappingRow, origin: MappingRule['origin']): MappingRule {
  return {
    id: row.id,
    source: row.source,
    target: row.target,
    propertyMap: row.property_map,
    origin,
    isEnabled: row.is_enabled,
  }
}

const compiledByList = new WeakMap<readonly MappingRule[], CompiledMapping>()

/** Sites that share a list, as those with the default rules do, share what it compiles to. */
export function compiledRules(rules: readonly MappingRule[]): CompiledMapping {
  const known = compiledByList.get(rules)
  if (known !== undefined) return known
  const compiled = compileMapping(rules)
  compiledByList.set(rules, compiled)
  return compiled
}
