import { type CompiledMapping, compileMapping, defaultRules, type MappingRule } from '@assay/contract'
import type { Sql } from '../store/control.ts'

/** The rules of a site, those of higher precedence first. Every site has the default ones. */
export async function mappingRules(
  _control: Sql,
  _workspaceId: string,
  _siteId: string,
): Promise<readonly MappingRule[]> {
  return defaultRules
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
