import { resolve } from 'node:path'
import { ApiProblem } from '@assay/contract'
import { type Command, type Context, helpOf, parseOptions } from './command.ts'
import { alertsCommand } from './commands/alerts.ts'
import { annotateCommand } from './commands/annotate.ts'
import { backupCommand } from './commands/backup.ts'
import { deadLettersCommand } from './commands/dead-letters.ts'
import { digestsCommand } from './commands/digests.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { gateCommand } from './commands/gate.ts'
import { goalsCommand } from './commands/goals.ts'
import { importCommand } from './commands/import.ts'
import { importEventsCommand } from './commands/import-events.ts'
import { initCommand } from './commands/init.ts'
import { mcpCommand } from './commands/mcp.ts'
import { pullCommand } from './commands/pull.ts'
import { pushCommand } from './commands/push.ts'
import { queryCommand } from './commands/query.ts'
import { reportsCommand } from './commands/reports.ts'
import { restoreCommand } from './commands/restore.ts'
import { sizeCommand } from './commands/size.ts'
import { sqlCommand } from './commands/sql.ts'
import { storesCommand } from './commands/stores.ts'
import { validateCommand } from './commands/validate.ts'
import { CommandFailure, type ExitCode, exitCodes } from './failure.ts'
import { painter } from './paint.ts'
import { explainProblem } from './server/refusal.ts'
import { ownVersion } from './version.ts'
import type { World } from './world.ts'

export const commands: readonly Command[] = [
  initCommand,
  pullCommand,
  pushCommand,
  validateCommand,
  doctorCommand,
  gateCommand,
  deadLettersCommand,
  annotateCommand,
  queryCommand,
  sqlCommand,
  reportsCommand,
  goalsCommand,
  alertsCommand,
  digestsCommand,
  mcpCommand,
  exportCommand,
  importCommand,
  importEventsCommand,
  backupCommand,
  restoreCommand,
  storesCommand,
  sizeCommand,
]

/** One call of `assay`. Returns the exit code. */
export async function run(args: readonly string[], world: World): Promise<ExitCode> {
  const [name, ...rest] = args
  const { out } = world.terminal
  if (name === undefined || name === 'help' || name === '--help') {
    const named = commands.find((command) => command.name === rest[0])
    out(named === undefined ? overview() : helpOf(named))
    return name === undefined ? exitCodes.misuse : exitCodes.fine
  }
  if (name === '--version' || name === 'version') {
    out(`${ownVersion()}\n`)
    return exitCodes.fine
  }
  const command = commands.find((each) => each.name === name)
  const isJson = rest.includes('--json')
  if (command === undefined) {
    const failure = new CommandFailure(exitCodes.misuse, `There is no command ${name}.`, 'See assay --help.')
    return tellFailure(failure, world, isJson)
  }
  if (rest.includes('--help')) {
    out(helpOf(command))
    return exitCodes.fine
  }
  try {
    return await runCommand(command, rest, world)
  } catch (error) {
    return tellFailure(error, world, isJson)
  }
}

async function runCommand(command: Command, args: readonly string[], world: World): Promise<ExitCode> {
  const { options, positionals } = parseOptions(command, args)
  const isJson = options.flag('json')
  const directory = options.text('directory')
  const { terminal } = world
  const context: Context = {
    world: directory === undefined ? world : { ...world, directory: resolve(world.directory, directory) },
    options,
    positionals,
    isJson,
    paint: painter(terminal.hasColour && !isJson),
    say: (line) => {
      if (!isJson) terminal.out(`${line}\n`)
    },
    progress: (text) => {
      if (!isJson && terminal.isInteractive) terminal.err(`${text}\n`)
    },
  }
  const { exitCode, data, lines = [] } = await command.run(context)
  if (isJson) terminal.out(`${JSON.stringify(data, null, 2)}\n`)
  else for (const line of lines) terminal.out(`${line}\n`)
  return exitCode
}

function tellFailure(error: unknown, world: World, isJson: boolean): ExitCode {
  const failure = error instanceof ApiProblem ? explainProblem(error) : error
  // Anything else is a bug, and its stack is needed to report it.
  if (!(failure instanceof CommandFailure)) throw error
  const { message, hint, exitCode, details } = failure
  const { out, err, hasColour } = world.terminal
  const paint = painter(hasColour && !isJson)
  if (isJson) out(`${JSON.stringify({ error: { message, hint, ...details } }, null, 2)}\n`)
  else err(`${paint('red', message)}\n${hint === null ? '' : `${hint}\n`}`)
  return exitCode
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'assay: events as contracts in your repository, judged before they count',
    '',
    ...commands.map(({ name, summary }) => `  assay ${name.padEnd(width)}  ${summary}`),
    '',
    'assay help <command> shows more. Exit codes: 0 fine, 1 something was found or not done, 2 misuse, 3 server.',
    '',
  ].join('\n')
}
