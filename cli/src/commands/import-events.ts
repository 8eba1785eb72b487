import { resolve } from 'node:path'
import type { Client } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { type Batch, readBatches } from '../import-events/batches.ts'
import { columnRoles } from '../import-events/csv.ts'
import { importId, readProgress, removeProgress, writeProgress } from '../import-events/progress-file.ts'
import { inGroups, readAhead } from '../import-events/read-ahead.ts'
import type { Columns } from '../import-events/records.ts'
import { sendBatch } from '../import-events/sender.ts'
import { addResults, eventsOf, noSummary, type Summary, summaryLines } from '../import-events/summary.ts'
import { type ToolName, toolNames, tools } from '../import-events/tools.ts'
import { tryFirst } from '../import-events/trial.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'

const usage = 'assay import-events --from <tool> <file>…'

export const importEventsCommand: Command = {
  name: 'import-events',
  summary: 'bring in past events from the export of another tool',
  usage: `${usage} [--dry-run] [--site <id>] [--column <what>=<column>]`,
  options: {
    ...serverOptions,
    from: { type: 'string', value: 'tool', help: toolNames.join(', ') },
    'dry-run': { type: 'boolean', help: 'show what the first events would become; store nothing' },
    site: { type: 'string', value: 'id', help: 'into this site (else the site of assay.json, or the first)' },
    column: {
      type: 'string',
      value: 'what=column',
      multiple: true,
      help: `of a CSV file: ${columnRoles.join(', ')}`,
    },
  },
  examples: [
    'assay import-events --from posthog events.jsonl --dry-run',
    'assay import-events --from ga4 events_*.json.gz',
    'assay import-events --from csv orders.csv --column event=type --column time=created',
  ],
  run: importHistory,
}

type Plan = { tool: ToolName; files: string[]; columns: Columns; siteId: string | undefined }

async function importHistory(context: Context): Promise<Outcome> {
  const { options, world } = context
  const project = findProject(world.directory)
  const plan = planOf(context, project?.config.site)
  const { client, server } = connect(context, project)
  return options.flag('dry-run') ? tryOut(client, plan) : importAll(context, client, server, plan)
}

function planOf({ options, positionals, world }: Context, site: string | undefined): Plan {
  const tool = options.choice('from', toolNames)
  if (tool === undefined)
    throw misuse('From which tool?', `${usage}, where <tool> is ${toolNames.join(', ')}`)
  if (positionals.length === 0) throw misuse('Which files?', `${tool}: ${tools[tool].files}`)
  const files = positionals.map((file) => resolve(world.directory, file))
  return { tool, files, columns: columnsOf(options.list('column')), siteId: options.text('site') ?? site }
}

function columnsOf(given: readonly string[]): Columns {
  const pairs = given.map((pair) => {
    const [role = '', ...column] = pair.split('=')
    if (!columnRoles.some((one) => one === role) || column.length === 0) {
      throw misuse(
        `--column ${pair} is not understood.`,
        `Write --column event=type. Known: ${columnRoles.join(', ')}.`,
      )
    }
    return [role, column.join('=')] as const
  })
  return Object.fromEntries(pairs)
}

async function tryOut(client: Client, { tool, files, columns, siteId }: Plan): Promise<Outcome> {
  const { rows, example, unreadable } = await tryFirst(client, tool, files, columns, siteId)
  const width = Math.max(4, ...rows.map(({ sent }) => sent.length))
  const lines = rows.map(
    ({ sent, stored, events, outcome, issue }) =>
      `  ${sent.padEnd(width)} → ${stored}: ${events} × ${outcome}${issue === '' ? '' : `, ${issue}`}`,
  )
  const held = rows.some(({ outcome }) => outcome === 'quarantine' || outcome === 'reject')
  return {
    exitCode: held ? exitCodes.found : exitCodes.fine,
    data: { rows, example, unreadable },
    lines: [
      `The first ${rows.reduce((sum, { events }) => sum + events, 0)} events of ${tool} would become:`,
      ...lines,
      ...(unreadable > 0 ? [`${unreadable} lines have no record.`] : []),
      'The first of them is sent as:',
      JSON.stringify(example, null, 2),
      'Nothing was stored. Run it again without --dry-run.',
    ],
  }
}

/** Batches on their way at once: the server judges one while it stores another. The next ones are read meanwhile. */
const batchesAtOnce = 4

async function importAll(context: Context, client: Client, server: string, plan: Plan): Promise<Outcome> {
  const { world, progress, say } = context
  const { tool, files, columns, siteId } = plan
  const id = importId(tool, files, `${server} ${siteId ?? ''}`)
  const before = readProgress(world.directory, id)
  const summary: Summary = before?.summary ?? noSummary()
  if (before !== null) say(`Resuming after ${before.position} records.`)
  const startedMs = world.now()
  const eventsBefore = eventsOf(summary)

  const send = async (batches: readonly Batch[]): Promise<void> => {
    const sent = batches.filter(({ calls }) => calls.length > 0)
    const results = await Promise.all(sent.map(({ calls }) => sendBatch(context, client, calls, siteId)))
    for (const result of results) addResults(summary, result)
    for (const { unreadable } of batches) summary.unreadable += unreadable
    writeProgress(world.directory, id, { position: batches.at(-1)?.position ?? 0, summary })
    progress(`${eventsOf(summary)} events, ${rate()} a second.`)
  }
  const rate = () =>
    Math.round(((eventsOf(summary) - eventsBefore) * 1_000) / Math.max(1, world.now() - startedMs))

  const batches = readBatches(tool, files, columns, before?.position ?? 0)
  for await (const some of readAhead(inGroups(batches, batchesAtOnce))) await send(some)
  removeProgress(world.directory)
  const isHeld = summary.quarantine + summary.reject > 0
  return {
    exitCode: isHeld ? exitCodes.found : exitCodes.fine,
    data: { server, ...summary, eventsPerSecond: rate() },
    lines: [
      `${eventsOf(summary)} events of ${tool} were sent to ${server}, ${rate()} a second.`,
      ...summaryLines(summary),
      ...(isHeld ? ['Fix and release what is in quarantine; it then counts at its own time.'] : []),
    ],
  }
}
