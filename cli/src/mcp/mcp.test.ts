import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  createContract,
  type GateCase,
  getContract,
  judgeCase,
  mintApiKey,
  revokeApiKey,
  track,
} from '@assay/contract'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { openShell } from '../testing/shell.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const inspector = join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

let world: World
let ours: TestWorkspace
const folder = mkdtempSync(join(tmpdir(), 'assay-mcp-'))
/** Each test starts processes, which takes a busy machine many times longer than an idle one. */
const processMsMax = 240_000
/** As published: one file, which also starts faster than the source. */
const assay = join(folder, 'assay.mjs')
const clients: Client[] = []

beforeAll(async () => {
  spawnSync(process.execPath, [join(root, 'cli', 'bin', 'bundle.js'), assay])
  world = await startWorld()
  ours = await world.newWorkspace()
  const sent = {
    event: '$purchase',
    event_id: 'order-1',
    user_id: 'u_1',
    properties: { amount: '5', currency: 'EUR' },
  }
  await ours.call(track, { body: sent }, { key: ours.keys.secret })
  await ours.settle()
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Transport = 'stdio' | 'http'
const transports: readonly Transport[] = ['stdio', 'http']

async function connect(transport: Transport, key: string, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  clients.push(client)
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${world.product.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [assay, 'mcp'],
          env: { ...home(), ASSAY_URL: world.product.url, ASSAY_KEY: key },
          cwd: folder,
        }),
  )
  return client
}

/** Of programs that a test starts: what one of them compiled serves all. */
const home = () => ({
  HOME: folder,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
})

const newEvent = (key: string) => ({
  key,
  description: 'Someone moved a card to another column.',
  owner: 'boards',
  properties: {
    from_column: { type: 'string', required: true },
    to_column: { type: 'string', required: true, enum: ['doing', 'done'] },
    hops: { type: 'number', minimum: 1 },
  } as const,
})

/** A valid call of every tool. */
const calls = (transport: Transport): Record<string, Record<string, unknown>> => ({
  list_events: { q: 'purchase', limit: 5 },
  add_event: { ...newEvent(`card_moved_by_${transport}`), even_if_similar: true },
  validate_event: { events: [{ event: '$login', user_id: 'u_1', properties: { method: 'email' } }] },
  explain_receipt: { event_id: 'order-1' },
  list_sites: {},
  read_overview: { window: '7d' },
  list_dimensions: {},
  run_query: {
    metrics: ['visitors', 'revenue'],
    dimensions: ['time:day', 'page'],
    window: '7d',
    compare: 'previous',
  },
  run_sql: { query: 'SELECT page, count() AS views FROM events GROUP BY page', window: '7d' },
  list_reports: { limit: 5 },
  read_funnels: { window: '7d' },
  read_drop_off: { window: '7d', steps: [{ path: '/' }, { event: '$purchase' }], step: 1 },
  read_health: {},
  read_event_health: { window: '7d', limit: 5 },
  read_anomalies: { status: 'open' },
  explain_outcome: { outcome_id: 'order-1' },
})

const inspected = ['add_event', 'validate_event', 'list_events']

describe.each(transports)('over %s', { timeout: processMsMax }, (transport) => {
  test('a client on the official SDK lists and calls every tool, each with annotations and shapes', async () => {
    const client = await connect(transport, ours.keys.secret)
    const { tools } = await client.listTools()
    const sound = calls(transport)
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(sound).toSorted())
    for (const { name, annotations, outputSchema, description } of tools) {
      expect(annotations, name).toMatchObject({ readOnlyHint: name !== 'add_event', destructiveHint: false })
      expect([typeof outputSchema, (description ?? '').length > 60], name).toEqual(['object', true])
      // The client itself checks the structured content against the output schema.
      const answer = await client.callTool({ name, arguments: sound[name] ?? {} })
      expect(answer.isError, `${name}: ${textOf(answer)}`).not.toBe(true)
      expect(JSON.parse(textOf(answer)), name).toEqual(answer.structuredContent)
    }
  })

  test('contracts are resources, and lists continue by cursor', async () => {
    const client = await connect(transport, ours.keys.test, 'legacy')
    const page = await client.callTool({ name: 'list_events', arguments: { limit: 3 } })
    const { events, next_cursor } = Object(page.structuredContent)
    const rest = await client.callTool({ name: 'list_events', arguments: { limit: 3, cursor: next_cursor } })
    const keys = [...events, ...Object(rest.structuredContent).events].map(({ key }) => key)
    expect([keys.length, new Set(keys).size, keys]).toEqual([6, 6, keys.toSorted()])
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('assay://contracts/purchase')
    const { contents } = await client.readResource({ uri: 'assay://contracts/purchase' })
    expect(JSON.parse(String(Object(contents[0]).text))).toMatchObject({ key: 'purchase', name: '$purchase' })
    await expect(client.readResource({ uri: 'assay://contracts/nobody_knows' })).rejects.toMatchObject({
      code: expect.any(Number),
      message: expect.stringContaining('assay://contracts/nobody_knows'),
    })
  })

  test('bad input is an error that says what is wrong, and an unknown tool is one of the protocol', async () => {
    const client = await connect(transport, ours.keys.secret)
    expect(await outcomeOf(client, 'explain_receipt', { event_id: 7 })).toMatch(/event_id/)
    expect(await outcomeOf(client, 'list_events', { colour: 'red' })).toMatch(/colour|additional/i)
    expect(await outcomeOf(client, 'explain_receipt', { event_id: 'never-sent' })).toContain('(404)')
    expect(await outcomeOf(client, 'drop_tables', {})).toMatch(/drop_tables/)
  })

  test('a key without the scope is refused with the reason, and an invalid key is refused', async () => {
    const reader = await connect(transport, ours.keys.test)
    const wanted = { ...newEvent('board_shared_out'), even_if_similar: true }
    expect(await outcomeOf(reader, 'add_event', wanted)).toContain('(403)')
    const { body } = await ours.call(mintApiKey, { body: { kind: 'secret', name: 'gone' } })
    await ours.call(revokeApiKey, { params: { id: body.id } })
    if (transport === 'http')
      await expect(connect(transport, body.key)).rejects.toMatchObject({ status: 401 })
    else expect(await outcomeOf(await connect(transport, body.key), 'list_events', {})).toContain('(401)')
  })

  test('the official inspector lists the tools without complaint, calls some, and reads a resource', async () => {
    const listed = await inspect(transport, ['--method', 'tools/list', '--strict'])
    expect(Object(listed).tools).toHaveLength(16)
    const called = calls(transport)
    called.add_event = { ...newEvent(`card_pinned_by_${transport}`), even_if_similar: true }
    // Each call starts two or three processes: so it calls a tool that writes, one with objects and lists, and one
    // with texts and numbers. The client above calls all tools over both transports.
    await Promise.all(
      inspected.map(async (name) => {
        const given = Object.entries(called[name] ?? {}).map(([key, value]) => `${key}=${argument(value)}`)
        const flags = given.flatMap((pair) => ['--tool-arg', pair])
        const answer = await inspect(transport, ['--method', 'tools/call', '--tool-name', name, ...flags])
        expect(Object(answer).isError, `${name}: ${JSON.stringify(answer)}`).not.toBe(true)
      }),
    )
    const read = await inspect(transport, ['--method', 'resources/read', '--uri', 'assay://contracts/login'])
    expect(JSON.stringify(read)).toContain('$login')
  })
})

describe('add_event', () => {
  test('shows what is alike by name, by properties and by mapping, and makes nothing', async () => {
    const client = await connect('http', ours.keys.secret)
    await ours.call(createContract, { body: { ...newEvent('task_shifted'), status: 'published' } })
    const similar = async (event: object) => {
      const answer = await client.callTool({ name: 'add_event', arguments: { ...event } })
      const { created, similar: found } = Object(answer.structuredContent)
      expect(created).toBe(false)
      return found.map(({ key }: { key: string }) => key)
    }
    expect(await similar({ ...newEvent('shifted_tasks'), properties: {} })).toContain('task_shifted')
    expect(await similar(newEvent('ticket_relocated'))).toContain('task_shifted')
    expect(await similar({ ...newEvent('checkout_success'), properties: {} })).toContain('purchase')
    const missing = await ours.call(getContract, { params: { key: 'ticket_relocated' }, query: {} })
    expect(missing.status).toBe(404)
  })

  test('answers with a draft, code that sends it, and a test that holds', async () => {
    const client = await connect('http', ours.keys.secret)
    const answer = await client.callTool({ name: 'add_event', arguments: newEvent('sprint_reordered_again') })
    const retried =
      Object(answer.structuredContent).created === true
        ? answer
        : await client.callTool({
            name: 'add_event',
            arguments: { ...newEvent('sprint_reordered_again'), even_if_similar: true },
          })
    const { contract, files, snippet, test: cases, created } = Object(retried.structuredContent)
    expect(created).toBe(true)
    expect(contract).toMatchObject({ key: 'sprint_reordered_again', status: 'draft', owner: 'boards' })
    const contentOf = (path: string): string =>
      files.find((file: { path: string }) => file.path === path)?.content ?? ''
    const judged: GateCase[] = JSON.parse(contentOf(cases.path))
    expect(judged.map((one) => judgeCase(one).outcome)).toEqual(['accept', 'reject', 'reject'])
    expect(judged.map(({ expect: { outcome } }) => outcome)).toEqual(['accept', 'reject', 'reject'])
    expect(snippet).toMatchObject({
      language: 'typescript',
      content: expect.stringContaining('assay.track('),
    })
  })

  test('answers with whole files: written out, they are what a pull writes, and the snippet compiles', async () => {
    const client = await connect('http', ours.keys.secret)
    for (const key of ['first_of_two', 'second_of_two']) {
      const given = { ...newEvent(key), even_if_similar: true }
      const { files, snippet } = Object(
        (await client.callTool({ name: 'add_event', arguments: given })).structuredContent,
      )
      const project = join(folder, key)
      for (const { path, content } of [...files, { path: 'call.ts', content: snippet.content }]) {
        mkdirSync(dirname(join(project, path)), { recursive: true })
        writeFileSync(join(project, path), content)
      }
    }
    const project = join(folder, 'second_of_two')
    const code = readFileSync(join(project, 'assay-events.ts'), 'utf8')
    for (const key of ['purchase', 'first_of_two', 'second_of_two']) expect(code).toContain(key)
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(strictest))
    const compiled = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
    expect(compiled.stdout).toBe('')
    const shell = openShell()
    try {
      const args = ['--server', world.product.url, '--key', ours.keys.secret]
      expect((await shell.assay(['init', ...args])).exitCode).toBe(0)
      const path = 'assay/events/second_of_two.json'
      expect(readFileSync(join(project, path), 'utf8')).toBe(shell.read(path))
      const command = `assay/cases/second_of_two.json`
      shell.write(command, readFileSync(join(project, command), 'utf8'))
      expect((await shell.assay(['validate', '--cases', command])).exitCode).toBe(0)
    } finally {
      shell.remove()
    }
  })
})

/** As strict as a project may be, with the browser SDK of this repository. */
const strictest = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'preserve',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    paths: { '@assay/browser': [join(root, 'sdk/browser/src/client.ts')] },
  },
  include: ['call.ts'],
}

test('without a credential the endpoint answers 401, and it takes nothing but POST', async () => {
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(`${world.product.url}/mcp`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }),
    })
  const refused = await ask('POST', {})
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect((await ask('POST', { authorization: `Bearer ${ours.keys.public}` })).status).toBe(403)
  const got = await ask('GET', { authorization: `Bearer ${ours.keys.secret}` })
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
})

function textOf(answer: CallToolResult): string {
  const [first] = answer.content
  return first?.type === 'text' ? first.text : ''
}

/** The error of a call that must fail, from the tool or from the protocol. */
async function outcomeOf(client: Client, name: string, given: Record<string, unknown>): Promise<string> {
  try {
    const answer = await client.callTool({ name, arguments: given })
    expect(answer.isError, textOf(answer)).toBe(true)
    return textOf(answer)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const argument = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** One run of the official inspector, as from a shell. */
function inspect(transport: Transport, more: readonly string[]): Promise<unknown> {
  const key = ours.keys.secret
  const target =
    transport === 'http'
      ? [`${world.product.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
      : [process.execPath, assay, 'mcp', '-e', `ASSAY_URL=${world.product.url}`, '-e', `ASSAY_KEY=${key}`]
  const args = [inspector, '--cli', ...target, ...more]
  const env = { ...home(), PATH: process.env.PATH }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, cwd: folder, timeout: processMsMax }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout))
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
    })
  })
}
