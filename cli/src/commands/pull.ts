import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { type Project, requireProject } from '../project/project.ts'
import { writeRegistryFile } from '../project/registry-file.ts'
import type { Standing } from '../registry/compare.ts'
import { deleteEvent, writeCode, writeEvent, writeSchema } from '../registry/project-files.ts'
import { type Observed, writeObserved } from '../registry/proposed-drafts.ts'
import { type Comparison, compareWithServer } from '../registry/sides.ts'
import { connect } from '../server/connection.ts'

export const pullCommand: Command = {
  name: 'pull',
  summary: 'write the contracts of the server into the project, and generate code from them',
  usage: 'assay pull [--force] [--observed]',
  options: {
    ...serverOptions,
    force: {
      type: 'boolean',
      help: "use the server's version of conflicts and of files deleted here",
    },
    observed: {
      type: 'boolean',
      help: 'also write drafts for unregistered events, from what was sent',
    },
  },
  examples: ['assay pull', 'assay pull --force', 'assay pull --observed'],
  async run(context) {
    const project = requireProject(context.world.directory)
    const { client } = connect(context, project)
    const comparison = await compareWithServer(client, project, context.progress)
    const pulled = takeOver(project, comparison, context.options.flag('force'))
    const proposed = context.options.flag('observed') ? await writeObserved(client, project) : []
    const code = await writeCode(client, project)
    return report(context, pulled, code, proposed)
  },
}

type Pulled = { written: string[]; deleted: string[]; kept: Standing[]; conflicts: Standing[] }

function takeOver(
  project: Project,
  { standings, remote, registryFile }: Comparison,
  isForced: boolean,
): Pulled {
  const result: Pulled = { written: [], deleted: [], kept: [], conflicts: [] }
  const pulled: Record<string, string> = {}
  for (const standing of standings) {
    const { key, there } = standing
    const isTheirs = comesFromThere(standing, isForced)
    const before = registryFile.pulled[key]
    if (there !== null && (isTheirs || standing.kind === 'same')) pulled[key] = there.version
    else if (before !== undefined && standing.kind !== 'removedThere') pulled[key] = before
    if (isTheirs && there !== null) result.written.push(writeEvent(project, there))
    else if (isTheirs) result.deleted.push(deleteEvent(project, key))
    else if (standing.kind === 'conflict') result.conflicts.push(standing)
    else if (standing.kind !== 'same') result.kept.push(standing)
  }
  const { preset, severities, rules, older } = remote
  writeRegistryFile(project, { pulled, preset, severities, rules, older })
  writeSchema(project)
  return result
}

function comesFromThere({ kind }: Standing, isForced: boolean): boolean {
  if (kind === 'newThere' || kind === 'changedThere' || kind === 'removedThere') return true
  return isForced && (kind === 'conflict' || kind === 'removedHere' || kind === 'changedHere')
}

function report(
  { paint }: Context,
  { written, deleted, kept, conflicts }: Pulled,
  code: string[],
  proposed: readonly Observed[],
): Outcome {
  const lines = [
    ...proposed.map(
      ({ path, events, sampled }) =>
        `${paint('green', 'proposed')} ${path}  (${events} events, ${sampled} read; a draft: assay push registers it)`,
    ),
    ...written.map((path) => `${paint('green', 'written')}  ${path}`),
    ...deleted.map((path) => `${paint('yellow', 'deleted')}  ${path}  (archived on the server)`),
    ...code.map((path) => `${paint('green', 'code')}     ${path}`),
    ...kept.map(({ key, kind }) => `${paint('grey', 'kept')}     ${key}  (${keptWords[kind] ?? kind})`),
    ...conflicts.map(({ key, reason }) => `${paint('red', 'conflict')} ${key}: ${reason}`),
  ]
  if (lines.length === 0) lines.push('Nothing to do: the project has what the server has.')
  if (conflicts.length > 0) lines.push('', ...conflictHelp)
  return {
    exitCode: conflicts.length > 0 ? exitCodes.found : exitCodes.fine,
    data: {
      written,
      deleted,
      proposed,
      code,
      kept: kept.map(({ key, kind }) => ({ key, kind })),
      conflicts: conflicts.map(({ key, reason, there }) => ({
        key,
        reason,
        version: there?.version ?? null,
      })),
    },
    lines,
  }
}

const keptWords: Readonly<Partial<Record<Standing['kind'], string>>> = {
  newHere: 'new here: assay push registers it',
  changedHere: 'changed here: assay push registers it',
  removedHere: 'deleted here: assay push --prune archives it, assay pull --force brings it back',
}

export const conflictHelp = [
  'Both sides changed these, so nothing was overwritten. Either take the version of the server (assay pull --force,',
  'after you committed yours), or put both changes into the file and set its version to the one of the server.',
]
