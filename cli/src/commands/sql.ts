import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { listSites, runSql, type SqlAnswer, sqlLimits } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { aligned } from '../server/answer-lines.ts'
import { connect } from '../server/connection.ts'

const usage = 'assay sql "<select>"'

export const sqlCommand: Command = {
  name: 'sql',
  summary: 'run a SELECT over the events of a site',
  usage: `${usage} [--window <window>] [--limit <rows>]`,
  options: {
    ...serverOptions,
    site: { type: 'string', value: 'id', help: 'the site (else that of assay.json, or the only one)' },
    window: { type: 'string', value: 'window', help: 'period: 30d or 24h' },
    limit: { type: 'string', value: 'number', help: `rows, ${sqlLimits.rowsMax} at most` },
    file: { type: 'string', value: 'path', help: 'read the query from a file; - is standard input' },
  },
  examples: [
    'assay sql "SELECT page, uniqExact(person_id) AS visitors FROM events GROUP BY page ORDER BY 2 DESC"',
    'assay sql --file report.sql --window 90d --json',
  ],
  run: sql,
}

async function sql(context: Context): Promise<Outcome> {
  const { options, world } = context
  const query = await textOf(context)
  const project = findProject(world.directory)
  const { client } = connect(context, project)
  const siteId = options.text('site') ?? project?.config.site ?? (await onlySite(client))
  const [window, limit] = [options.text('window'), options.text('limit')]
  if (limit !== undefined && !/^[1-9]\d{0,4}$/.test(limit))
    throw misuse('--limit takes a whole number.', usage)
  const body = {
    siteId,
    query,
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit: Number(limit) }),
  }
  const answer = await client.call(runSql, { body })
  return { exitCode: exitCodes.fine, data: answer, lines: linesOf(answer) }
}

async function textOf({ options, positionals, world }: Context): Promise<string> {
  const [query, ...rest] = positionals
  const file = options.text('file')
  if (rest.length > 0) throw misuse('Put the query in quotes.', usage)
  if ((query === undefined) === (file === undefined)) throw misuse('Give a query or a file.', usage)
  if (query !== undefined) return query
  return file === '-' ? await readText(world.input()) : fileText(world.directory, file ?? '')
}

function fileText(directory: string, file: string): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch {
    throw misuse(`${file} cannot be read.`, usage)
  }
}

async function onlySite(client: ReturnType<typeof connect>['client']): Promise<string> {
  const { data } = await client.call(listSites, { query: { limit: 2 } })
  const [site, another] = data
  if (site === undefined || another !== undefined) throw misuse('Name a site with --site.', usage)
  return site.id
}

function linesOf({ columns, rows, truncated }: SqlAnswer): string[] {
  const table = aligned([columns.map(({ name }) => name), ...rows.map((row) => row.map(cellText))])
  return [...table, ...(truncated ? ['There is more: raise --limit.'] : [])]
}

/** One line for each row, whatever its texts hold. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/\p{Cc}/gu, ' ')
}
