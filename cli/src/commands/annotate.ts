import { createAnnotation } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'

const usage = 'assay annotate <text>'

export const annotateCommand: Command = {
  name: 'annotate',
  summary: 'mark a moment, such as a deploy, on every chart',
  usage: `${usage} [--link <url>] [--at <time>] [--site <id> | --all-sites]`,
  options: {
    ...serverOptions,
    link: { type: 'string', value: 'url', help: 'where to read more: an http or https address' },
    at: {
      type: 'string',
      value: 'time',
      help: 'RFC 3339 with a zone, such as 2026-11-17T09:00:00Z (else now)',
    },
    site: { type: 'string', value: 'id', help: 'on the charts of this site (else the site of assay.json)' },
    'all-sites': { type: 'boolean', help: 'on the charts of every site, whatever assay.json says' },
  },
  examples: [
    'assay annotate "Deployed 4.2.0" --link https://github.com/acme/shop/releases/tag/v4.2.0',
    'assay annotate "Summer sale begins" --at 2026-06-01T00:00:00+02:00 --all-sites',
  ],
  run: annotate,
}

async function annotate(context: Context): Promise<Outcome> {
  const { options, positionals, world } = context
  const [text, ...rest] = positionals
  if (text === undefined || text.trim() === '') throw misuse('Say what happened.', usage)
  if (rest.length > 0) throw misuse('Put the text in quotes.', usage)
  const project = findProject(world.directory)
  const site = siteOf(context, project?.config.site)
  const { client } = connect(context, project)
  const [at, link] = [options.text('at'), options.text('link')]
  const body = {
    text,
    ...(site !== undefined && { siteId: site }),
    ...(at !== undefined && { at }),
    ...(link !== undefined && { link }),
  }
  const made = await client.call(createAnnotation, { body })
  const where = made.siteId === null ? 'every site' : made.siteId
  return { exitCode: exitCodes.fine, data: made, lines: [`Marked ${made.at} on ${where}: ${made.text}`] }
}

function siteOf({ options }: Context, projectSite: string | undefined): string | undefined {
  const site = options.text('site')
  if (!options.flag('all-sites')) return site ?? projectSite
  if (site !== undefined) throw misuse('--site and --all-sites exclude each other.', usage)
  return undefined
}
