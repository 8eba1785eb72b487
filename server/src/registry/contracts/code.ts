import { createHash } from 'node:crypto'
import {
  type CodeLanguage,
  type Environment,
  type EventContract,
  type Surface,
  standardByKey,
  standardEvents,
} from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { type GeneratedCode, generate, includesDrafts } from '../codegen/generate.ts'
import { noSuchContract, toEventContract, versionOf } from './contracts.ts'
import { type ContractRow, selectContracts, selectCurrentPage, selectVersions } from './store.ts'

const pageRows = 1_000

type CodeQuery = {
  language: CodeLanguage
  environment: Environment
  surface?: Surface | undefined
  key?: string | undefined
}

/** Standard events and what the environment knows. Built-in events are sent by the SDKs themselves. */
export async function generateFor(
  sql: Sql,
  workspaceId: string,
  { language, environment, surface, key }: CodeQuery,
): Promise<{ code: GeneratedCode; etag: string }> {
  const contracts =
    key === undefined
      ? [...standardEvents, ...(await contractsOf(sql, workspaceId, includesDrafts(environment)))]
      : [await newestOf(sql, workspaceId, key)]
  const code = generate(language, contracts, { environment, surface })
  return { code, etag: etagOf(code) }
}

/** One event as its code will be once it is published, for the author of the call. */
async function newestOf(sql: Sql, workspaceId: string, key: string): Promise<EventContract> {
  const standard = standardByKey.get(key)
  if (standard !== undefined) return standard
  const [row] = await selectVersions(sql, workspaceId, key, 1)
  if (row === undefined) throw noSuchContract()
  return { ...toEventContract(row), status: 'published' }
}

/** Each at its live version; with drafts also at the newest one, if that is a draft. */
async function contractsOf(sql: Sql, workspaceId: string, withDrafts: boolean): Promise<EventContract[]> {
  const current = await allPages((after) => selectCurrentPage(sql, workspaceId, after, pageRows))
  const drafts = withDrafts
    ? await allPages((after) =>
        selectContracts(sql, workspaceId, { after, status: 'draft', q: null, limit: pageRows }),
      )
    : []
  const isDraft = new Set(drafts.map(idOf))
  return [...current.filter((row) => !isDraft.has(idOf(row))), ...drafts].map(toEventContract)
}

const idOf = (row: ContractRow) => `${row.key} ${versionOf(row)}`

async function allPages(read: (after: string | null) => Promise<ContractRow[]>): Promise<ContractRow[]> {
  const all: ContractRow[] = []
  let after: string | null = null
  do {
    const rows = await read(after)
    all.push(...rows)
    after = rows.length < pageRows ? null : (rows.at(-1)?.key ?? null)
  } while (after !== null)
  return all
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
