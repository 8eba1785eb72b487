import { join, resolve } from 'node:path'
import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { makePrivateDirectory } from '../private-file.ts'
import { requireBackup } from '../transfer/backup-check.ts'
import { serverStoreLines } from '../transfer/server-stores.ts'
import { copyTree, requireVacant } from '../transfer/trees.ts'
import { dataDirOption } from './backup.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'create a data directory from a backup',
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
  const { names, stores } = requireBackup(source)
  requireVacant(dataDir)
  makePrivateDirectory(dataDir)
  const copied = { files: 0, bytes: 0 }
  for (const name of names) {
    progress(`Copying ${name}.`)
    const { files, bytes } = copyTree(join(source, name), join(dataDir, name))
    copied.files += files
    copied.bytes += bytes
  }
  return {
    exitCode: exitCodes.fine,
    data: { dataDir, ...copied, stores },
    lines: [
      `${copied.files} files are in ${dataDir}. Start the server on it with ASSAY_DATA_DIR.`,
      ...serverStoreLines(stores, 'restore'),
    ],
  }
}
