import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  applyWorkspaceImport,
  batch,
  getOverview,
  getSubjectRequest,
  getWorkspaceExport,
  getWorkspaceImport,
  readWorkspaceExport,
  requestExport,
  requestForget,
  sendWorkspaceImport,
  startWorkspaceExport,
  startWorkspaceImport,
  type TransferManifest,
  transferFormat,
} from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import {
  type Caller,
  caller,
  type Database,
  makeDatabase,
  sharedStores,
  startWorld,
  type TestWorkspace,
  untilTrue,
  type World,
} from './testing/harness.ts'
import { exportWorkspace, type Moved } from './testing/moved-workspace.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-shared-'))
let database: Database
let nats: NatsServers
/** A node that is killed, and one that stays. */
let killed: ChildProduct
let stays: World
/** Another installation, from which a workspace comes. */
let elsewhere: World
let env: Record<string, string> = {}

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(1)])
  const postgresUrl = database.url
  env = {
    ASSAY_POSTGRES_URL: postgresUrl,
    ASSAY_CLICKHOUSE_URL: clickhouseUrl,
    ASSAY_LOG_URL: nats.url,
    ASSAY_LOG_PARTITIONS: '2',
    ASSAY_DATA_DIR: join(directory, 'killed'),
  }
  mkdirSync(join(directory, 'killed'), { mode: 0o700 })
  killed = await startChild(env)
  const replicatedLog = nats.settings({ partitions: 2 })
  stays = await startWorld({ config: { postgresUrl, replicatedLog } })
  elsewhere = await startWorld()
}, 400_000)
afterAll(async () => {
  await killed?.kill()
  await Promise.all([stays?.close(), elsewhere?.close()])
  await nats?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

const loginOf = (user_id: string) => ({ event: '$login', user_id, properties: { method: 'mail' } })

async function linesOf(call: Caller, id: string, part: string): Promise<string> {
  let text = ''
  for (let offset: number | null = 0; offset !== null; ) {
    const input = { params: { id, part }, query: { offset } }
    const piece: { text: string; next_offset: number | null } = (await call(readWorkspaceExport, input)).body
    text += piece.text
    offset = piece.next_offset
  }
  return text
}

const textsOf = ({ parts }: Moved) =>
  [...parts].map(([name, lines]) => [name, lines.map((line) => `${line}\n`).join('')] as const)

function manifestOf(moved: Moved): TransferManifest {
  const parts = textsOf(moved).map(([name, text]) => ({
    name,
    rows: text.split('\n').length - 1,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  return { ...moved.manifest, parts }
}

test('what one node made is downloaded from the other, and an upload continues there, after the first is killed', async () => {
  const shop = await stays.newWorkspace()
  const there = caller(killed.url, shop.keys.live)
  await there(batch, { body: { batch: [loginOf('ada'), loginOf('ben')] } })
  const { body: made } = await there(startWorkspaceExport, { body: { format: transferFormat } })
  const state = async () => (await shop.call(getWorkspaceExport, { params: { id: made.id } })).body
  await untilTrue('the export', async () => (await state()).status !== 'running', 120_000)
  const { manifest } = await state()
  expect(manifest?.parts.find(({ name }) => name === 'events')?.rows).toBe(2)

  const identifiers = [{ type: 'user_id' as const, value: 'ada' }]
  const { body: asked } = await there(requestExport, { body: { identifiers, regime: 'gdpr' } })
  const request = async () => (await shop.call(getSubjectRequest, { params: { id: asked.id } })).body
  await untilTrue('the archive', async () => (await request()).status === 'completed', 120_000)
  const link = new URL((await request()).export?.url ?? '')
  const download = (url: string) => fetch(`${url}${link.pathname}${link.search}`)

  const old = await elsewhere.newWorkspace()
  await old.send([loginOf('cleo'), loginOf('dora'), loginOf('emil')])
  const moved = await exportWorkspace(elsewhere, old)
  const target = await stays.newWorkspace()
  const targetThere = caller(killed.url, target.keys.live)
  const { status, body: begun } = await targetThere(startWorkspaceImport, {
    body: { manifest: manifestOf(moved) },
  })
  expect(status).toBe(201)
  const { id } = begun
  const send = async (call: Caller, part: string, offset: number, text: string) => {
    const { status: sent } = await call(sendWorkspaceImport, { params: { id, part }, body: { offset, text } })
    expect(sent).toBe(200)
  }
  const texts = textsOf(moved).filter(([, text]) => text !== '')
  const events = moved.parts.get('events') ?? []
  const first = `${events[0]}\n`
  await send(targetThere, 'events', 0, first)

  const before = Buffer.from(await (await download(killed.url)).arrayBuffer())
  await killed.kill()

  for (const { name, bytes, sha256 } of manifest?.parts ?? []) {
    const text = await linesOf(shop.call, made.id, name)
    expect([Buffer.byteLength(text), createHash('sha256').update(text).digest('hex')]).toEqual([
      bytes,
      sha256,
    ])
  }
  const archive = await download(stays.product.url)
  expect(archive.status).toBe(200)
  const after = Buffer.from(await archive.arrayBuffer())
  expect(after.length).toBe((await request()).export?.bytes)
  expect(after).toEqual(before)

  await continueUpload({ target, id, first, texts, events, send })
  const query = { siteId: old.siteId, window: '7d' as const }
  expect((await target.call(getOverview, { query })).body.metrics.events).toBe(3)
  // What is in place leaves no files; what was made for others is of their workspace.
  const left = () => stays.product.deps.control.query('SELECT DISTINCT workspace_id FROM stored_files')
  expect(await left()).toEqual([{ workspace_id: shop.workspaceId }])

  // All files hold what the lost node wrote about the person, also one that it had not finished.
  await stays.product.deps.control.query(
    "INSERT INTO stored_files (path, place, workspace_id, chunk) VALUES ($1, 0, $2, '')",
    [`exports/${asked.id}.zip.cut-off.part`, shop.workspaceId],
  )
  const { body: forgotten } = await shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })
  const forget = async () => (await shop.call(getSubjectRequest, { params: { id: forgotten.id } })).body
  await untilTrue('the end of the person', async () => (await forget()).status === 'completed', 120_000)
  expect(await left()).toEqual([])
  expect((await download(stays.product.url)).status).not.toBe(200)
}, 400_000)

type Upload = {
  target: TestWorkspace
  id: string
  first: string
  texts: readonly (readonly [part: string, text: string])[]
  events: readonly string[]
  send: (call: Caller, part: string, offset: number, text: string) => Promise<void>
}

/** Where the other node left it, up to its end. */
async function continueUpload({ target, id, first, texts, events, send }: Upload): Promise<void> {
  const { body: received } = await target.call(getWorkspaceImport, { params: { id } })
  expect(received.received.find(({ name }) => name === 'events')?.bytes).toBe(Buffer.byteLength(first))
  await send(
    target.call,
    'events',
    Buffer.byteLength(first),
    events
      .slice(1)
      .map((line) => `${line}\n`)
      .join(''),
  )
  for (const [name, text] of texts) if (name !== 'events') await send(target.call, name, 0, text)
  expect((await target.call(applyWorkspaceImport, { params: { id }, body: {} })).status).toBe(202)
  const imported = async () => (await target.call(getWorkspaceImport, { params: { id } })).body
  await untilTrue('the import', async () => (await imported()).status !== 'applying', 120_000)
  expect(await imported()).toMatchObject({ status: 'done', error: null })
}

test('an import whose node was killed while it was put into place is put into place by another one', async () => {
  const { control } = stays.product.deps
  const old = await elsewhere.newWorkspace()
  await old.send([loginOf('fay')])
  const moved = await exportWorkspace(elsewhere, old)
  const target = await stays.newWorkspace()
  const body = { manifest: manifestOf(moved) }
  const { id } = (await target.call(startWorkspaceImport, { body })).body
  for (const [part, text] of textsOf(moved)) {
    if (text === '') continue
    await target.call(sendWorkspaceImport, { params: { id, part }, body: { offset: 0, text } })
  }
  // As a node leaves it that died a minute ago.
  await control.query(
    `UPDATE workspace_imports SET status = 'applying', node_id = 'gone', seen_at = now() - interval '61 seconds'
     WHERE id = $1`,
    [id],
  )
  await stays.product.deps.imports.takeOver()
  const imported = async () => (await stays.product.deps.imports.get(target.workspaceId, id)).status
  await untilTrue('the import', async () => (await imported()) !== 'applying', 120_000)
  expect(await imported()).toBe('done')
}, 240_000)
