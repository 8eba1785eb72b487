import { spawn } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type BatchItemResult,
  batch,
  type CallInput,
  type GatePreset,
  ingestLimits,
  type KeyKind,
  type Outcome,
  type Output,
  type ProblemBody,
  type Role,
  type RouteShape,
  requestUrl,
} from '@assay/contract'
import { expect, inject } from 'vitest'
import { type Product, startProduct } from '../app/app.ts'
import { mintKey } from '../auth/keys/keys.ts'
import { type Config, readConfig } from '../config.ts'
import { type Clock, newId, systemClock } from '../platform/clock.ts'
import { createLogger, type Logger } from '../platform/logging/logger.ts'
import { changeSeverities } from '../registry/severities.ts'
import { createSiteRow } from '../sites/sites.ts'
import { addMember, ensureUser, verifyUser } from '../workspaces/members/users.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { execute } from './postgres-server.ts'

/** Long enough for a machine whose two cores are busy with other test files. */
const storesMsMax = 110_000

export async function untilTrue(
  what: string,
  condition: () => boolean | Promise<boolean>,
  msMax = 30_000,
): Promise<void> {
  const end = Date.now() + msMax
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${msMax} ms for: ${what}`)
    await wait(20)
  }
}

/** For jobs that continue when an item fails: in a test nothing should. */
export function raise(error: unknown): never {
  throw error
}

export async function sharedStores(): Promise<{ clickhouseUrl: string; controlTemplate: string }> {
  // One for each worker: an engine takes one statement at a time, and two would use one core.
  const directory = `${inject('storesDirectory')}/${process.env.VITEST_POOL_ID ?? '1'}`
  startOnce(directory, 'prepare-stores.ts')
  await untilTrue('the shared stores', () => areReady(directory), storesMsMax)
  const { clickhouseUrl } = JSON.parse(readFileSync(`${directory}/ready.json`, 'utf8'))
  if (emptied.file !== currentFile()) emptied = { file: currentFile(), done: emptyStore(clickhouseUrl) }
  await emptied.done
  return { clickhouseUrl, controlTemplate: `${directory}/template/control` }
}

/**
 * Puts a made and migrated control store where a product will look for its own: to make one takes 8 s of a core. That a
 * product makes its own is shown where one starts on nothing, as in private-directory.test.ts and kills.test.ts.
 */
export async function prepareControl(dataDir: string): Promise<string> {
  const { controlTemplate } = await sharedStores()
  cpSync(controlTemplate, `${dataDir}/control`, { recursive: true })
  return dataDir
}

/** Once a test file: the files of a worker share its process, and with it this module. */
let emptied: { file?: string | undefined; done: Promise<void> } = { done: Promise.resolve() }
const currentFile = () => expect.getState().testPath

/** What earlier files of this worker left would be rewritten with every deletion, and slow the last files down. */
async function emptyStore(clickhouseUrl: string): Promise<void> {
  const ask = async (sql: string): Promise<string> => {
    const answer = await fetch(clickhouseUrl, { method: 'POST', body: sql })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${sql}: ${text}`)
    return text
  }
  const left = await ask(
    `SELECT engine, name FROM system.tables
     WHERE database = currentDatabase() AND (engine = 'Memory' OR engine LIKE '%MergeTree' AND total_rows > 0)
       AND name != 'migrations' FORMAT TSV`,
  )
  for (const line of left.split('\n').filter((one) => one !== '')) {
    const [engine, name] = line.split('\t')
    await ask(engine === 'Memory' ? `DROP TABLE ${name}` : `TRUNCATE TABLE ${name}`)
  }
}

/** What ended while it was starting has said why. */
function areReady(directory: string): boolean {
  if (existsSync(`${directory}/ready.json`)) return true
  const pidFile = `${directory}/pid`
  if (existsSync(pidFile) && !isRunning(Number(readFileSync(pidFile, 'utf8'))))
    throw new Error(`the shared stores ended: ${readFileSync(`${directory}/said`, 'utf8')}`)
  return false
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Making a directory succeeds for one process only, and that one starts them for all. */
function startOnce(directory: string, program: string): void {
  try {
    mkdirSync(directory)
  } catch {
    return
  }
  const script = join(import.meta.dirname, program)
  const said = openSync(`${directory}/said`, 'w')
  const child = spawn(process.execPath, [script, directory], {
    stdio: ['ignore', 'ignore', said],
    detached: true,
  })
  closeSync(said)
  child.unref()
  // Renaming makes it appear whole.
  writeFileSync(`${directory}/pid.tmp`, String(child.pid))
  renameSync(`${directory}/pid.tmp`, `${directory}/pid`)
}

export type Database = {
  url: string
  /** Refused while anyone is connected. */
  drop: () => Promise<void>
}

/**
 * A control store on a Postgres server, as where the product runs on server stores. To start a world on it takes a
 * quarter of the processor time of an embedded one, and a statement less than half. Others use the same server: a test
 * that stops it, or looks at all of it, starts one of its own.
 */
export async function makeDatabase(content: 'migrated' | 'empty' = 'migrated'): Promise<Database> {
  // One for the whole run: a server has many databases.
  const directory = `${inject('storesDirectory')}/postgres`
  startOnce(directory, 'prepare-postgres.ts')
  await untilTrue('the shared Postgres server', () => areReady(directory), storesMsMax)
  const { template }: { template: string } = JSON.parse(readFileSync(`${directory}/ready.json`, 'utf8'))
  const at = (database: string) => Object.assign(new URL(template), { pathname: `/${database}` }).href
  const name = newId('world')
  const from = content === 'migrated' ? 'template_control' : 'template1'
  await execute(at('postgres'), `CREATE DATABASE ${name} TEMPLATE ${from}`)
  return { url: at(name), drop: () => execute(at('postgres'), `DROP DATABASE ${name}`) }
}

export type Answer<R extends RouteShape> = {
  status: number
  headers: Headers
  body: Output<R>
  /** The same body, for answers that are problems. */
  problem: ProblemBody
}

export type Caller = <R extends RouteShape>(
  route: R,
  input: CallInput<R>,
  options?: { key?: string | null; headers?: Record<string, string> },
) => Promise<Answer<R>>

export type TestWorkspace = {
  workspaceId: string
  siteId: string
  siteToken: string
  keys: Record<KeyKind, string>
  /** Calls with the live key by default. */
  call: Caller
  /**
   * Sends any number of events, each of which must be accepted by default, and waits until they are stored.
   */
  send: (events: readonly object[], options?: SendOptions) => Promise<BatchItemResult[]>
  /** What was sent so far can be read after this. */
  settle: () => Promise<void>
}

type SendOptions = { key?: string; headers?: Record<string, string>; outcomes?: readonly Outcome[] }

/** A signed-in person, who calls with their access token. */
export type TestPerson = {
  userId: string
  email: string
  workspaceId: string
  sessionId: string
  accessToken: string
  refreshToken: string
  call: Caller
}

/** Like any new one it learns, unless unregistered events are to be quarantined. */
type WantedWorkspace = { timezone?: string; currency?: string; domain?: string; preset?: GatePreset }

export type World = {
  product: Product
  /** What an operator would see on the terminal. */
  printed: readonly string[]
  newWorkspace: (wanted?: WantedWorkspace) => Promise<TestWorkspace>
  /** A new person with this role in that workspace, or in one of their own, signed in. */
  signIn: (role: Role, workspace?: Pick<TestWorkspace, 'workspaceId'>) => Promise<TestPerson>
  close: () => Promise<void>
}

type WorldOptions = {
  /** Where the control store is: on a Postgres server, or embedded as in a product that was just installed. */
  control?: 'embedded' | 'server'
  now?: Clock
  config?: Partial<Config>
  logger?: Logger
  onStoreLost?: () => void
}

/** Tests call more often than any customer; those of the limits set their own. */
const unlimited = {
  apiRead: 1e9,
  apiWrite: 1e9,
  controlRead: 1e9,
  controlWrite: 1e9,
  person: 1e9,
  signIn: 1e9,
  open: 1e9,
}

/** `ASSAY_TEST_CONTROL=embedded` runs every world on the embedded control store. */
const controlOfAll = process.env.ASSAY_TEST_CONTROL

/** The whole product in this process, on stores shared with the other test files; a fresh workspace isolates a test. */
export async function startWorld({
  control = 'server',
  now = systemClock,
  config = {},
  logger = createLogger({ level: 'warn', format: 'text', now: systemClock, write: console.warn }),
  onStoreLost = () => {},
}: WorldOptions = {}): Promise<World> {
  const { clickhouseUrl, controlTemplate } = await sharedStores()
  const dataDir = mkdtempSync(join(tmpdir(), 'assay-world-'))
  const isOnServer = config.postgresUrl === undefined && (controlOfAll ?? control) === 'server'
  const database = isOnServer ? await makeDatabase() : null
  const base = {
    ...readConfig({ ASSAY_PORT: '0', ASSAY_DATA_DIR: dataDir }),
    clickhouseUrl,
    postgresUrl: database?.url,
    callsPerMinute: unlimited,
    publicEventsPerSecondPerAddress: 1e9,
  }
  const settings = { ...base, ...config }
  // A data directory that was used before brings its own control store.
  const controlDir = `${settings.dataDir}/control`
  if (settings.postgresUrl === undefined && !existsSync(controlDir))
    cpSync(controlTemplate, controlDir, { recursive: true })
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const product = await startProduct(settings, { now, logger, print, onStoreLost })
  return {
    product,
    printed,
    newWorkspace: (wanted) => makeWorkspace(product, now, wanted ?? {}),
    signIn: async (role, workspace) =>
      signInAs(product, now, role, workspace ?? (await makeWorkspace(product, now, {}))),
    async close() {
      await product.close()
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function makeWorkspace(product: Product, now: Clock, wanted: WantedWorkspace): Promise<TestWorkspace> {
  const { control } = product.deps
  const workspaceId = newId('ws')
  await openWorkspace(control, workspaceId, 'Test')
  if (wanted.preset !== undefined) await changeSeverities(control, workspaceId, { preset: wanted.preset })
  const site = await createSiteRow(control, newId, now, {
    workspaceId,
    name: 'Shop',
    domain: wanted.domain ?? 'shop.example',
    timezone: wanted.timezone ?? 'UTC',
    currency: wanted.currency ?? 'EUR',
  })
  const mint = async (kind: KeyKind) => {
    const isPublic = kind === 'public'
    const { key } = await mintKey(control, newId, now, {
      workspaceId,
      kind,
      name: 'Test',
      siteId: isPublic ? site.id : null,
      environment: 'production',
      scopes: isPublic ? ['events:send'] : ['*'],
      expiresAt: null,
    })
    return key
  }
  const keys = {
    public: await mint('public'),
    secret: await mint('secret'),
    live: await mint('live'),
    test: await mint('test'),
  }
  return withCalls(product, { workspaceId, siteId: site.id, siteToken: site.ingest_token, keys })
}

type KnownWorkspace = Pick<TestWorkspace, 'workspaceId' | 'siteId' | 'siteToken' | 'keys'>

/** A workspace that is there already. */
export function withCalls(product: Product, known: KnownWorkspace): TestWorkspace {
  const call = caller(product.url, known.keys.live)
  const settle = async () => {
    if (!(await product.deps.writer.flush(60_000))) throw new Error('the writer did not catch up')
  }
  return {
    ...known,
    call,
    send: async (events, options) => {
      const results = await sendAll(call, events, options)
      await settle()
      return results
    },
    settle,
  }
}

async function sendAll(
  call: Caller,
  events: readonly object[],
  { outcomes = ['accept'], ...options }: SendOptions = {},
): Promise<BatchItemResult[]> {
  const results: BatchItemResult[] = []
  for (let from = 0; from < events.length; from += ingestLimits.batchEventsMax) {
    const some = events.slice(from, from + ingestLimits.batchEventsMax)
    const { status, body } = await call(batch, { body: { batch: some } }, options)
    expect(status, JSON.stringify(body)).toBe(200)
    results.push(...body.results)
  }
  expect(results.filter(({ outcome }) => !outcomes.includes(outcome))).toEqual([])
  return results
}

async function signInAs(
  { deps: { control, sessions }, url }: Product,
  now: Clock,
  role: Role,
  { workspaceId }: Pick<TestWorkspace, 'workspaceId'>,
): Promise<TestPerson> {
  const { id: userId, email } = await ensureUser(control, newId, now, `${newId(role)}@example.com`)
  await verifyUser(control, userId, '', new Date(now()))
  await addMember(control, now, workspaceId, userId, role)
  const { sessionId, accessToken, refreshToken } = await sessions.open(userId, 'magic-link', {
    device: 'Test',
    country: '',
  })
  return { userId, email, workspaceId, sessionId, accessToken, refreshToken, call: caller(url, accessToken) }
}

export function caller(baseUrl: string, defaultKey: string | null): Caller {
  return async (route, input, { key = defaultKey, headers = {} } = {}) => {
    const response = await fetch(requestUrl(baseUrl, route, input), {
      method: route.method,
      headers: {
        ...('body' in input && { 'content-type': 'application/json' }),
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...('body' in input && { body: JSON.stringify(input.body) }),
    })
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body, problem: body }
  }
}

const freshNames = new Set(['dataUntil', 'pendingEvents', 'data_until', 'pending_events'])

/** An answer without how fresh it is, which is another with every question. */
export function undated<Body extends object>(body: Body): Body {
  const entries = Object.entries(body).filter(([name]) => !freshNames.has(name))
  // boundary: only members that are not compared are left out.
  return Object.fromEntries(entries) as Body
}
