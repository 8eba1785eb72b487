import {
  defaultRules,
  type EventMapping,
  type FieldError,
  type MappingRule,
  Problem,
  standardByName,
  toSnakeCase,
} from '@assay/contract'
import type { Clock, NewId } from '../../platform/clock.ts'
import { pageOf } from '../../platform/page.ts'
import type { Control, Sql } from '../../store/control.ts'
import { lockRegistry } from '../contracts/store.ts'
import { isEdited } from './rules.ts'
import {
  countMappings,
  deleteMapping,
  insertMapping,
  type MappingRow,
  selectCustomMapping,
  selectMappings,
  upsertMapping,
} from './store.ts'

/** All rules of a site are in memory on every node, and a name beyond a thousand is data in a name. */
export const customRulesMax = 1_000

const defaultById: ReadonlyMap<string, MappingRule> = new Map(defaultRules.map((rule) => [rule.id, rule]))

/** One rule of one site, wherever it comes from. */
export type SiteRule = {
  row: MappingRow
  /** The default rule that it is, or is a change to. */
  rule: MappingRule | null
  isStored: boolean
}

export function toMapping({ row, rule, isStored }: SiteRule): EventMapping {
  return {
    id: row.id,
    siteId: row.site_id,
    source: row.source,
    target: row.target,
    propertyMap: row.property_map,
    origin: rule?.origin ?? 'custom',
    edited: rule !== null && isEdited(rule, row),
    enabled: row.is_enabled,
    createdAt: isStored ? row.created_at.toISOString() : null,
  }
}

function ownRule(row: MappingRow): SiteRule {
  return { row, rule: null, isStored: true }
}

/** A default rule on a site: as the site changed it, or as it came with the product. */
function onSite(
  rule: MappingRule,
  change: MappingRow | undefined,
  workspaceId: string,
  siteId: string,
): SiteRule {
  if (change !== undefined) return { row: change, rule, isStored: true }
  const row: MappingRow = {
    workspace_id: workspaceId,
    site_id: siteId,
    id: rule.id,
    is_default: true,
    source: rule.source,
    source_key: toSnakeCase(rule.source),
    target: rule.target,
    property_map: { ...rule.propertyMap },
    is_enabled: true,
    created_at: new Date(0),
  }
  return { row, rule, isStored: false }
}

type MappingQuery = {
  siteId: string
  origin?: MappingRule['origin']
  cursor?: string
  limit: number
}

/** By id, which puts the site's own rules before the default ones: theirs begin with a digit, those with a letter. */
export async function listRules(
  sql: Sql,
  workspaceId: string,
  { siteId, origin, cursor, limit }: MappingQuery,
): Promise<{ data: EventMapping[]; nextCursor: string | null }> {
  const rows = await selectMappings(sql, workspaceId, siteId)
  const changes = new Map(rows.filter((row) => row.is_default).map((row) => [row.id, row]))
  const standing = defaultRules.map((rule) => onSite(rule, changes.get(rule.id), workspaceId, siteId))
  const custom = rows.filter((row) => !row.is_default).map(ownRule)
  const all = [...custom, ...standing]
    .map(toMapping)
    .filter((one) => (origin ?? one.origin) === one.origin && one.id > (cursor ?? ''))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const { page: data, next } = pageOf(all, limit, ({ id }) => id)
  return { data, nextCursor: next }
}

/** A custom rule is found by its id alone; a default one is on every site, so its site has to be named. */
export async function findRule(
  sql: Sql,
  workspaceId: string,
  id: string,
  siteId: string | undefined,
): Promise<SiteRule> {
  const rule = defaultById.get(id)
  if (rule === undefined) {
    // Postgres refuses a text with this character rather than not finding it.
    const row = id.includes('\0') ? null : await selectCustomMapping(sql, workspaceId, id)
    if (row === null || (siteId ?? row.site_id) !== row.site_id) throw noSuchRule()
    return ownRule(row)
  }
  if (siteId === undefined) {
    const message = 'must be given: every site has this default rule'
    throw invalid([{ field: 'siteId', message }])
  }
  const rows = await selectMappings(sql, workspaceId, siteId)
  const change = rows.find((row) => row.id === id)
  return onSite(rule, change, workspaceId, siteId)
}

type NewRule = { siteId: string; source: string; target: string; propertyMap?: Record<string, string> }

export async function createRule(
  control: Control,
  newId: NewId,
  now: Clock,
  workspaceId: string,
  { siteId, source, target, propertyMap = {} }: NewRule,
): Promise<SiteRule> {
  requireSoundRule({ source, target, propertyMap })
  const row: MappingRow = {
    workspace_id: workspaceId,
    site_id: siteId,
    id: newId('map'),
    is_default: false,
    source,
    source_key: toSnakeCase(source),
    target,
    property_map: propertyMap,
    is_enabled: true,
    created_at: new Date(now()),
  }
  await control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    if ((await countMappings(sql, siteId)) >= customRulesMax) {
      throw new Problem('conflict', { detail: `A site has at most ${customRulesMax} rules of its own.` })
    }
    if (await insertMapping(sql, row)) return
    throw new Problem('conflict', {
      detail: `This site has a rule for ${row.source_key} already, however it is written. Edit that one.`,
    })
  })
  return ownRule(row)
}

type RuleChange = { target?: string; propertyMap?: Record<string, string>; enabled?: boolean }

export async function changeRule(
  control: Control,
  now: Clock,
  workspaceId: string,
  id: string,
  siteId: string | undefined,
  { target, propertyMap, enabled }: RuleChange,
): Promise<SiteRule> {
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    const found = await findRule(sql, workspaceId, id, siteId)
    const errors = [
      ...(target === undefined ? [] : targetErrors(target)),
      ...(propertyMap === undefined ? [] : propertyErrors(propertyMap)),
    ]
    if (errors.length > 0) throw invalid(errors)
    const { row, rule, isStored } = found
    const changed: MappingRow = {
      ...row,
      target: target ?? row.target,
      property_map: propertyMap ?? row.property_map,
      is_enabled: enabled ?? row.is_enabled,
      created_at: isStored ? row.created_at : new Date(now()),
    }
    await upsertMapping(sql, changed)
    return { row: changed, rule, isStored: true }
  })
}

/** Deletes a custom rule; a default one is again as it came. */
export async function deleteRule(
  control: Control,
  workspaceId: string,
  id: string,
  siteId: string | undefined,
): Promise<void> {
  const { row } = await findRule(control, workspaceId, id, siteId)
  await deleteMapping(control, row.site_id, row.id)
}

/** Refuses a rule whose names could never be matched, or that leads to no standard event. */
export function requireSoundRule({ source, target, propertyMap = {} }: Omit<NewRule, 'siteId'>): void {
  refuseReserved(source)
  const errors = [...nameErrors('source', source), ...targetErrors(target), ...propertyErrors(propertyMap)]
  if (errors.length > 0) throw invalid(errors)
}

function noSuchRule(): Problem {
  return new Problem('not-found', { detail: 'There is no such rule.' })
}

function refuseReserved(source: string): void {
  if (!source.trim().startsWith('$')) return
  const message = 'Drop the $: such names are standard events already, or are refused on arrival.'
  throw new Problem('reserved-name', {
    detail: message,
    errors: [{ field: 'source', message, expected: 'a name without $', actual: source }],
  })
}

function targetErrors(target: string): FieldError[] {
  if (standardByName.has(target)) return []
  const message = 'must be one of the 18 standard events, such as $purchase'
  return [{ field: 'target', message, actual: target }]
}

function propertyErrors(propertyMap: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(propertyMap).flatMap(([from, to]) => [
    ...nameErrors(`propertyMap.${from.slice(0, 200)}`, from),
    ...nameErrors(`propertyMap.${from.slice(0, 200)}`, to),
  ])
}

function nameErrors(field: string, name: string): FieldError[] {
  const isSound = name.trim() !== '' && !/\p{Cc}/u.test(name) && name.isWellFormed()
  return isSound ? [] : [{ field, message: 'must be a name without control characters' }]
}

export function invalid(errors: readonly FieldError[]): Problem {
  const listed = errors.map(({ field, message }) => `${field} ${message}.`).join(' ')
  return new Problem('invalid-parameter', { detail: listed, errors })
}
