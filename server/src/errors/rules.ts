import { type ErrorRule, type ErrorRulePreview, errorRulesMax, Problem } from '@assay/contract'
import type { Platform } from '../platform/platform.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { ErrorReading } from './errors.ts'
import { type Group, groupsOf, kindsOf, ruleOf } from './groups.ts'
import { selectFingerprints } from './occurrence-store.ts'
import { deleteRule, insertRule, type RuleRow, selectRule, selectRules, updateRule } from './store.ts'

/** Enough to see what a rule does; the total says how many more there are. */
const previewedMax = 50

type RuleInput = Pick<ErrorRule, 'match' | 'errorGroup'> & { position?: number }

export async function addRule(
  { control, newId, now }: Pick<Platform, 'control' | 'newId' | 'now'>,
  site: SiteRow,
  wanted: RuleInput,
): Promise<ErrorRule> {
  const rules = await selectRules(control, site.workspace_id, site.id)
  if (rules.length >= errorRulesMax) {
    throw new Problem('conflict', {
      detail: `A site has ${errorRulesMax} rules at most. Delete one first.`,
    })
  }
  const row = { ...toRow(wanted, rules), id: newId('erl'), site_id: site.id, created_at: new Date(now()) }
  await insertRule(control, site.workspace_id, row)
  return toRule(row)
}

/** Without a position it comes last. */
function toRow({ match, errorGroup, position }: RuleInput, rules: readonly RuleRow[]) {
  return { match, error_group: errorGroup, position: position ?? (rules.at(-1)?.position ?? -1) + 1 }
}

export async function listRules({ control }: Pick<Platform, 'control'>, site: SiteRow): Promise<ErrorRule[]> {
  return (await selectRules(control, site.workspace_id, site.id)).map(toRule)
}

const noRule = () => new Problem('not-found', { detail: 'There is no such rule.' })

async function requireRule({ control }: Pick<Platform, 'control'>, workspaceId: string, id: string) {
  const row = id.includes('\0') ? null : await selectRule(control, workspaceId, id)
  if (row === null) throw noRule()
  return row
}

export async function changeRule(
  deps: Pick<Platform, 'control'>,
  workspaceId: string,
  id: string,
  { match, errorGroup, position }: Partial<RuleInput>,
): Promise<ErrorRule> {
  const row = await requireRule(deps, workspaceId, id)
  const changed = {
    ...row,
    match: match ?? row.match,
    error_group: errorGroup ?? row.error_group,
    position: position ?? row.position,
  }
  await updateRule(deps.control, workspaceId, changed)
  return toRule(changed)
}

export async function removeRule(
  { control }: Pick<Platform, 'control'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  if (!id.includes('\0') && (await deleteRule(control, workspaceId, id))) return
  throw noRule()
}

/** The current groups compared with those under the rule. */
export async function previewRule(
  deps: Pick<Platform, 'control' | 'events'>,
  { site, period, filter }: ErrorReading,
  ruleId: string | undefined,
  wanted: RuleInput | null,
): Promise<ErrorRulePreview> {
  const { workspace_id: workspaceId, id: siteId } = site
  const known = ruleId === undefined ? null : await requireRule(deps, workspaceId, ruleId)
  if (known !== null && known.site_id !== siteId) throw noRule()
  const rules = await selectRules(deps.control, workspaceId, siteId)
  const others = rules.filter(({ id }) => id !== known?.id)
  const tried = wanted && triedRow(wanted, rules, known)
  const fingerprints = await selectFingerprints(deps.events, filter, period)
  const after = tried === null ? others : [...others, tried].sort(inOrder)
  const matched = kindsOf(fingerprints).filter((kind) => tried !== null && ruleOf(kind, after) === tried)
  return {
    matched: matched.length,
    ...differenceOf(groupsOf(fingerprints, rules), groupsOf(fingerprints, after)),
  }
}

function triedRow(wanted: RuleInput, rules: readonly RuleRow[], known: RuleRow | null): RuleRow {
  const position = wanted.position ?? known?.position
  // At the same position the older rule comes first.
  const made = known ?? { id: '~', site_id: '', created_at: new Date(0) }
  return { ...made, ...toRow({ ...wanted, ...(position !== undefined && { position }) }, rules) }
}

/** As the store orders them. */
function inOrder(a: RuleRow, b: RuleRow): number {
  return a.position - b.position || (a.id < b.id ? -1 : 1)
}

const named = ({ id, name }: Group) => ({ id, errorGroup: name })

function differenceOf(before: readonly Group[], after: readonly Group[]): Omit<ErrorRulePreview, 'matched'> {
  const groupOfKey = new Map(before.flatMap((group) => group.keys.map((key) => [key, group] as const)))
  const known = new Map(before.map((group) => [group.id, group]))
  const left = new Set(after.map(({ id }) => id))
  const keysOf = (group: Group | undefined) => [...(group?.keys ?? [])].sort().join(' ')
  const changed = after.filter((group) => keysOf(group) !== keysOf(known.get(group.id)))
  return {
    groups: changed.slice(0, previewedMax).map((group) => ({
      ...named(group),
      isNew: !known.has(group.id),
      from: [...new Set(group.keys.flatMap((key) => groupOfKey.get(key) ?? []))].map(named),
    })),
    gone: before
      .filter(({ id }) => !left.has(id))
      .slice(0, previewedMax)
      .map(named),
  }
}

function toRule(row: RuleRow): ErrorRule {
  return {
    id: row.id,
    siteId: row.site_id,
    match: row.match,
    errorGroup: row.error_group,
    position: row.position,
    createdAt: row.created_at.toISOString(),
  }
}
