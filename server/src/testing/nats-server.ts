import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats } from '@nats-io/transport-node'
import { readConfig } from '../config.ts'
import type { ReplicatedLogSettings } from '../platform/node/replicated-log-settings.ts'
import { untilTrue } from './harness.ts'

/** Real NATS servers with JetStream, in a cluster if there are several; gone afterwards. */
export type NatsServers = {
  /** As ASSAY_LOG_URL. */
  url: string
  settings: (settings?: Partial<ReplicatedLogSettings>) => ReplicatedLogSettings
  /** As the power would. */
  kill: (index: number) => Promise<void>
  /** Starts one that was killed again, with what it stored. */
  restart: (index: number) => Promise<void>
  /** Stops and continues one, as a machine that hangs. */
  pause: (index: number) => void
  resume: (index: number) => void
  close: () => Promise<void>
}

type Server = { port: number; clusterPort: number; config: string; process: ChildProcess | null }

/** Where given, clients must name this user. */
type Login = { user: string; password: string }

export async function startNats(count: number, login?: Login): Promise<NatsServers> {
  const program = programPath()
  const directory = mkdtempSync(join(tmpdir(), 'assay-nats-'))
  const servers: Server[] = []
  for (let index = 0; index < count; index += 1) {
    const [port, clusterPort] = [await steadyPort(), await steadyPort()]
    servers.push({ port, clusterPort, config: join(directory, `${index}.conf`), process: null })
  }
  for (const [index, server] of servers.entries()) {
    mkdirSync(join(directory, `data-${index}`))
    const text = configOf(servers, index, join(directory, `data-${index}`))
    const { user, password } = login ?? {}
    const users = login === undefined ? '' : `authorization { user: ${user}, password: ${password} }\n`
    writeFileSync(server.config, text + users)
  }
  const run = async (server: Server) => {
    const child = spawn(program, ['-c', server.config], { stdio: 'ignore' })
    server.process = child
    await untilTrue('the NATS server', () => {
      if (child.exitCode !== null) throw new Error('the NATS server ended at once')
      return accepts(server.port)
    })
  }
  const kill = async ({ process: child }: Server, signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    // One that is stopped ends when it continues.
    child.kill('SIGCONT')
    await gone
  }
  const serverAt = (index: number): Server => {
    const server = servers[index]
    if (server === undefined) throw new Error('there is no such server')
    return server
  }
  await Promise.all(servers.map(run))
  const url = servers.map(({ port }) => `nats://127.0.0.1:${port}`).join(',')
  await untilReady(servers, login)
  return {
    url,
    settings: (settings) => ({ ...settingsOf(url), ...settings }),
    kill: (index) => kill(serverAt(index), 'SIGKILL'),
    restart: (index) => run(serverAt(index)),
    pause: (index) => void serverAt(index).process?.kill('SIGSTOP'),
    resume: (index) => void serverAt(index).process?.kill('SIGCONT'),
    close: async () => {
      await Promise.all(servers.map((server) => kill(server, 'SIGKILL')))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** One server with further lines in its configuration; it asks its clients for what the lines say. */
export async function startSecuredNats(lines: string): Promise<{ port: number; close: () => Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-nats-'))
  const port = await steadyPort()
  const server = { port, clusterPort: 0, config: join(directory, 'nats.conf'), process: null }
  writeFileSync(server.config, configOf([server], 0, join(directory, 'data')) + lines)
  const child = spawn(programPath(), ['-c', server.config], { stdio: 'ignore' })
  await untilTrue('the NATS server', () => {
    if (child.exitCode !== null) throw new Error('the NATS server ended at once')
    return accepts(port)
  })
  return {
    port,
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Below those that the system gives to connections, so that it is free again after a kill. */
const ports = { from: 10_000, count: 20_000 }

async function steadyPort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * ports.count)
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

function settingsOf(url: string): ReplicatedLogSettings {
  const stores = { ASSAY_POSTGRES_URL: 'postgres://unused', ASSAY_CLICKHOUSE_URL: 'http://unused' }
  const { replicatedLog } = readConfig({ ...stores, ASSAY_LOG_URL: url })
  if (replicatedLog === undefined) throw new Error('the address is no setting of a log')
  return replicatedLog
}

function configOf(servers: readonly Server[], index: number, storeDir: string): string {
  const { port = 0, clusterPort = 0 } = servers[index] ?? {}
  const routes = servers.map((other) => `nats://127.0.0.1:${other.clusterPort}`).join(', ')
  const cluster = `cluster { name: tests, listen: "127.0.0.1:${clusterPort}", routes: [${routes}] }\n`
  return (
    `server_name: n${index}\nlisten: "127.0.0.1:${port}"\njetstream { store_dir: "${storeDir}" }\n` +
    (servers.length > 1 ? cluster : '')
  )
}

function programPath(): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']
  const found = folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path))
  if (found === undefined) throw new Error('No NATS server is installed. Run: node scripts/setup.ts')
  return found
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

/** A cluster has elected who decides about streams. */
async function untilReady(servers: readonly Server[], login: Login | undefined): Promise<void> {
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const known = login && { user: login.user, pass: login.password }
  const connection = await connectNats({ servers: addresses, ...known })
  try {
    await untilTrue('JetStream', async () => {
      const manager = await jetstreamManager(connection, { timeout: 1_000 }).catch(() => null)
      if (manager === null) return false
      const made = manager.streams.add({
        name: 'ready',
        subjects: ['ready'],
        num_replicas: servers.length >= 3 ? 3 : 1,
      })
      return made.then(
        () => manager.streams.delete('ready'),
        () => false,
      )
    })
  } finally {
    await connection.close()
  }
}
