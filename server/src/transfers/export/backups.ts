import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import type { Writer } from '../../ingest/loader/loader.ts'
import type { Clock } from '../../platform/clock.ts'
import { pathWithin } from '../../platform/files/safe-path.ts'
import type { Failures } from '../../platform/logging/failures.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { type Copied, snapshotDirectory } from './snapshot.ts'

/**
 * Backups are requested through files in the data directory: its owner is the operator, and a workspace's
 * credentials must not give access to the others. `<id>.request` asks, `<id>.json` has the status, and the
 * copy is in `<id>` until it is removed.
 */
export type BackingUp = { look: () => Promise<void> }

type BackupWorld = {
  control: Control
  events: Events
  writer: Writer
  dataDir: string
  now: Clock
  failures: Pick<Failures, 'report'>
}

/** A store on a server of its own is not in the copy: its operator backs it up. */
type Stores = Record<'control' | 'events', 'embedded' | 'server'>

type BackupState =
  | { status: 'running' }
  | { status: 'done'; taken_at: string; files: number; bytes: number; stores: Stores }
  | { status: 'failed'; error: string }

const request = /^([A-Za-z0-9][A-Za-z0-9-]{0,63})\.request$/
/** Exports of people, and old versions of the SDK, need not be there. The log comes last. */
const directories = ['control', 'events', 'exports', 'sdk', 'log']
/** Besides the stores and the log: who this node is, and what opens its secrets. */
const singleFiles = ['node-id', 'vault.key', 'first-run.json', 'demo.json']

export async function createBackingUp(world: BackupWorld): Promise<BackingUp> {
  const directory = `${world.dataDir}/backups`
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return {
    async look() {
      const names = await readdir(directory).catch(() => [])
      for (const name of names) {
        const id = request.exec(name)?.[1]
        if (id !== undefined) await answer(world, directory, id)
      }
    },
  }
}

async function answer(world: BackupWorld, directory: string, id: string): Promise<void> {
  const say = async (state: BackupState) => {
    await writeFile(pathWithin(directory, `${id}.json.new`), `${JSON.stringify(state)}\n`, { mode: 0o600 })
    await rename(pathWithin(directory, `${id}.json.new`), pathWithin(directory, `${id}.json`))
  }
  await say({ status: 'running' })
  await rm(pathWithin(directory, `${id}.request`), { force: true })
  try {
    const takenAt = new Date(world.now()).toISOString()
    const copied = await backUp(world, pathWithin(directory, id))
    await say({ status: 'done', taken_at: takenAt, ...copied, stores: storesOf(world) })
  } catch (error) {
    await rm(pathWithin(directory, id), { recursive: true, force: true })
    await say({ status: 'failed', error: `The copy could not be made: ${error}` })
    world.failures.report('backups', error)
  }
}

function storesOf({ control, events }: BackupWorld): Stores {
  const kindOf = (store: { quietly: unknown }) => (store.quietly === null ? 'server' : 'embedded')
  return { control: kindOf(control), events: kindOf(events) }
}

/** A store on a server continues meanwhile. */
const goesOn = <T>(work: () => Promise<T>) => work()

/**
 * As a crash at one moment would leave the directory, which every part of the product is made to start from: embedded
 * stores keep still, nothing is loaded, and the log, which is copied last, has whatever was acknowledged and is not in
 * the store. Events are taken in all the while. A store on a server is backed up after it: what is in the log and
 * there as well is loaded once.
 */
function backUp({ control, events, writer, dataDir }: BackupWorld, to: string): Promise<Copied> {
  const withControlStill = control.quietly ?? goesOn
  const withEventsStill = events.quietly ?? goesOn
  return writer.withoutLoads(() =>
    withControlStill(() =>
      withEventsStill(async () => {
        await mkdir(to, { mode: 0o700 })
        const sum: Copied = { files: 0, bytes: 0 }
        for (const name of directories) {
          if (!existsSync(`${dataDir}/${name}`)) continue
          const { files, bytes } = await snapshotDirectory(`${dataDir}/${name}`, `${to}/${name}`)
          sum.files += files
          sum.bytes += bytes
        }
        for (const name of singleFiles) {
          if (existsSync(`${dataDir}/${name}`)) await copyFile(`${dataDir}/${name}`, `${to}/${name}`)
        }
        return sum
      }),
    ),
  )
}
