import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRecord } from '@assay/contract'
import type { Command, Context, Outcome } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { makePrivateDirectory, writePrivateFile } from '../private-file.ts'
import { backupName, backupNames } from '../transfer/backup-check.ts'
import { readStores, type Stores, serverStoreLines } from '../transfer/server-stores.ts'
import { copyTree, moveTree, requireVacant } from '../transfer/trees.ts'

export const dataDirOption = {
  'data-dir': { type: 'string', value: 'path', help: 'the data directory (ASSAY_DATA_DIR, else ./.assay)' },
} as const

export const backupCommand: Command = {
  name: 'backup',
  summary: 'copy a data directory, while its server runs',
  usage: 'assay backup <target> [--data-dir <path>] [--stopped]',
  options: {
    ...dataDirOption,
    stopped: { type: 'boolean', help: 'the server is stopped: copy without asking it' },
  },
  examples: [
    'assay backup /backups/assay-2026-03-01',
    'assay backup /backups/assay --data-dir /var/lib/assay',
  ],
  run: backup,
}

const pollMs = 200
/** The server checks for requests twice a second; a busy or starting server takes longer. */
const answerMsMax = 30_000

async function backup(context: Context): Promise<Outcome> {
  const [named] = context.positionals
  if (named === undefined) throw misuse('Where to?', 'assay backup <target>')
  const target = resolve(context.world.directory, named)
  const dataDir = dataDirOf(context)
  requireVacant(target)
  const taken = context.options.flag('stopped')
    ? copyStopped(context, dataDir, target)
    : await askServer(context, dataDir, target)
  writePrivateFile(join(target, backupName), `${JSON.stringify(taken, null, 2)}\n`)
  return {
    exitCode: exitCodes.fine,
    data: { target, ...taken },
    lines: [
      `${taken.files} files with ${taken.bytes} bytes, as of ${taken.taken_at}, are in ${target}.`,
      'They contain the secrets of the installation too: protect them as you protect the server.',
      ...serverStoreLines(taken.stores, 'backup'),
    ],
  }
}

export function dataDirOf({ world, options }: Context): string {
  const named = options.text('data-dir') ?? world.environment.ASSAY_DATA_DIR ?? './.assay'
  const dataDir = resolve(world.directory, named)
  if (existsSync(join(dataDir, 'log'))) return dataDir
  throw misuse(`${dataDir} is not a data directory of Assay.`, 'Name it with --data-dir.')
}

type Taken = { taken_at: string; files: number; bytes: number; stores?: Stores }

/** The request is a file, because an API key belongs to one workspace and a backup contains all of them. */
async function askServer(context: Context, dataDir: string, target: string): Promise<Taken> {
  const { world } = context
  const folder = join(dataDir, 'backups')
  const id = world.newId()
  const asked = join(folder, `${id}.request`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(asked, '')
  const endMs = world.now() + answerMsMax
  for (;;) {
    const state = readState(join(folder, `${id}.json`))
    if (state?.status === 'done') {
      moveTree(join(folder, id), target)
      rmSync(join(folder, `${id}.json`))
      const { taken_at, files, bytes } = state
      return {
        taken_at: String(taken_at),
        files: Number(files),
        bytes: Number(bytes),
        stores: readStores(state.stores),
      }
    }
    if (state?.status === 'failed') {
      rmSync(join(folder, `${id}.json`))
      throw new CommandFailure(exitCodes.server, String(state.error))
    }
    if (state === null && world.now() > endMs) {
      rmSync(asked, { force: true })
      throw new CommandFailure(
        exitCodes.server,
        `No server answers on ${dataDir}.`,
        'If it is stopped, use --stopped; if its data is elsewhere, set --data-dir.',
      )
    }
    context.progress(state === null ? 'Waiting for the server.' : 'The server is making the copy.')
    await world.wait(pollMs)
  }
}

function readState(path: string): Record<string, unknown> | null {
  if (!existsSync(path)) return null
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return isRecord(parsed) ? parsed : null
}

/** A running server touches its lock every five seconds. */
const lockMsMax = 15_000

function copyStopped({ world }: Context, dataDir: string, target: string): Taken {
  const lock = join(dataDir, 'log', 'engine.lock')
  if (existsSync(lock) && world.now() - statSync(lock).mtimeMs < lockMsMax) {
    throw misuse(`A server is running on ${dataDir}.`, 'Remove --stopped, or stop the server.')
  }
  const kindOf = (name: string) => (existsSync(join(dataDir, name)) ? 'embedded' : 'server')
  const stores: Stores = { control: kindOf('control'), events: kindOf('events') }
  const taken = { taken_at: new Date(world.now()).toISOString(), files: 0, bytes: 0, stores }
  makePrivateDirectory(target)
  for (const name of readdirSync(dataDir).filter((each) => backupNames.includes(each))) {
    const { files, bytes } = copyTree(join(dataDir, name), join(target, name))
    taken.files += files
    taken.bytes += bytes
  }
  return taken
}
