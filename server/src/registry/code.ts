import { createHash } from 'node:crypto'
import { type Environment, type EventContract, standardByKey, standardEvents } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { type GeneratedCode, generate, type Language } from './codegen/generate.ts'
import { noSuchContract, toEventContract } from './contracts.ts'
import { type ContractRow, selectCurrentPage, selectVersions } from './store.ts'

const pageRows = 1_000

/** Standard events and what the workspace has in force. Built-in events are sent by the SDKs themselves. */
export async function generateFor(
  sql: Sql,
  workspaceId: string,
  language: Language,
  environment: Environment,
  key: string | undefined,
): Promise<{ code: GeneratedCode; etag: string }> {
  const contracts =
    key === undefined
      ? [...standardEvents, ...(await contractsOf(sql, workspaceId))]
      : [await newestOf(sql, workspaceId, key)]
  const code = generate(language, contracts, { environment })
  return { code, etag: etagOf(code) }
}

/** One event as its code will be once it is published, for whoever is about to write the call. */
async function newestOf(sql: Sql, workspaceId: string, key: string): Promise<EventContract> {
  const standard = standardByKey.get(key)
  if (standard !== undefined) return standard
  const [row] = await selectVersions(sql, workspaceId, key, 1)
  if (row === undefined) throw noSuchContract()
  return { ...toEventContract(row), status: 'published' }
}

async function contractsOf(sql: Sql, workspaceId: string): Promise<EventContract[]> {
  const contracts: EventContract[] = []
  let after: string | null = null
  do {
    const rows: ContractRow[] = await selectCurrentPage(sql, workspaceId, after, pageRows)
    contracts.push(...rows.map(toEventContract))
    after = rows.length < pageRows ? null : (rows.at(-1)?.key ?? null)
  } while (after !== null)
  return contracts
}

/** Of the files too, since a new release of the product may write the same registry differently. */
function etagOf({ registry_hash, files }: GeneratedCode): string {
  const content = createHash('sha256')
  for (const { path, sha256 } of files) content.update(`${path} ${sha256}\n`)
  return `"${registry_hash}.${content.digest('hex').slice(0, 16)}"`
}

/** RFC 9110: a list of tags, or a star; a weak tag is as good as a strong one here. */
export function isKnownTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
