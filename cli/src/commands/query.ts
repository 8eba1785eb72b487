import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { isRecord, listSites, type Question, runQuery } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { answerLines } from '../server/answer-lines.ts'
import { connect } from '../server/connection.ts'

const usage = 'assay query [<question>]'

export const queryCommand: Command = {
  name: 'query',
  summary: 'ask a question about events: any metric by any dimension',
  usage: `${usage} [--metrics <names>] [--by <dimensions>] [--filters <json>] [--window <window>]`,
  options: {
    ...serverOptions,
    site: { type: 'string', value: 'id', help: 'the site (else that of assay.json, or the only one)' },
    metrics: { type: 'string', value: 'names', help: 'with commas between: visitors,revenue' },
    by: { type: 'string', value: 'dimensions', help: 'with commas between: time:day,utm.campaign' },
    filters: { type: 'string', value: 'json', help: 'such as [["is","country",["DE"]]]' },
    window: { type: 'string', value: 'window', help: 'period: 30d or 24h' },
    compare: { type: 'boolean', help: 'with the period before' },
    limit: { type: 'string', value: 'number', help: 'rows of values, most first' },
    file: { type: 'string', value: 'path', help: 'read the question from a file; - is standard input' },
  },
  examples: [
    'assay query --metrics visitors,conversionRate --by utm.campaign --window 7d --compare',
    `assay query '{"metrics": ["visitors"], "dimensions": ["time:day"]}' --json`,
  ],
  run: query,
}

async function query(context: Context): Promise<Outcome> {
  const { options, world } = context
  const given = await questionOf(context)
  const asked = { ...given, ...named(context) }
  const project = findProject(world.directory)
  const { client } = connect(context, project)
  const known = options.text('site') ?? textOf(asked.siteId) ?? project?.config.site
  const siteId = known ?? (await onlySite(client))
  // boundary: the server reads it member by member, and says which is wrong.
  const body = { metrics: ['visitors'], ...asked, siteId } as Question
  const answer = await client.call(runQuery, { body })
  return { exitCode: exitCodes.fine, data: answer, lines: answerLines(answer) }
}

/** The question itself, as text, from a file or from standard input; none where options say everything. */
async function questionOf({ options, positionals, world }: Context): Promise<Record<string, unknown>> {
  const [text, ...rest] = positionals
  const file = options.text('file')
  if (rest.length > 0) throw misuse('Put the question in quotes.', usage)
  if (text !== undefined && file !== undefined) throw misuse('Give the question or a file, not both.', usage)
  const json =
    file === undefined ? text : file === '-' ? await readText(world.input()) : fileText(world.directory, file)
  return json === undefined ? {} : parsed(json, 'The question')
}

function fileText(directory: string, file: string): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch {
    throw misuse(`${file} cannot be read.`, usage)
  }
}

function parsed(json: string, what: string): Record<string, unknown> {
  const value = jsonOf(json, what)
  if (!isRecord(value)) throw misuse(`${what} is not an object of JSON.`, usage)
  return value
}

function jsonOf(json: string, what: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw misuse(`${what} is not JSON.`, usage)
  }
}

/** Members that options name, in place of those of the question. */
function named({ options }: Context): Record<string, unknown> {
  const [metrics, by, filters] = [options.text('metrics'), options.text('by'), options.text('filters')]
  const [window, limit] = [options.text('window'), options.text('limit')]
  if (limit !== undefined && !/^[1-9]\d{0,3}$/.test(limit))
    throw misuse('--limit takes a whole number.', usage)
  return {
    ...(metrics !== undefined && { metrics: metrics.split(',') }),
    ...(by !== undefined && { dimensions: by.split(',') }),
    ...(filters !== undefined && { filters: jsonOf(filters, '--filters') }),
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(options.flag('compare') && { compare: 'previous' }),
  }
}

async function onlySite(client: ReturnType<typeof connect>['client']): Promise<string> {
  const { data } = await client.call(listSites, { query: { limit: 2 } })
  const [site, another] = data
  if (site === undefined || another !== undefined) throw misuse('Name a site with --site.', usage)
  return site.id
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
