import {
  builtInEvents,
  type Contract,
  type ContractStatus,
  type createContract,
  type EventContract,
  type Output,
  Problem,
  standardEvents,
} from '@assay/contract'
import { pageOf } from '../../platform/page.ts'
import type { Sql } from '../../store/control.ts'
import { type ContractRow, selectContracts, selectCurrent, selectVersion, selectVersions } from './store.ts'
import { readVersion, writeVersion } from './versions.ts'

type ContractSource = Contract['source']

/** A page of history; older versions are addressed by their number. */
const versionsShownMax = 200

export function versionOf({ major, minor, patch }: Pick<ContractRow, 'major' | 'minor' | 'patch'>): string {
  return writeVersion([major, minor, patch])
}

export function toEventContract(row: ContractRow): EventContract {
  return {
    key: row.key,
    name: row.key,
    version: versionOf(row),
    status: row.status,
    description: row.description,
    ...row.body,
    ...(row.replaced_by !== null && { replaced_by: row.replaced_by }),
  }
}

/** As the routes answer it. */
export function toContract(row: ContractRow): Contract {
  return {
    ...answer(toEventContract(row), 'custom'),
    created_at: row.created_at.toISOString(),
    published_at: row.published_at?.toISOString() ?? null,
  }
}

/** What a draft still needs before it is live. */
export function nextOf(row: ContractRow): Output<typeof createContract>['next'] {
  if (row.status !== 'draft') return null
  return {
    message: `${row.key} ${versionOf(row)} is a draft and judges nothing yet. Publish it to put it into force.`,
    method: 'POST',
    path: `/v1/registry/events/${row.key}/publish`,
  }
}

function answer(contract: EventContract, source: ContractSource): Contract {
  const { surfaces, ...rest } = contract
  return { ...rest, source, surfaces: [...surfaces], created_at: null, published_at: null }
}

/** The product's own contracts, by key: the same in every workspace. */
const ownByKey: ReadonlyMap<string, Contract> = new Map(
  [
    ...standardEvents.map((event) => answer(event, 'standard')),
    ...builtInEvents.map((event) => answer(event, 'built_in')),
  ]
    .toSorted((left, right) => (left.key < right.key ? -1 : 1))
    .map((contract) => [contract.key, contract]),
)

export function isOwnKey(key: string): boolean {
  return ownByKey.has(key)
}

type ContractQuery = {
  cursor?: string
  limit: number
  status?: ContractStatus
  source?: ContractSource
  q?: string
}

/** Both lists are ordered by key and no key is in both, so a page is the merged beginning of both. */
export async function listPage(
  sql: Sql,
  workspaceId: string,
  query: ContractQuery,
): Promise<{ data: Contract[]; next_cursor: string | null }> {
  const { cursor = null, limit, source } = query
  const hasCustom = source === undefined || source === 'custom'
  const rows = hasCustom
    ? await selectContracts(sql, workspaceId, {
        after: cursor,
        status: query.status ?? null,
        q: query.q ?? null,
        limit: limit + 1,
      })
    : []
  const own = [...ownByKey.values()].filter((contract) => isListed(contract, query))
  const merged = [...own, ...rows.map(toContract)].toSorted((left, right) => (left.key < right.key ? -1 : 1))
  const { page: data, next } = pageOf(merged, limit, ({ key }) => key)
  return { data, next_cursor: next }
}

function isListed(contract: Contract, { cursor, status, source, q }: ContractQuery): boolean {
  if (cursor !== undefined && contract.key <= cursor) return false
  if (source !== undefined && contract.source !== source) return false
  if (status !== undefined && contract.status !== status) return false
  const text = `${contract.name} ${contract.description}`.toLowerCase()
  return q === undefined || text.includes(q.toLowerCase())
}

type WithVersions = Contract & { versions: Pick<Contract, 'version' | 'status' | 'created_at'>[] }

/** One contract with its history, at the version asked for or the current one. */
export async function readContract(
  sql: Sql,
  workspaceId: string,
  key: string,
  version: string | undefined,
): Promise<WithVersions> {
  const own = ownByKey.get(key)
  if (own !== undefined) {
    if (version !== undefined && version !== own.version) throw noSuchContract()
    return { ...own, versions: [{ version: own.version, status: own.status, created_at: null }] }
  }
  const row =
    version === undefined
      ? (await selectCurrent(sql, workspaceId, [key]))[0]
      : await selectVersion(sql, workspaceId, key, readVersion(version))
  if (row === undefined || row === null) throw noSuchContract()
  const versions = await selectVersions(sql, workspaceId, key, versionsShownMax)
  return { ...toContract(row), versions: versions.map(toVersion) }
}

function toVersion(row: ContractRow): WithVersions['versions'][number] {
  return { version: versionOf(row), status: row.status, created_at: row.created_at.toISOString() }
}

/** The same answer for a key that is not there and for one of another workspace. */
export function noSuchContract(): Problem {
  return new Problem('not-found', { detail: 'There is no such contract, or no such version of it.' })
}

/**
 * The product's own contracts are the same everywhere, so no one can create, publish, deprecate or archive
 * one.
 */
export function refuseOwnKey(key: string): void {
  const own = ownByKey.get(key)
  if (own === undefined) return
  const kind = own.source === 'standard' ? 'standard' : 'built-in'
  throw new Problem('conflict', {
    detail: `${key} is the ${kind} event ${own.name}, whose contract is fixed. Choose another key.`,
  })
}

export function refuseReservedKey(key: string): void {
  refuseOwnKey(key)
  if (!key.startsWith('$')) return
  const message = 'Drop the $: it is kept for the 18 standard events, whose contracts are fixed.'
  throw new Problem('reserved-name', {
    detail: message,
    errors: [{ field: 'key', message, expected: 'a key without $', actual: key }],
  })
}
