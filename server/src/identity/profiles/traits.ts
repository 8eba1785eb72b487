import { identityLimits, Problem } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { storableJson } from '../../store/storable.ts'
import { rankOf } from '../graph/identifier.ts'
import {
  type Condition,
  countTraits,
  countTraitsEach,
  insertConditionalTraits,
  selectTraits,
  type TraitRow,
  type TraitValue,
  upsertTraits,
} from './trait-store.ts'

export type TraitChange = {
  originalId: string
  traits: Readonly<Record<string, unknown>>
  setMs: number
  source: string
}

/** Traits are stored with the identifier that they were sent for. */
export async function setTraits(
  sql: Sql,
  workspaceId: string,
  { originalId, traits, setMs, source }: TraitChange,
  condition: Condition | null,
): Promise<void> {
  const values = toValues(originalId, traits, setMs, source)
  if (values.length === 0) return
  const known = await countTraits(sql, workspaceId, [originalId])
  if (known + values.length > identityLimits.traitsMax)
    await requireRoom(sql, workspaceId, originalId, values)
  if (condition === null) await upsertTraits(sql, workspaceId, values)
  else await insertConditionalTraits(sql, workspaceId, condition, values)
}

export function toValues(
  originalId: string,
  traits: Readonly<Record<string, unknown>>,
  setMs: number,
  source: string,
): TraitValue[] {
  const values = new Map<string, TraitValue>()
  for (const [name, value] of Object.entries(traits)) {
    // Two lone surrogates become the same text in the store, which accepts a key once per statement.
    const key = name.toWellFormed()
    if (value === undefined || !isStorable(key)) continue
    values.set(key, { originalId, key, json: storableJson(value), setMs, source })
  }
  return [...values.values()]
}

const keyCharactersMax = 200

/** Postgres stores every character but NUL. */
function isStorable(key: string): boolean {
  return key !== '' && key.length <= keyCharactersMax && !key.includes('\u0000')
}

async function requireRoom(
  sql: Sql,
  workspaceId: string,
  originalId: string,
  values: readonly TraitValue[],
): Promise<void> {
  const rows = await selectTraits(sql, workspaceId, [originalId])
  const keys = new Set([...rows.map(({ key }) => key), ...values.map(({ key }) => key)])
  if (keys.size <= identityLimits.traitsMax) return
  throw new Problem('identity-limit', {
    detail: `This person would have more than ${identityLimits.traitsMax} traits, which is the limit.`,
  })
}

/** Drops traits beyond the limit of an identifier; a background event cannot be refused. */
export async function capTraits(
  sql: Sql,
  workspaceId: string,
  values: readonly TraitValue[],
): Promise<TraitValue[]> {
  const byId = Map.groupBy(values, ({ originalId }) => originalId)
  const counts = await countTraitsEach(sql, workspaceId, [...byId.keys()])
  const crowded = [...byId].filter(
    ([originalId, own]) => (counts.get(originalId) ?? 0) + own.length > identityLimits.traitsMax,
  )
  const left = new Set<TraitValue>()
  for (const [originalId, own] of crowded) {
    const keys = new Set((await selectTraits(sql, workspaceId, [originalId])).map(({ key }) => key))
    for (const value of own) {
      if (keys.has(value.key)) continue
      if (keys.size >= identityLimits.traitsMax) left.add(value)
      else keys.add(value.key)
    }
  }
  return values.filter((value) => !left.has(value))
}

/**
 * The traits of a person from those of each identifier: the stronger identifier wins, then the later value.
 * Null removes a trait.
 */
export function traitsOf(rows: readonly TraitRow[], typeOf: (originalId: string) => string): TraitRow[] {
  const best = new Map<string, TraitRow>()
  for (const row of rows) {
    const known = best.get(row.key)
    if (known === undefined || outranks(row, known, typeOf)) best.set(row.key, row)
  }
  return [...best.values()].filter(({ value }) => value !== null)
}

function outranks(row: TraitRow, known: TraitRow, typeOf: (originalId: string) => string): boolean {
  const [rank, knownRank] = [rankOf(typeOf(row.original_id)), rankOf(typeOf(known.original_id))]
  if (rank !== knownRank) return rank < knownRank
  const [at, knownAt] = [row.set_at.getTime(), known.set_at.getTime()]
  return at === knownAt ? row.original_id < known.original_id : at > knownAt
}
