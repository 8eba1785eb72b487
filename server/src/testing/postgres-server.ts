import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'

export type PostgresServer = {
  processId: number
  url: (database: string) => Promise<string>
  /** Copies a database into a new one, as an operator does: a dump that is restored. */
  copy: (url: string, database: string) => Promise<string>
  stop: () => Promise<void>
}

/** A world has up to 21, and each worker a few worlds. */
const connectionsMax = 300

/** Databases of tests are small. */
const dumpBytesMax = 256 * 1024 * 1024

/** A real Postgres server with a cluster of its own, gone afterwards. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = programFolder()
  const directory = mkdtempSync(join(tmpdir(), 'assay-postgres-'))
  const owner = ownerOf(directory)
  const port = await freePort()
  const cluster = join(directory, 'cluster')
  execFileSync(join(programs, 'initdb'), ['-D', cluster, '-U', 'assay', '-A', 'trust', '-N'], {
    ...owner,
    stdio: 'ignore',
  })
  const settings = [
    'fsync=off',
    `unix_socket_directories=${directory}`,
    'listen_addresses=127.0.0.1',
    `max_connections=${connectionsMax}`,
    // In the directory, so that a server that was killed leaves nothing in the memory of the system.
    'dynamic_shared_memory_type=mmap',
  ].flatMap((setting) => ['-c', setting])
  const server = spawn(join(programs, 'postgres'), ['-D', cluster, '-p', String(port), ...settings], {
    ...owner,
    stdio: 'ignore',
  })
  const admin = `postgres://assay@127.0.0.1:${port}/postgres`
  await untilItAnswers(admin, server)
  const create = async (database: string) => {
    await execute(admin, `CREATE DATABASE ${database}`)
    return `postgres://assay@127.0.0.1:${port}/${database}`
  }
  return {
    processId: server.pid ?? 0,
    url: create,
    copy: async (url, database) => {
      const to = await create(database)
      const dump = execFileSync(join(programs, 'pg_dump'), ['--format=custom', url], {
        maxBuffer: dumpBytesMax,
      })
      execFileSync(join(programs, 'pg_restore'), ['--no-owner', `--dbname=${to}`], { input: dump })
      return to
    },
    stop: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await gone
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Debian keeps the server's programs out of the path, one folder a version. */
function programFolder(): string {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : []
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('No Postgres server is installed. Run: node scripts/setup.ts')
  return found
}

/** Postgres refuses to run as root, so it then runs as the user that its package made. */
function ownerOf(directory: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = { uid: id('-u'), gid: id('-g') }
  chownSync(directory, owner.uid, owner.gid)
  return owner
}

async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (server.exitCode !== null) throw new Error('Postgres ended at once')
    try {
      return await execute(url, 'SELECT 1')
    } catch {
      await wait(100)
    }
  }
  throw new Error('Postgres did not answer within a minute')
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
