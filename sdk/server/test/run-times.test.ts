import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeServerPackage } from '../../../scripts/packages/server-package.ts'
import { olderNode } from '../../../scripts/testing/older-node.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../../server/src/testing/harness.ts'
import { version } from '../src/version.ts'
import { startFaults } from './testing/faults.ts'

const root = join(import.meta.dirname, '../../..')
const programs = join(root, 'node_modules/.bin')
const folder = mkdtempSync(join(tmpdir(), 'assay-sdk-'))
const sdk = join(folder, 'sdk')
let world: World
let faults: Awaited<ReturnType<typeof startFaults>>

beforeAll(async () => {
  await makeServerPackage(sdk)
  await Promise.all([bundle('testing/program.ts'), bundle('testing/worker.ts')])
  faults = await startFaults()
  world = await startWorld()
})
afterAll(async () => {
  faults?.close()
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The tests and the published SDK, in one file. */
async function bundle(source: 'testing/program.ts' | 'testing/worker.ts'): Promise<void> {
  const entries = ['', '/webhooks', '/testing'].map((entry): [string, string] => [
    `@assay/server${entry}`,
    join(sdk, `${entry === '' ? 'index' : entry.slice(1)}.js`),
  ])
  await build({
    entryPoints: [join(import.meta.dirname, source)],
    outfile: join(folder, basename(source).replace('.ts', '.mjs')),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    alias: Object.fromEntries(entries.toSorted(([a], [b]) => b.length - a.length)),
    logLevel: 'silent',
  })
}

function settingsFor(workspace: TestWorkspace, runTime: string): string {
  const { url } = world.product
  return JSON.stringify({
    url,
    faultsUrl: faults.url,
    secretKey: workspace.keys.secret,
    siteId: workspace.siteId,
    runTime,
  })
}

function failuresIn(output: string): string[] {
  const outcomes: Record<string, string> = JSON.parse(output)
  expect(Object.keys(outcomes).length).toBeGreaterThan(10)
  return Object.entries(outcomes).flatMap(([name, failure]) =>
    failure === '' ? [] : [`${name}: ${failure}`],
  )
}

/** Every kind of call has become its event, once. */
async function expectStored(workspace: TestWorkspace, runTime: string): Promise<void> {
  await workspace.settle()
  const rows = await world.product.deps.events.query<{ event_id: string; name: string }>(
    'SELECT event_id, name FROM events WHERE workspace_id = {ws:String}',
    { ws: workspace.workspaceId },
  )
  const names = {
    track: '$login',
    identify: '$identify',
    page: '$pageview',
    screen: '$pageview',
    group: 'group',
  }
  for (const [what, name] of Object.entries(names)) {
    const found = rows.filter(({ event_id }) => event_id === `${runTime}-${what}`)
    expect(
      found.map((row) => row.name),
      what,
    ).toEqual([name])
  }
}

async function run(program: string, args: readonly string[], runTime: string): Promise<string[]> {
  const workspace = await world.newWorkspace()
  const failures = await execute(program, args, settingsFor(workspace, runTime))
  await expectStored(workspace, runTime)
  return failures
}

function execute(program: string, args: readonly string[], settings: string): Promise<string[]> {
  const env = { ...process.env, ASSAY_SDK_SETTINGS: settings, NO_COLOR: '1' }
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...args, join(folder, 'program.mjs')],
      { env, timeout: 50_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stderr}`))
        else resolve(failuresIn(stdout))
      },
    )
  })
}

// Concurrently: most of it is waiting, between attempts and for hanging calls.
describe.concurrent('the whole of the SDK works', () => {
  test('on Node 20, or the oldest one after it that this machine has', async () => {
    const node = olderNode()
    if (node === null) console.info('This machine has no Node older than ours, so only ours was tried.')
    expect(await run(node ?? process.execPath, [], 'node20')).toEqual([])
  })

  test('on Node 24', async () => {
    expect(process.versions.node).toMatch(/^24\./)
    expect(await run(process.execPath, [], 'node24')).toEqual([])
  })

  test('on Bun', async () => {
    expect(await run(join(programs, 'bun'), ['run'], 'bun')).toEqual([])
  })

  test('on Deno', async () => {
    const may = ['--allow-net=127.0.0.1', '--allow-env', '--no-config', '--no-lock', '--quiet']
    expect(await run(join(programs, 'deno'), ['run', ...may], 'deno')).toEqual([])
  })

  test('on workerd, as at the edge', async () => {
    const port = await freePort()
    const workspace = await world.newWorkspace()
    const settings = settingsFor(workspace, 'workerd')
    writeFileSync(join(folder, 'config.capnp'), workerdConfig(port, settings))
    const child = spawn(join(programs, 'workerd'), ['serve', join(folder, 'config.capnp')], {
      stdio: 'ignore',
    })
    try {
      await untilTrue('workerd listens', () => listens(port))
      expect(failuresIn(await (await fetch(`http://127.0.0.1:${port}/`)).text())).toEqual([])
      await expectStored(workspace, 'workerd')
    } finally {
      await ended(child)
    }
  })
})

function workerdConfig(port: number, settings: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "SETTINGS", text = ${JSON.stringify(settings)})],
);
`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

async function listens(port: number): Promise<boolean> {
  const { Socket } = await import('node:net')
  return new Promise((resolve) => {
    const socket = new Socket()
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.connect(port, '127.0.0.1', () => socket.end())
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

describe('what is published', () => {
  test('imports nothing but itself, needs no run time in particular, and has its version', () => {
    const files = readdirSync(sdk).filter((file) => file.endsWith('.js'))
    for (const file of files) {
      const text = readFileSync(join(sdk, file), 'utf8')
      const imported = [
        ...text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm),
      ].map(([, name, dynamic]) => name ?? dynamic)
      expect(
        imported.filter((name) => !name?.startsWith('./')),
        file,
      ).toEqual([])
      expect(text, file).not.toMatch(/\bBuffer\b|\bprocess\b|typebox|\brequire\(/)
    }
    const { dependencies, version: published } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
    expect(dependencies).toBeUndefined()
    expect(published).toBe(version)
  })
})
