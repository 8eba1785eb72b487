import {
  type Answer,
  type Client,
  getReportResult,
  listReports,
  type Report,
  type ReportResult,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { answerLines } from '../server/answer-lines.ts'
import { connect } from '../server/connection.ts'
import { listSaved } from '../server/saved-list.ts'

const usage = 'assay reports list | assay reports show <id>'

export const reportsCommand: Command = {
  name: 'reports',
  summary: 'list saved reports, or show the answer of one',
  usage: `${usage} [--site <id>] [--window <window>]`,
  options: {
    ...serverOptions,
    site: {
      type: 'string',
      value: 'id',
      help: 'list: those of this site (else the site of assay.json, or all)',
    },
    window: { type: 'string', value: 'window', help: 'show: another period than the saved one, such as 7d' },
  },
  examples: ['assay reports list', 'assay reports show rep_01… --window 7d --json'],
  run: reports,
}

async function reports(context: Context): Promise<Outcome> {
  const [act, id, ...rest] = context.positionals
  const isList = act === 'list' && id === undefined
  if (!isList && (act !== 'show' || id === undefined || rest.length > 0)) {
    throw misuse('Name an action, and for show a report.', usage)
  }
  const project = findProject(context.world.directory)
  const { client } = connect(context, project)
  return id === undefined
    ? list(client, context.options.text('site') ?? project?.config.site)
    : show(context, client, id)
}

function list(client: Client, siteId: string | undefined): Promise<Outcome> {
  const lineOf = ({ id, kind, name }: Report) => `${id}  ${kind.padEnd(9)}  ${name}`
  return listSaved(siteId, (query) => client.call(listReports, { query }), lineOf, 'No report is saved.')
}

async function show({ options }: Context, client: Client, id: string): Promise<Outcome> {
  const window = options.text('window')
  const answer = await client.call(getReportResult, {
    params: { id },
    query: { ...(window !== undefined && { window }) },
  })
  return { exitCode: exitCodes.fine, data: answer, lines: linesOf(answer) }
}

/** A question has a table; other reports are nested. */
function linesOf({ kind, result }: ReportResult): string[] {
  // boundary: the answer of this kind has this shape.
  return kind === 'query' ? answerLines(result as Answer) : [JSON.stringify(result, null, 2)]
}
