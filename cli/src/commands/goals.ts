import { createGoal, deleteGoal, type Filter, listGoals } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'
import { listSaved } from '../server/saved-list.ts'

const usage = 'assay goals list | assay goals create <name> | assay goals delete <id>'

export const goalsCommand: Command = {
  name: 'goals',
  summary: 'list, create or delete goals, whose events are conversions',
  usage: `${usage} [--event <name>] [--page <path>] [--filters <json>] [--site <id>]`,
  options: {
    ...serverOptions,
    site: {
      type: 'string',
      value: 'id',
      help: 'list: those of this site; create: for it (else the site of assay.json)',
    },
    event: { type: 'string', value: 'name', help: 'create: the event that reaches it' },
    page: {
      type: 'string',
      value: 'path',
      help: 'create: the page on which it happens, such as /thanks or /order/:id',
    },
    filters: {
      type: 'string',
      value: 'json',
      help: 'create: what the event has to fit, such as \'[["gte", "property:amount", 50]]\'',
    },
  },
  examples: [
    'assay goals list',
    'assay goals create "Thanks page" --page /thanks',
    `assay goals create "Large order" --event '$purchase' --filters '[["gte", "property:amount", 500]]'`,
    'assay goals delete goal_01…',
  ],
  run: goals,
}

async function goals(context: Context): Promise<Outcome> {
  const [act, what, ...rest] = context.positionals
  const isList = act === 'list' && what === undefined
  const isOther = (act === 'create' || act === 'delete') && what !== undefined
  if (rest.length > 0 || (!isList && !isOther)) {
    throw misuse('Name an action, for create a name in quotes, and for delete a goal.', usage)
  }
  const project = findProject(context.world.directory)
  const { client } = connect(context, project)
  const site = context.options.text('site') ?? project?.config.site
  if (what === undefined) {
    const lineOf = ({ id, name, event, page }: GoalLine) =>
      `${id}  ${name}  ${event}${page ? ` on ${page}` : ''}`
    return listSaved(site, (query) => client.call(listGoals, { query }), lineOf, 'There is no goal.')
  }
  if (act === 'delete') {
    await client.call(deleteGoal, { params: { id: what } })
    return { exitCode: exitCodes.fine, data: { id: what }, lines: [`Deleted ${what}.`] }
  }
  if (site === undefined) throw misuse('Name the site with --site.', usage)
  const made = await client.call(createGoal, { body: { siteId: site, name: what, ...conditionsOf(context) } })
  return { exitCode: exitCodes.fine, data: made, lines: [`Created ${made.id}: ${made.name}`] }
}

type GoalLine = { id: string; name: string; event: string; page: string | null }

function conditionsOf({ options }: Context): { event?: string; page?: string; filters?: readonly Filter[] } {
  const [event, page, filters] = [options.text('event'), options.text('page'), options.text('filters')]
  if (event === undefined && page === undefined) throw misuse('Say --event, --page or both.', usage)
  return {
    ...(event !== undefined && { event }),
    ...(page !== undefined && { page }),
    ...(filters !== undefined && { filters: filtersOf(filters) }),
  }
}

function filtersOf(text: string): readonly Filter[] {
  let filters: unknown
  try {
    filters = JSON.parse(text)
  } catch {
    filters = null
  }
  if (!Array.isArray(filters)) throw misuse('--filters must be a JSON list of filters.', usage)
  return filters
}
