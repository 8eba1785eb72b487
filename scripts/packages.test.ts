import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createContract } from '@assay/contract'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../server/src/testing/harness.ts'
import { makePackages, type Packed, sizeLine } from './packages.ts'
import { olderNode } from './testing/older-node.ts'

const root = join(import.meta.dirname, '..')
/** Outside the repository, so that nothing of it can be found by looking in the folders above. */
const folder = mkdtempSync(join(tmpdir(), 'assay-packages-'))
const project = join(folder, 'project')
const installed = join(project, 'node_modules', '@assay')
const node = olderNode() ?? process.execPath
let packed: Packed[]
let world: World
let ours: TestWorkspace

const planChosen = {
  key: 'plan_chosen',
  status: 'published',
  description: 'Someone chose a plan.',
  owner: 'growth',
  properties: { plan: { type: 'string', required: true, enum: ['free', 'team'] } },
} as const

async function startProduct(): Promise<void> {
  world = await startWorld()
  ours = await world.newWorkspace()
  await ours.call(createContract, { body: planChosen })
}

/** Offline: the packages need nothing that is not in them. */
async function install(): Promise<void> {
  packed = await makePackages(join(folder, 'packages'))
  for (const one of packed) console.info(sizeLine(one))
  mkdirSync(project)
  write('package.json', JSON.stringify({ name: 'a-shop', private: true }))
  const tarballs = packed.map(({ tarball }) => tarball)
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs])
}

beforeAll(startProduct)
beforeAll(install)
beforeAll(async () => {
  await assay('init', '--server', world.product.url, '--key', ours.keys.secret, '--language', 'typescript')
})
afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

const write = (path: string, text: string) => writeFileSync(join(project, path), text)
const manifestOf = (name: string) => JSON.parse(readFileSync(join(installed, name, 'package.json'), 'utf8'))

/** The environment of a stranger: the old Node first, and nothing that npm says about this repository. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$|NODE_)/i.test(name))
  const PATH = [dirname(node), process.env.PATH ?? ''].join(delimiter)
  const product = world && { ASSAY_URL: world.product.url, ASSAY_KEY: ours?.keys.secret }
  return { ...Object.fromEntries(kept), ...product, PATH, HOME: folder }
}

type Ended = { exitCode: number; out: string; err: string }

function tryRun(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: project, env: environment(), timeout: 50_000 }, (error, out, err) => {
      const exitCode = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      resolve({ exitCode, out, err })
    })
  })
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await tryRun(program, args)
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}:\n${out}\n${err}`)
  return out
}

/** As in any project that has the package: npx finds the command there, and loads nothing. */
const assay = (...args: string[]) => run('npx', ['--offline', 'assay', ...args])

describe('a package as it is published', () => {
  test.each(['browser', 'server', 'cli'])('@assay/%s says what it is, and brings all of it', (name) => {
    const manifest = manifestOf(name)
    expect(manifest).toMatchObject({
      name: `@assay/${name}`,
      license: 'Apache-2.0',
      engines: { node: '>=20' },
      publishConfig: { access: 'public', provenance: true },
      sideEffects: name === 'browser' ? ['./sdk.js', './replay.js'] : false,
    })
    for (const field of ['private', 'scripts', 'dependencies', 'devDependencies'])
      expect(manifest).not.toHaveProperty(field)
    const home = join(installed, name)
    const present = new Set(globSync('**/*', { cwd: home }))
    const named = JSON.stringify([manifest.exports, manifest.bin ?? {}]).match(/(?<="\.\/)[^"]+\.\w+(?=")/g)
    const entries = Object.keys(manifest.exports).map((entry) => entry.slice('./'.length))
    const files = [...(named ?? []).filter((path) => !entries.includes(path)), 'README.md', 'LICENSE']
    expect(files.filter((path) => !present.has(path))).toEqual([])
  })

  test('holds no path of the repository, and no name of the packages that stay inside it', () => {
    const texts = globSync('**/*.{js,mjs,json,ts,md,txt}', { cwd: installed })
    expect(texts.length).toBeGreaterThan(50)
    const wrong = texts.filter((path) => {
      const text = readFileSync(join(installed, path), 'utf8')
      return text.includes(root) || /from ?["']@assay\/contract/.test(text)
    })
    expect(wrong).toEqual([])
  })
})

/** What a program of either kind does; its first lines load the package. */
const program = `
const client = createClient({ key: process.env.ASSAY_KEY, url: process.env.ASSAY_URL })
const good = { event: '$login', userId: 'u_1', properties: { method: 'email' } }
const bad = { event: '$purchase', userId: 'u_1', properties: { amount: 'much', currency: 'EUR' } }
const send = async () => {
  const { results } = await client.batch([good, bad])
  const refused = await createClient({ key: 'sk_live_wrong', url: process.env.ASSAY_URL })
    .batch([good])
    .catch((error) => error instanceof ApiProblem)
  await client.close()
  const entries = [watchExpress, watchFastify, watchHono, receiveWebhook, createTestClient]
  console.log(JSON.stringify({
    outcomes: results.map(({ outcome }) => outcome),
    refused,
    kinds: entries.map((entry) => typeof entry),
    node: process.versions.node,
  }))
}
send()
`
const names = {
  '@assay/server': '{ ApiProblem, createClient }',
  '@assay/server/express': '{ watchExpress }',
  '@assay/server/fastify': '{ watchFastify }',
  '@assay/server/hono': '{ watchHono }',
  '@assay/server/webhooks': '{ receiveWebhook }',
  '@assay/server/testing': '{ createTestClient }',
}
const programs = {
  'program.mjs': Object.entries(names).map(([name, taken]) => `import ${taken} from '${name}'`),
  'program.cjs': Object.entries(names).map(([name, taken]) => `const ${taken} = require('${name}')`),
}

describe('@assay/server', () => {
  test.each(Object.entries(programs))(
    '%s sends events on Node 20 and reads their verdicts',
    async (file, loads) => {
      write(file, loads.join('\n') + program)
      const said = JSON.parse(await run(node, [file]))
      expect(said).toMatchObject({
        outcomes: ['accept', 'reject'],
        refused: true,
        kinds: Array(5).fill('function'),
      })
      if (node !== process.execPath) expect(said.node).toMatch(/^2[0-3]\./)
    },
  )

  test('what its page says to paste prints the verdict', async () => {
    const page = readFileSync(join(installed, 'server', 'README.md'), 'utf8')
    const sample = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    write('pasted.mjs', sample.replace("'https://assay.example'", JSON.stringify(world.product.url)))
    expect(await run(node, ['pasted.mjs'])).toBe('accept\n')
  })
})

describe('@assay/browser', () => {
  test('is a module with `init`, and a file for a script tag that is the one the product serves', async () => {
    write('page.mjs', "import { init } from '@assay/browser'\nconsole.log(typeof init)\n")
    expect(await run(node, ['page.mjs'])).toBe('function\n')
    for (const file of ['sdk.js', 'sdk.mjs', 'replay.js']) {
      const served = await (await fetch(`${world.product.url}/${file}`)).text()
      expect(readFileSync(join(installed, 'browser', file), 'utf8') === served, file).toBe(true)
    }
  })
})

describe.each(['react-native', 'capacitor'])('@assay/browser/%s', (entry) => {
  test('can be imported and required', async () => {
    write('app.mjs', `import { init } from '@assay/browser/${entry}'\nconsole.log(typeof init)\n`)
    write('app.cjs', `console.log(typeof require('@assay/browser/${entry}').init)\n`)
    expect([await run(node, ['app.mjs']), await run(node, ['app.cjs'])]).toEqual(['function\n', 'function\n'])
    // Where bundlers look that do not read `exports`.
    expect(readFileSync(join(installed, 'browser', `${entry}.js`), 'utf8')).toContain('export {')
  })
})

describe('@assay/cli', () => {
  test('says its version and its help', async () => {
    expect(await assay('--version')).toBe(`${manifestOf('cli').version}\n`)
    expect(await assay('query', '--help')).toContain('assay query')
  })

  test('judges events by the contracts of the project, and checks it with the product', async () => {
    write('events.ndjson', '{"event": "plan_chosen", "user_id": "u", "properties": {"plan": "none"}}\n')
    const judged = await tryRun('npx', ['--offline', 'assay', 'validate', 'events.ndjson', '--json'])
    expect([judged.exitCode, JSON.parse(judged.out)]).toMatchObject([
      1,
      { results: [{ outcome: 'quarantine' }] },
    ])
    expect(await assay('doctor', '--no-event')).toContain('@assay/server')
  })

  test('serves AI editors over standard input and output', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const env = Object.fromEntries(
      Object.entries(environment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const args = [join(installed, 'cli', 'assay.js'), 'mcp']
    await client.connect(new StdioClientTransport({ command: node, args, env, cwd: project }))
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.map(({ name }) => name)).toContain('validate_event')
  })
})

const typed = `import { init, type Client as PageClient } from '@assay/browser'
import { createClient, everyItem, type Client } from '@assay/server'
import { trackerOf, watchExpress, type ExpressMiddleware } from '@assay/server/express'
import { watchFastify } from '@assay/server/fastify'
import { watchHono } from '@assay/server/hono'
import { createTestClient } from '@assay/server/testing'
import { receiveWebhook } from '@assay/server/webhooks'
import type { Events } from './assay/code/assay-events.js'
`
const right = `${typed}
export const client: Client<Events> = createClient<Events>({ key: 'k', url: 'u' })
export const page: PageClient<Events> = init<Events>('pk', { host: 'h' })
client.track({ event: 'plan_chosen', userId: 'u', properties: { plan: 'free' } })
page.track('plan_chosen', { plan: 'team' })
client.with({ userId: 'u' }).track({ event: 'plan_chosen', properties: { plan: 'free' } })
client.track({ event: '$purchase', anonymousId: 'a', properties: { amount: 1, currency: 'EUR' } })
declare const variable: string | undefined
const untyped = createClient({ key: variable, url: 'u' })
untyped.track({ event: 'anything', userId: 'u', properties: { at: 'all' } })
export const requests: ExpressMiddleware['requests'] = watchExpress({ client: untyped }).requests
export const typedRequests: ExpressMiddleware['requests'] = watchExpress({ client }).requests
export const bought = (request: object) =>
  trackerOf<Events>(request)?.track({ event: '$purchase', properties: { amount: 1, currency: 'EUR' } })
export const names = async (): Promise<string[]> =>
  (await client.api.listSites({ query: {} })).data.map(({ name }) => name)
export { createTestClient, everyItem, receiveWebhook, watchFastify, watchHono }
`
const wrong = `${typed}
export const client = createClient<Events>({ key: 'k', url: 'u' })
export const page = init<Events>('pk', { host: 'h' })
client.track({ event: 'plan_chosen', userId: 'u', properties: { plan: 'gold' } })
client.track({ event: 'plan_choosen', userId: 'u', properties: { plan: 'free' } })
client.api.getSite({ params: {} })
client.api.noSuchRoute()
page.track('plan_chosen', {})
page.track('plan_chosen', { plam: 'free' })
watchExpress({ clint: 1 })
client.track({ event: 'plan_chosen', properties: { plan: 'free' } })
client.track({ event: '$purchase', userId: 'u', properties: { amount: 1, currency: 'EUR', cupon: 'x' } })
client.track({ event: 'plan_chosen', userId: undefined, properties: { plan: 'free' } })
page.track('$purchase', { amount: 1, currency: 'EUR', cupon: 'x' })
void client.batch([{ event: 'plan_chosen', properties: { plan: 'free' } }])
client.identify({ traits: { plan: 'free' } })
trackerOf<Events>({})?.track({ event: '$purchase', properties: { amont: 1, currency: 'EUR' } })
export { createTestClient, everyItem, receiveWebhook, watchFastify, watchHono }
export type { Client, ExpressMiddleware, PageClient }
`

describe('types', () => {
  const settings = {
    'node16, modules': ['mts', '--module', 'node16', '--moduleResolution', 'node16'],
    bundler: ['ts', '--module', 'esnext', '--moduleResolution', 'bundler'],
  }
  /** The files together, since each start of the compiler reads all types: where they are wrong, file by file. */
  const compile = async (files: readonly string[], options: readonly string[]) => {
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--types', '']
    const all = [...strict, '--lib', 'es2023,dom,dom.iterable', ...options, ...files]
    const { out } = await tryRun(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...all])
    return out
      .split('\n')
      .filter((line) => line.includes('error TS'))
      .map((line) => /^(\w+\.\w+)[(:](\d+)/.exec(line)?.slice(1).join(' ') ?? line)
  }

  test.each(Object.entries(settings))(
    'compile and refuse what is wrong: %s',
    async (_name, [ending, ...options]) => {
      write(`right.${ending}`, right)
      write(`wrong.${ending}`, wrong)
      // The seven lines of wrong names and values, then people, misspelt properties and the middleware.
      const lines = [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
      expect(await compile([`right.${ending}`, `wrong.${ending}`], options)).toEqual(
        lines.map((line) => `wrong.${ending} ${line}`),
      )
    },
  )

  test('of the entries for apps compile without types of a browser, as module and as CommonJS', async () => {
    const app = `import { init, type AppClient } from '@assay/browser/react-native'
import { init as initCapacitor } from '@assay/browser/capacitor'
import type { Events } from './assay/code/assay-events.js'
declare const storage: Record<'setItem' | 'removeItem', (key: string) => Promise<void>>
declare const reader: { getItem(key: string): Promise<string | null> }
const platform = { OS: 'ios', Version: '17' }
export const client: AppClient<Events> = init<Events>('pk', { host: 'h', storage: { ...storage, ...reader }, platform })
client.track('plan_chosen', { plan: 'free' })
client.screen('Plans')
initCapacitor('pk', { host: 'h', platform: 'ios' }).consent('denied')
`
    const noDom = (options: readonly string[]) => ['--lib', 'es2023', ...options]
    for (const [ending, ...options] of [...Object.values(settings), ['cts', '--module', 'node16']]) {
      write(`appRight.${ending}`, app)
      write(`appWrong.${ending}`, `${app}client.track('plan_chosen', { plam: 'free' })\n`)
      const files = [`appRight.${ending}`, `appWrong.${ending}`]
      expect(await compile(files, noDom(options))).toEqual([`appWrong.${ending} 11`])
    }
  })

  test('compile in CommonJS, without a module in between', async () => {
    const commonJs = right
      .replace("import { init, type Client as PageClient } from '@assay/browser'\n", '')
      .replaceAll(/^.*(?:PageClient|page\.track).*\n/gm, '')
    write('right.cts', commonJs)
    expect(await compile(['right.cts'], ['--module', 'node16', '--moduleResolution', 'node16'])).toEqual([])
  })
})
