import {
  type ContractChange,
  type ContractChangeResult,
  type ContractEnd,
  type changeContracts,
  type Input,
  Problem,
} from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Control, Sql } from '../../store/control.ts'
import { noSuchContract, refuseOwnKey, refuseReservedKey, toEventContract, versionOf } from './contracts.ts'
import { registerLocked, requireSuccessor } from './registration.ts'
import { type ContractRow, lockRegistry, markArchived, markDeprecated, selectVersions } from './store.ts'
import { changeBetween } from './versions.ts'

type ContractChanges = Input<typeof changeContracts>['body']

/** Ends the transaction of a dry run: what would have happened is known by then, and nothing of it stays. */
class TriedOut extends Error {
  readonly results: readonly ContractChangeResult[]

  constructor(results: readonly ContractChangeResult[]) {
    super('tried out')
    this.results = results
  }
}

/** Makes all changes or none, each from the version that its author had before them. */
export async function changeAll(
  control: Control,
  now: Clock,
  workspaceId: string,
  { contracts = [], end = [], dry_run: isDryRun = false }: ContractChanges,
): Promise<readonly ContractChangeResult[]> {
  requireEachOnce([...contracts, ...end])
  for (const { key } of contracts) refuseReservedKey(key)
  for (const { key } of end) refuseOwnKey(key)
  try {
    return await control.transaction(async (sql) => {
      await lockRegistry(sql, workspaceId)
      const newest = await requireExpected(sql, workspaceId, [...contracts, ...end])
      const results: ContractChangeResult[] = []
      for (const change of contracts) results.push(await changeOne(sql, now, workspaceId, change, newest))
      for (const ending of end) results.push(await endOne(sql, workspaceId, ending, newest))
      if (isDryRun) throw new TriedOut(results)
      return results
    })
  } catch (error) {
    if (error instanceof TriedOut) return error.results
    throw error
  }
}

function requireEachOnce(all: readonly { key: string }[]): void {
  const keys = all.map(({ key }) => key)
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice === undefined) return
  throw new Problem('invalid-parameter', {
    detail: `${twice} is listed twice. List it once.`,
    errors: [{ field: 'contracts', message: 'must name each key once', actual: twice }],
  })
}

type Newest = ReadonlyMap<string, ContractRow>

/** Reports all conflicts in one answer, so that they can be resolved together. */
async function requireExpected(
  sql: Sql,
  workspaceId: string,
  all: readonly Pick<ContractChange | ContractEnd, 'key' | 'expected_version'>[],
): Promise<Newest> {
  const newest = new Map<string, ContractRow>()
  const conflicts: { key: string; expected_version: string | null; version: string | null }[] = []
  for (const { key, expected_version } of all) {
    const [row] = await selectVersions(sql, workspaceId, key, 1)
    if (row !== undefined) newest.set(key, row)
    const version = row === undefined ? null : versionOf(row)
    const isNew = expected_version === null && (row === undefined || row.status === 'archived')
    if (!isNew && version !== expected_version) conflicts.push({ key, expected_version, version })
  }
  if (conflicts.length === 0) return newest
  const changes = conflicts.map(
    ({ key, expected_version, version }) =>
      `${key} is at ${version ?? 'no version'}, and you began from ${expected_version ?? 'none'}`,
  )
  throw new Problem('conflict', {
    detail: `Someone else changed it meanwhile: ${changes.join('; ')}. Nothing was changed.`,
    members: { conflicts },
  })
}

async function changeOne(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  change: ContractChange,
  newest: Newest,
): Promise<ContractChangeResult> {
  const { expected_version: _, ...draft } = change
  const before = newest.get(change.key)
  const { row, compatibility, isUnchanged } = await registerLocked(sql, now, workspaceId, draft, {
    isDryRun: false,
    isWhole: true,
  })
  const isPublished = isUnchanged && before?.status !== row.status
  return {
    key: row.key,
    change: isPublished ? 'status' : kindOf(before, row, isUnchanged),
    version_before: before === undefined ? null : versionOf(before),
    version: versionOf(row),
    status: row.status,
    breaks: [...compatibility.breaks],
  }
}

function kindOf(
  before: ContractRow | undefined,
  row: ContractRow,
  isUnchanged: boolean,
): ContractChangeResult['change'] {
  if (before === undefined) return 'new'
  return isUnchanged ? 'none' : changeBetween(toEventContract(before), toEventContract(row))
}

async function endOne(
  sql: Sql,
  workspaceId: string,
  { key, status, replaced_by: replacedBy }: ContractEnd,
  newest: Newest,
): Promise<ContractChangeResult> {
  const before = newest.get(key)
  if (before === undefined) throw noSuchContract()
  await requireSuccessor(sql, workspaceId, key, replacedBy)
  const marked =
    status === 'archived'
      ? await markArchived(sql, workspaceId, key)
      : await markDeprecated(sql, workspaceId, key, replacedBy ?? null)
  if (marked === 0) {
    throw new Problem('conflict', { detail: `${key} has no live version that could be deprecated.` })
  }
  const version = versionOf(before)
  return {
    key,
    change: before.status === status ? 'none' : 'status',
    version_before: version,
    version,
    status,
    breaks: [],
  }
}
