import { ApiProblem, type ContractChangeResult, changeContracts } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { type Project, requireProject } from '../project/project.ts'
import { type RegistryFile, writeRegistryFile } from '../project/registry-file.ts'
import { type Plan, planLines, planPush } from '../registry/plan.ts'
import { writeCode, writeEvent, writeSchema } from '../registry/project-files.ts'
import { fetchRemote } from '../registry/remote.ts'
import { compareWithServer } from '../registry/sides.ts'
import { type Connection, connect } from '../server/connection.ts'
import { conflictHelp } from './pull.ts'

export const pushCommand: Command = {
  name: 'push',
  summary: 'register the changes of the project: show the plan, ask, and apply it as one change',
  usage: 'assay push [--dry-run] [--yes] [--prune]',
  options: {
    ...serverOptions,
    'dry-run': { type: 'boolean', help: 'show the plan and change nothing' },
    yes: { type: 'boolean', help: 'do not ask' },
    prune: { type: 'boolean', help: 'archive events whose file was deleted' },
  },
  examples: ['assay push --dry-run', 'assay push', 'assay push --yes   # in CI'],
  run: push,
}

async function push(context: Context): Promise<Outcome> {
  const { options, say, progress } = context
  const project = requireProject(context.world.directory)
  const connection = connect(context, project)
  const comparison = await compareWithServer(connection.client, project, progress)
  const plan = planPush(comparison.standings, options.flag('prune'))
  if (plan.conflicts.length > 0) throw inConflict(plan.conflicts)
  if (plan.contracts.length + plan.ends.length === 0) {
    return { exitCode: exitCodes.fine, data: { applied: false, results: [] }, lines: nothingToPush(plan) }
  }
  const { results } = await change(connection, plan, true)
  for (const line of planLines(plan, results, context.paint)) say(line)
  if (options.flag('dry-run')) return done(results, plan, false, [])
  await requireConsent(context, results)
  const applied = await change(connection, plan, false)
  const { pulled } = comparison.registryFile
  const code = await takeBack(connection, project, applied.results, pulled, progress)
  return done(applied.results, plan, true, code)
}

type Answer = { results: ContractChangeResult[] }

async function change({ client }: Connection, plan: Plan, isDryRun: boolean): Promise<Answer> {
  const body = { contracts: [...plan.contracts], end: [...plan.ends], dry_run: isDryRun }
  try {
    return await client.call(changeContracts, { body })
  } catch (error) {
    // Someone else pushed between our read and our write: none of it was applied.
    if (error instanceof ApiProblem && error.status === 409 && Array.isArray(error.body.conflicts)) {
      throw new CommandFailure(exitCodes.found, error.detail, 'See what changed with: assay pull', {
        conflicts: error.body.conflicts,
      })
    }
    throw error
  }
}

function inConflict(conflicts: Plan['conflicts']): CommandFailure {
  const listed = conflicts.map(({ key, reason }) => `  ${key}: ${reason}`)
  const message = ['Nothing was pushed: a colleague changed the same events.', ...listed].join('\n')
  return new CommandFailure(exitCodes.found, message, conflictHelp.join('\n'), {
    conflicts: conflicts.map(({ key, reason, there }) => ({ key, reason, version: there?.version ?? null })),
  })
}

function nothingToPush({ behind }: Plan): string[] {
  const lines = ['Nothing to push: the server has what the project has.']
  return behind.length === 0
    ? lines
    : [...lines, `Newer on the server: ${behind.join(', ')}. Bring it with: assay pull`]
}

async function requireConsent(context: Context, results: readonly ContractChangeResult[]): Promise<void> {
  const { options, world, isJson } = context
  if (options.flag('yes')) return
  if (isJson || !world.terminal.isInteractive) {
    throw misuse(
      'The terminal is not interactive, so the plan could not be confirmed and nothing was changed.',
      'Use --yes to apply it.',
    )
  }
  const breaking = results.filter(({ change: kind }) => kind === 'breaking').length
  const warning = breaking === 0 ? '' : ` ${breaking} of it breaking.`
  const answer = await world.terminal.ask(`Apply this as one change?${warning} [y/N] `)
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new CommandFailure(exitCodes.found, 'Nothing was changed.')
}

/** Updates the files to what was registered, so that the next pull finds no changes. */
async function takeBack(
  { client }: Connection,
  project: Project,
  results: readonly ContractChangeResult[],
  before: RegistryFile['pulled'],
  progress: (text: string) => void,
): Promise<string[]> {
  const remote = await fetchRemote(client, project.config.site, progress)
  const pulled: Record<string, string> = { ...before }
  for (const { key } of results) {
    const there = remote.contracts.get(key)
    if (there === undefined) delete pulled[key]
    else {
      writeEvent(project, there)
      pulled[key] = there.version
    }
  }
  const { preset, severities, rules, older } = remote
  writeRegistryFile(project, { pulled, preset, severities, rules, older })
  writeSchema(project)
  return writeCode(client, project)
}

function done(
  results: readonly ContractChangeResult[],
  plan: Plan,
  isApplied: boolean,
  code: string[],
): Outcome {
  const count = results.filter(({ change: kind }) => kind !== 'none').length
  const said = isApplied ? `${count} events changed, as one change.` : 'Dry run: nothing was changed.'
  const behind =
    plan.behind.length === 0 ? [] : [`Newer on the server: ${plan.behind.join(', ')} (assay pull).`]
  return {
    exitCode: exitCodes.fine,
    data: { applied: isApplied, results, behind: plan.behind, code },
    lines: ['', said, ...behind, ...code.map((path) => `code     ${path}`)],
  }
}
