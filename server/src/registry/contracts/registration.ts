import {
  type Compatibility,
  type ContractDraft,
  type EventContract,
  isCompatibleChange,
  Problem,
} from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Control, Sql } from '../../store/control.ts'
import { isOwnKey, noSuchContract, refuseOwnKey, refuseReservedKey, toEventContract } from './contracts.ts'
import { readDraft } from './draft.ts'
import {
  type ContractRow,
  countKeys,
  insertContracts,
  lockRegistry,
  markArchived,
  markDeprecated,
  markPublished,
  selectCurrent,
  selectExistingKeys,
  selectNewestDraft,
  selectNewestPublished,
  selectVersion,
  selectVersions,
} from './store.ts'
import {
  changeBetween,
  compareVersions,
  nextVersion,
  noBreaks,
  promisesCompatibility,
  readVersion,
  type Version,
  writeVersion,
} from './versions.ts'

/** Twice what the largest tracking plans hold; the whole registry of a workspace lies in memory. */
export const keysMax = 20_000

type Registered = { row: ContractRow; compatibility: Compatibility; isUnchanged: boolean }

/**
 * Registers a contract, or a new version of one. With `isDryRun` every check is made and nothing is stored.
 * What is there is read under the lock, so that two callers at once get two versions.
 */
export async function registerContract(
  control: Control,
  now: Clock,
  workspaceId: string,
  body: ContractDraft,
  isDryRun: boolean,
): Promise<Registered> {
  refuseReservedKey(body.key)
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    return registerLocked(sql, now, workspaceId, body, { isDryRun, isWhole: false })
  })
}

/**
 * The same for a caller that holds the lock. What is left out of a body that `isWhole` is at its default; otherwise it
 * stays as it is in the version before.
 */
export async function registerLocked(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  body: ContractDraft,
  { isDryRun, isWhole }: { isDryRun: boolean; isWhole: boolean },
): Promise<Registered> {
  const [newest] = await selectVersions(sql, workspaceId, body.key, 1)
  const before = newest === undefined || isWhole ? null : toEventContract(newest)
  const draft = readDraft(body, before)
  await requireSuccessor(sql, workspaceId, body.key, body.replaced_by)
  const published = await selectNewestPublished(sql, workspaceId, body.key)
  const status = body.status ?? 'draft'
  if (newest !== undefined && body.version === undefined && saysTheSame(newest, draft)) {
    const compatibility = requirePromiseKept(published, newest)
    const isPublishing = newest.status === 'draft' && status === 'published'
    const row = isPublishing ? await publishRow(sql, now, workspaceId, newest, isDryRun) : newest
    return { row, compatibility, isUnchanged: true }
  }
  const row = toRow(draft, chooseVersion(body, draft, newest, published), status, now)
  const compatibility = requirePromiseKept(published, row)
  if (newest === undefined) await requireRoom(sql, workspaceId, 1)
  if (!isDryRun) await insertContracts(sql, workspaceId, [row])
  return { row, compatibility, isUnchanged: false }
}

/** A contract that has ended is revived by a new version, even if it says nothing new. */
function saysTheSame(newest: ContractRow, draft: EventContract): boolean {
  const isAlive = newest.status === 'published' || newest.status === 'draft'
  return isAlive && changeBetween(toEventContract(newest), draft) === 'none'
}

function chooseVersion(
  body: ContractDraft,
  draft: EventContract,
  newest: ContractRow | undefined,
  published: ContractRow | null,
): Version {
  if (body.version === undefined) {
    const before = [published, newest ?? null].filter((row) => row !== null)
    return nextVersion(before.map(toEventContract), draft)
  }
  const wanted = readVersion(body.version)
  if (newest !== undefined && compareVersions(wanted, numbersOf(newest)) <= 0) {
    throw new Problem('conflict', {
      detail: `Version ${body.version} does not follow ${writeVersion(numbersOf(newest))}, the newest of ${body.key}. Leave version out to get the next one.`,
      members: { newest_version: writeVersion(numbersOf(newest)) },
    })
  }
  return wanted
}

export function numbersOf({ major, minor, patch }: ContractRow): Version {
  return [major, minor, patch]
}

/** In the sentence; the list has them all. */
const breaksToldMax = 5

/** A version number is a promise to senders: within one major number nothing that passed stops passing. */
function requirePromiseKept(published: ContractRow | null, row: ContractRow): Compatibility {
  if (published === null) return noBreaks
  const compatibility = isCompatibleChange(toEventContract(published), toEventContract(row))
  if (compatibility.compatible || !promisesCompatibility(numbersOf(published), numbersOf(row))) {
    return compatibility
  }
  const [from, to] = [published, row].map((each) => writeVersion(numbersOf(each)))
  const listed = compatibility.breaks.slice(0, breaksToldMax).map(({ path, what }) => `${path}: ${what}`)
  throw new Problem('conflict', {
    detail: `${to} promises senders of ${from} that nothing breaks, but: ${listed.join('; ')}. Use version ${published.major + 1}-0-0, or leave version out.`,
    errors: compatibility.breaks.map(({ path, what }) => ({ field: path, message: what })),
    members: { breaks: compatibility.breaks },
  })
}

export async function requireRoom(sql: Sql, workspaceId: string, more: number): Promise<void> {
  if ((await countKeys(sql, workspaceId)) + more <= keysMax) return
  throw new Problem('conflict', {
    detail: `A workspace holds at most ${keysMax} contracts. Archived ones count; use a new version of one instead.`,
  })
}

export async function requireSuccessor(
  sql: Sql,
  workspaceId: string,
  key: string,
  successor: string | undefined,
): Promise<void> {
  if (successor === undefined) return
  const isKnown = isOwnKey(successor) || (await selectExistingKeys(sql, workspaceId, [successor])).length > 0
  if (isKnown && successor !== key) return
  const message = isKnown ? 'must name another contract' : 'must name a contract that exists'
  throw new Problem('invalid-parameter', {
    detail: `replaced_by ${message}.`,
    errors: [{ field: 'replaced_by', message, actual: successor }],
  })
}

export function toRow(
  contract: EventContract,
  [major, minor, patch]: Version,
  status: 'draft' | 'published',
  now: Clock,
): ContractRow {
  const { owner, category, properties, additional, surfaces, purpose, severities } = contract
  const at = new Date(now())
  return {
    key: contract.key,
    major,
    minor,
    patch,
    status,
    description: contract.description,
    body: {
      ...(owner !== undefined && { owner }),
      ...(category !== undefined && { category }),
      properties,
      additional,
      surfaces,
      purpose,
      ...(severities !== undefined && { severities }),
    },
    replaced_by: contract.replaced_by ?? null,
    created_at: at,
    published_at: status === 'published' ? at : null,
  }
}

async function publishRow(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  row: ContractRow,
  isDryRun: boolean,
): Promise<ContractRow> {
  const at = new Date(now())
  if (!isDryRun) await markPublished(sql, workspaceId, row.key, numbersOf(row), at)
  return { ...row, status: 'published', published_at: at }
}

/** Publishes a draft: the version named, or the newest. */
export async function publishContract(
  control: Control,
  now: Clock,
  workspaceId: string,
  key: string,
  version: string | undefined,
  isDryRun: boolean,
): Promise<ContractRow> {
  refuseOwnKey(key)
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    const row = await findDraft(sql, workspaceId, key, version)
    const published = await selectNewestPublished(sql, workspaceId, key)
    if (published !== null && compareVersions(numbersOf(row), numbersOf(published)) < 0) {
      const [wanted, newer] = [row, published].map((each) => writeVersion(numbersOf(each)))
      throw new Problem('conflict', {
        detail: `${newer} was published already, so ${wanted} can no longer be. Make a new version.`,
      })
    }
    requirePromiseKept(published, row)
    return publishRow(sql, now, workspaceId, row, isDryRun)
  })
}

async function findDraft(
  sql: Sql,
  workspaceId: string,
  key: string,
  version: string | undefined,
): Promise<ContractRow> {
  const row =
    version === undefined
      ? await selectNewestDraft(sql, workspaceId, key)
      : await selectVersion(sql, workspaceId, key, readVersion(version))
  if (row?.status === 'draft') return row
  if (row !== null) throw new Problem('conflict', { detail: `${version} is ${row.status} already.` })
  const isKnown = version === undefined && (await selectExistingKeys(sql, workspaceId, [key])).length > 0
  throw isKnown ? new Problem('conflict', { detail: `${key} has no draft to publish.` }) : noSuchContract()
}

export async function deprecateContract(
  control: Control,
  workspaceId: string,
  key: string,
  replacedBy: string | undefined,
): Promise<ContractRow> {
  refuseOwnKey(key)
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    await requireCurrent(sql, workspaceId, key)
    await requireSuccessor(sql, workspaceId, key, replacedBy)
    if ((await markDeprecated(sql, workspaceId, key, replacedBy ?? null)) === 0) {
      throw new Problem('conflict', { detail: `${key} has no live version that could be deprecated.` })
    }
    return requireCurrent(sql, workspaceId, key)
  })
}

export async function archiveContract(
  control: Control,
  workspaceId: string,
  key: string,
): Promise<ContractRow> {
  refuseOwnKey(key)
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    await markArchived(sql, workspaceId, key)
    return requireCurrent(sql, workspaceId, key)
  })
}

async function requireCurrent(sql: Sql, workspaceId: string, key: string): Promise<ContractRow> {
  const [row] = await selectCurrent(sql, workspaceId, [key])
  if (row === undefined) throw noSuchContract()
  return row
}
