import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRecord } from '@assay/contract'
import type { Command, Context, Outcome } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { copyTree, requireVacant } from '../transfer/trees.ts'
import { backupName, dataDirOption } from './backup.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'make a data directory of a backup; a server that is started on it has what was there',
  usage: 'assay restore <backup> [--data-dir <path>]',
  options: dataDirOption,
  examples: ['assay restore /backups/assay-2026-03-01 --data-dir ./.assay'],
  run: async (context) => restore(context),
}

function restore({ world, options, positionals, progress }: Context): Outcome {
  const [named] = positionals
  if (named === undefined) throw misuse('From where?', 'assay restore <backup>')
  const source = resolve(world.directory, named)
  const wanted = options.text('data-dir') ?? world.environment.ASSAY_DATA_DIR ?? './.assay'
  const dataDir = resolve(world.directory, wanted)
  if (!existsSync(join(source, backupName))) {
    throw misuse(`There is no ${backupName} in ${source}.`, 'Name a directory that assay backup made.')
  }
  requireVacant(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const copied = { files: 0, bytes: 0 }
  for (const name of readdirSync(source).filter((each) => each !== backupName)) {
    progress(`Copying ${name}.`)
    const { files, bytes } = copyTree(join(source, name), join(dataDir, name))
    copied.files += files
    copied.bytes += bytes
  }
  const taken: unknown = JSON.parse(readFileSync(join(source, backupName), 'utf8'))
  const promised = isRecord(taken) ? Number(taken.bytes) : 0
  if (copied.bytes < promised) {
    const said = `The backup has ${copied.bytes} bytes, and ${promised} were written.`
    throw new CommandFailure(exitCodes.found, said, `It is not whole: do not start a server on ${dataDir}.`)
  }
  return {
    exitCode: exitCodes.fine,
    data: { dataDir, ...copied },
    lines: [`${copied.files} files are in ${dataDir}. Start the server on it with ASSAY_DATA_DIR.`],
  }
}
