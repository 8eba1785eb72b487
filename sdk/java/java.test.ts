import { execFile } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createContract } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileJava, makeJar } from '../../scripts/java.ts'
import { startWorld, type TestWorkspace, type World } from '../../server/src/testing/harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-java-'))
/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9'
let world: World
let jar: string

beforeAll(async () => {
  jar = makeJar(folder)
  compileJava('test', join(folder, 'scenario'), jar)
  world = await startWorld()
}, 120_000)
afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Said = {
  sent: boolean
  queued: number
  losses: Record<string, number>
  outcomes: Record<string, number>
  duplicates: number
}

let directories = 0
const newDirectory = () => join(folder, `queue-${++directories}`)

/** Runs the application in a process of its own. Of one that is killed there is nothing to read. */
async function play(
  scenario: string,
  url: string,
  { keys }: TestWorkspace,
  directory: string,
  [from, to]: readonly [number, number] = [0, 0],
): Promise<Said> {
  const classPath = [jar, join(folder, 'scenario')].join(delimiter)
  const args = [
    '-cp',
    classPath,
    'dev.assay.Scenario',
    scenario,
    url,
    keys.public,
    directory,
    `${from}`,
    `${to}`,
  ]
  const out = await new Promise<string>((resolve, reject) => {
    execFile(
      'java',
      ['-Duser.timezone=Europe/Berlin', ...args],
      { timeout: 120_000 },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
    )
  })
  return out === '' ? { sent: false, queued: 0, losses: {}, outcomes: {}, duplicates: 0 } : JSON.parse(out)
}

async function workspace(): Promise<TestWorkspace> {
  const made = await world.newWorkspace()
  await made.call(createContract, {
    body: { key: 'card_moved', status: 'published', properties: { nth: { type: 'number', required: true } } },
  })
  return made
}

type Stored = { name: string; rows: string; ids: string; people: string; sessions: string; country: string }

async function stored(ours: TestWorkspace): Promise<Record<string, Omit<Stored, 'name'>>> {
  await ours.settle()
  const rows = await world.product.deps.events.query<Stored>(
    `SELECT name, toString(count()) AS rows, toString(uniqExact(event_id)) AS ids, any(country) AS country,
       toString(uniqExact(person_key)) AS people, toString(uniqExact(session_id)) AS sessions
     FROM events WHERE workspace_id = {id:String} GROUP BY name`,
    { id: ours.workspaceId },
  )
  return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]))
}

type Front = { url: string; paths: string[]; close: () => void }

/** A server in between that answers the first requests itself, as a broken or busy one does. */
async function front(
  answers: readonly { status: number; retryAfter?: string; cut?: true }[],
): Promise<Front> {
  const paths: string[] = []
  const server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    const answer = answers[paths.push(`${Date.now()} ${request.url}`) - 1]
    if (answer !== undefined && answer.cut !== true) {
      const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter }
      response.writeHead(answer.status, headers).end()
      return
    }
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const got = await fetch(`${world.product.url}${request.url}`, { method: 'POST', headers, body })
    const text = await got.text()
    // Taken by the product, and yet the client hears nothing of it.
    if (answer?.cut === true) request.socket.destroy()
    else response.writeHead(got.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // boundary: a listener on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, paths, close: () => server.close() }
}

describe('the Java SDK', { timeout: 180_000 }, () => {
  test('sends a thousand events, each accepted and counted once, as one person in one session', async () => {
    const ours = await workspace()
    const said = await play('send', world.product.url, ours, newDirectory(), [0, 1000])
    expect(said).toMatchObject({
      sent: true,
      queued: 0,
      losses: {},
      outcomes: { accept: 1001 },
      duplicates: 0,
    })
    expect(await stored(ours)).toMatchObject({
      card_moved: { rows: '1000', ids: '1000', people: '1', sessions: '1', country: 'DE' },
      $session_start: { rows: '1' },
    })
  })

  test('keeps what a down server and a kill left, and sends all of it later, once', async () => {
    const ours = await workspace()
    const directory = newDirectory()
    expect(await play('offline', nowhere, ours, directory, [0, 300])).toMatchObject({
      sent: false,
      queued: 301,
    })
    await play('killed', nowhere, ours, directory, [300, 700])
    await play('killed', world.product.url, ours, directory, [700, 900])
    const said = await play('send', world.product.url, ours, directory, [900, 1000])
    expect(said).toMatchObject({ sent: true, queued: 0, losses: {} })
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '1000', ids: '1000', people: '1' } })
    expect(readdirSync(directory).filter((name) => name.startsWith('queue-'))).toEqual([])
  })

  test('sends a batch again whose answer was lost, and it counts once', async () => {
    const ours = await workspace()
    const between = await front([{ status: 0, cut: true }])
    try {
      const said = await play('send', between.url, ours, newDirectory(), [0, 50])
      expect(said).toMatchObject({ sent: true, losses: {} })
      expect(said.duplicates).toBeGreaterThan(0)
    } finally {
      between.close()
    }
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '50', ids: '50' } })
  })

  test('sends what waited offline for a week, with its own times', async () => {
    const ours = await workspace()
    const directory = newDirectory()
    await play('week', nowhere, ours, directory, [0, 20])
    expect(await play('send', world.product.url, ours, directory)).toMatchObject({ sent: true, losses: {} })
    await ours.settle()
    const [row] = await world.product.deps.events.query<{ hours: number; rows: string }>(
      `SELECT dateDiff('second', max(ts), now()) / 3600 AS hours, toString(count()) AS rows FROM events
       WHERE workspace_id = {id:String} AND name = 'card_moved'`,
      { id: ours.workspaceId },
    )
    expect([Math.round(Number(row?.hours)), row?.rows]).toEqual([167, '20'])
  })

  test.each([429, 503])('waits as long as %d asks for', async (status) => {
    const ours = await workspace()
    const between = await front([{ status, retryAfter: '3' }])
    try {
      const said = await play('send', between.url, ours, newDirectory(), [0, 10])
      expect(said).toMatchObject({ sent: true, losses: {} })
      const [first = 0, second = 0] = between.paths.map((line) => Number(line.split(' ')[0]))
      expect(second - first).toBeGreaterThanOrEqual(2_990)
    } finally {
      between.close()
    }
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '10' } })
  })

  test('stops at a refused key with one request, and keeps the events', async () => {
    const between = await front(Array.from({ length: 9 }, () => ({ status: 401 })))
    try {
      const said = await play('send', between.url, await workspace(), newDirectory(), [0, 250])
      expect(said).toMatchObject({ sent: false, queued: 251, losses: { refused: 1 } })
      expect(between.paths).toHaveLength(1)
    } finally {
      between.close()
    }
  })

  test('drops and counts the oldest beyond the bounds of its queue, by number and by bytes', async () => {
    const ours = await workspace()
    const directory = newDirectory()
    const many = await play('bounded', nowhere, ours, directory, [0, 5000])
    expect(many).toMatchObject({ queued: 100, losses: { queue_full: 4901 } })
    const small = newDirectory()
    const { queued, losses } = await play('small', nowhere, ours, small, [0, 3000])
    expect(queued + (losses.queue_full ?? 0)).toBe(3001)
    const files = readdirSync(small).map((name) => statSync(join(small, name)).size)
    expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000)
    await play('send', world.product.url, ours, directory)
    await ours.settle()
    const [row] = await world.product.deps.events.query<{ lowest: number; rows: string }>(
      `SELECT min(JSONExtractInt(properties, 'nth')) AS lowest, toString(count()) AS rows FROM events
       WHERE workspace_id = {id:String} AND name = 'card_moved'`,
      { id: ours.workspaceId },
    )
    expect([Number(row?.lowest), row?.rows]).toEqual([4900, '100'])
  })

  test('sends and stores nothing where consent is denied, also after a restart', async () => {
    const ours = await workspace()
    const directory = newDirectory()
    const between = await front([])
    try {
      expect(await play('denied', between.url, ours, directory, [0, 50])).toMatchObject({
        queued: 0,
        losses: {},
      })
      await play('send', between.url, ours, directory, [0, 50])
      expect(between.paths).toEqual([])
    } finally {
      between.close()
    }
    expect(readFileSync(join(directory, 'device'), 'utf8')).toBe('{"consent":"denied"}')
    expect(await stored(ours)).toEqual({})
  })

  test('informs the server when consent is withdrawn, and sends nothing after it', async () => {
    const ours = await workspace()
    const between = await front([])
    const directory = newDirectory()
    try {
      await play('withdrawn', between.url, ours, directory, [0, 20])
      expect(between.paths.map((line) => line.split(' ')[1])).toEqual(['/v1/batch', '/v1/consent'])
    } finally {
      between.close()
    }
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '20' } })
    expect(readFileSync(join(directory, 'device'), 'utf8')).toBe('{"consent":"denied"}')
  })

  test('survives what applications hand over by mistake, and files that a power cut left in pieces', async () => {
    const ours = await workspace()
    const directory = newDirectory()
    const said = await play('odd', world.product.url, ours, directory)
    expect(said).toMatchObject({ sent: true, queued: 0, losses: { too_large: 1, unserialisable: 2 } })
    expect(said.outcomes).toMatchObject({ accept: 2, reject: 1 })
    await play('killed', nowhere, ours, directory, [0, 10])
    const [last = ''] = readdirSync(directory).filter((name) => name.startsWith('queue-'))
    appendFileSync(join(directory, last), 'E{"event":"card_mov')
    writeFileSync(join(directory, 'device'), '{"anonymous_id"')
    expect(await play('send', world.product.url, ours, directory, [10, 20])).toMatchObject({
      sent: true,
      losses: {},
    })
    writeFileSync(join(directory, 'position'), 'x y')
    expect(await play('send', world.product.url, ours, directory, [20, 30])).toMatchObject({
      sent: true,
      losses: {},
    })
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '31', ids: '31' } })
  })

  test('lets events wait in memory for consent, and sends them after it', async () => {
    const ours = await workspace()
    const between = await front([])
    try {
      const said = await play('pending', between.url, ours, newDirectory(), [0, 50])
      expect(said).toMatchObject({ sent: true, losses: {} })
      expect(between.paths.map((line) => line.split(' ')[1])).toEqual(['/v1/consent', '/v1/batch'])
    } finally {
      between.close()
    }
    expect(await stored(ours)).toMatchObject({ card_moved: { rows: '50', people: '1' } })
  })

  test('begins a session after half an hour without the app, and a new visitor after a reset', async () => {
    const ours = await workspace()
    const said = await play('life', world.product.url, ours, newDirectory())
    expect(said).toMatchObject({ sent: true, losses: {} })
    expect(await stored(ours)).toMatchObject({
      $session_start: { rows: '3' },
      $pageview: { rows: '2', sessions: '1', people: '1' },
      $login: { rows: '2', people: '2', sessions: '2' },
    })
  })
})

test('the version is that of the other SDKs, in the code as on its page', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../server/package.json'), 'utf8'))
  const code = readFileSync(join(import.meta.dirname, 'src/main/java/dev/assay/Assay.java'), 'utf8')
  expect(code).toContain(`VERSION = "${version}"`)
  const page = readFileSync(join(import.meta.dirname, '../../docs/java-sdk.md'), 'utf8')
  const jars = new Set(page.match(/assay-java-[\d.]+\.jar/g))
  expect([...jars]).toEqual([`assay-java-${version}.jar`])
})

test('the jar needs nothing but Java 8 or Android', () => {
  const source = readdirSync(join(import.meta.dirname, 'src/main/java/dev/assay')).map((name) =>
    readFileSync(join(import.meta.dirname, 'src/main/java/dev/assay', name), 'utf8'),
  )
  const used = source.flatMap((text) =>
    [...text.matchAll(/\b(?:java|javax|sun|com|org)\.\w+(?:\.\w+)?/g)].map(([name]) => name),
  )
  const allowed = /^java\.(io|net|nio|util|text|vendor)/
  expect([...new Set(used)].filter((name) => !allowed.test(name))).toEqual([])
})
