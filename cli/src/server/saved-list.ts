import type { Outcome } from '../command.ts'
import { exitCodes } from '../failure.ts'

type Page<Item> = { data: readonly Item[]; nextCursor: string | null }
type PageQuery = { limit: number; siteId?: string; cursor?: string }

/** More than a site has of anything that is saved. */
const listedMax = 2_000
const pageRows = 200

/** Everything of a site, or of all, a line each. */
export async function listSaved<Item>(
  siteId: string | undefined,
  readPage: (query: PageQuery) => Promise<Page<Item>>,
  lineOf: (item: Item) => string,
  none: string,
): Promise<Outcome> {
  const found: Item[] = []
  let cursor: string | undefined
  do {
    const page = await readPage({
      limit: pageRows,
      ...(siteId !== undefined && { siteId }),
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && found.length < listedMax)
  const more = cursor === undefined ? [] : [`Only the first ${found.length} are listed.`]
  const lines = found.length === 0 ? [none] : found.map(lineOf)
  return { exitCode: exitCodes.fine, data: { data: found }, lines: [...lines, ...more] }
}
