import { randomBytes } from 'node:crypto'
import { text as textOf } from 'node:stream/consumers'
import {
  type ForgetMode,
  getOverview,
  getPerson,
  getReceipt,
  getSubjectRequest,
  identify,
  listPrivacyKeys,
  listQuarantined,
  listRecentEvents,
  requestExport,
  requestForget,
  type SubjectRequest,
  track,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { normalise } from '../../identity/graph/normal-form.ts'
import { countLines } from '../../ingest/wal/personal-lines.ts'
import { newId } from '../../platform/clock.ts'
import { isStored } from '../../store/people/personal-data.ts'
import { anyCharacter } from '../../testing/any-character.ts'
import { verifyCertificate } from '../../testing/certificate-check.ts'
import { countEverywhere } from '../../testing/erasure.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'
import { type Planted, plantEverywhere } from '../testing/personal-traces.ts'
import type { Certificate } from './certificate.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ control: 'embedded', config: { ingestEventsPerSecond: 1e9 } })
}, 240_000)
afterAll(() => world?.close())

async function done(at: TestWorkspace, id: string): Promise<SubjectRequest> {
  const read = async () => (await at.call(getSubjectRequest, { params: { id } })).body
  await untilTrue('the request', async () => /completed|failed/.test((await read()).status), 240_000)
  return read()
}

async function forget(at: TestWorkspace, value: string, mode: ForgetMode): Promise<SubjectRequest> {
  const identifiers = [{ type: 'user_id', value }]
  const asked = await at.call(requestForget, { body: { identifiers, regime: 'gdpr', mode } })
  expect(asked.status).toBe(202)
  return done(at, asked.body.id)
}

async function certificateOf(at: TestWorkspace, { forget: forgotten }: SubjectRequest): Promise<Certificate> {
  const { keys } = (await at.call(listPrivacyKeys, {}, { key: null })).body
  return verifyCertificate(forgotten?.certificate ?? '', keys)
}

async function archiveOf(at: TestWorkspace, value: string): Promise<Map<string, string>> {
  const identifiers = [{ type: 'user_id', value }]
  const asked = await at.call(requestExport, { body: { identifiers, regime: 'gdpr' } })
  const request = await done(at, asked.body.id)
  expect(request).toMatchObject({ status: 'completed', attempts: 1 })
  const response = await fetch(request.export?.url ?? '')
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await textOf(await zip.openReadStreamPromise(entry)))
  }
  return files
}

const storedPlaces = () => world.product.deps.privacy.places.filter(isStored)
const originalId = (at: TestWorkspace, type: string, value: string) =>
  world.product.deps.people.originalId(at.workspaceId, { type, value })

describe('a person in every place', () => {
  const person: Planted = {
    user: 'countess-of-lovelace',
    device: 'device-of-the-countess',
    mail: 'countess@lovelace.example',
  }
  let ours: TestWorkspace
  let theirs: TestWorkspace
  const somebodyIn = (at: TestWorkspace) => ({
    workspaceId: at.workspaceId,
    originalIds: [originalId(at, 'user_id', person.user), originalId(at, 'anonymous_id', person.device)],
    values: [person.user, person.device, person.mail],
  })

  async function readsOf(at: TestWorkspace) {
    const query = { siteId: at.siteId, window: '2d', includeBots: true }
    const { metrics, series } = (await at.call(getOverview, { query })).body
    const held = (await at.call(listQuarantined, { query: {} })).body.data
    const id = originalId(at, 'user_id', person.user)
    const known = (await at.call(getPerson, { params: { id } })).body
    const receipt = (await at.call(getReceipt, { params: { event_id: 'same-1' } })).body
    return { metrics, series, held, known, receipt }
  }

  beforeAll(async () => {
    ours = await world.newWorkspace({ preset: 'strict' })
    theirs = await world.newWorkspace({ preset: 'strict' })
    for (const at of [ours, theirs]) await plantEverywhere(world, at, person)
    await world.product.deps.exports.close()
  }, 300_000)

  test('is found in each of them, and exported or not as it says', async () => {
    const counts = await countEverywhere(world.product, somebodyIn(ours))
    // What is acknowledged is loaded at once.
    counts.delete('log')
    expect([...counts].filter(([, rows]) => rows === 0)).toEqual([])
    const files = await archiveOf(ours, person.user)
    const expected = storedPlaces().flatMap(({ exported }) =>
      'because' in exported ? [] : exported.map(({ name }) => `${name}.ndjson`),
    )
    expect([...files.keys()].sort()).toEqual([...expected, 'manifest.json'].sort())
    expect([...files].filter(([, content]) => content === '').map(([name]) => name)).toEqual([])
    expect(files.get('webhook_deliveries.ndjson')).toContain(person.mail)
    expect(files.get('audience_members.ndjson')).toContain('"is_member":1')
    expect(files.get('attribution_outcomes.ndjson')).toContain('same-1')
  }, 300_000)

  test('leaves each when forgotten, and the same person in another workspace stays as they are', async () => {
    const properties = { method: 'x', note: person.mail }
    const login = { event: '$login', user_id: person.user, properties }
    for (const at of [ours, theirs]) await at.call(track, { body: login })
    const recentOf = async (at: TestWorkspace) =>
      (await at.call(listRecentEvents, { query: { site_id: at.siteId } })).body.data
    expect((await recentOf(ours))[0]).toMatchObject({ name: '$login', properties })
    await ours.settle()
    const before = await countEverywhere(world.product, somebodyIn(ours))
    const theirsBefore = await countEverywhere(world.product, somebodyIn(theirs))
    const readBefore = await readsOf(theirs)
    const request = await forget(ours, ` ${person.user} `, 'erase')
    expect(request).toMatchObject({ status: 'completed', attempts: 1, error: null })
    const left = await countEverywhere(world.product, somebodyIn(ours))
    expect([...left].filter(([, rows]) => rows > 0)).toEqual([])
    expect(await countEverywhere(world.product, somebodyIn(theirs))).toEqual(theirsBefore)
    expect(await readsOf(theirs)).toEqual(readBefore)
    expect(await recentOf(ours)).toEqual([])
    expect((await recentOf(theirs))[0]).toMatchObject({ name: '$login', properties })
    const { stores } = await certificateOf(ours, request)
    expect(stores.map(({ store }) => store)).toEqual([...storedPlaces().map(({ name }) => name), 'files'])
    // The request itself is one more, and members' acts may name it.
    const grows = ['subject_requests', 'subject_request_callbacks', 'audit_log', 'audit_pending', 'files']
    for (const { store, rows, rows_left } of stores.filter((one) => !grows.includes(one.store))) {
      expect({ store, rows, rows_left }).toEqual({ store, rows: before.get(store), rows_left: 0 })
    }
  }, 300_000)

  test('leaves the lines of the log only in their own workspace, whatever others write into theirs', async () => {
    const { writer } = world.product.deps
    const originalIds = [ours, theirs].map((at) => originalId(at, 'user_id', 'a-line'))
    const send = (at: TestWorkspace, body: object) =>
      at.call(
        track,
        { body: { event: '$login', properties: { method: 'x' }, ...body } },
        { key: at.keys.secret },
      )
    await writer.withoutLoads(async () => {
      for (const at of [ours, theirs]) await send(at, { user_id: 'a-line' })
      await send(ours, { user_id: 'another', properties: { method: 'x', person_id: originalIds[0] } })
      const { log } = world.product
      const count = (at: TestWorkspace) => countLines(log, at.workspaceId, originalIds)
      expect([await count(ours), await count(theirs)]).toEqual([1, 1])
      await log.forget(ours.workspaceId, originalIds, 'erase')
      expect([await count(ours), await count(theirs)]).toEqual([0, 1])
    })
    await ours.settle()
    const rows = await world.product.deps.events.query<{ user_id: string }>(
      `SELECT user_id FROM events WHERE workspace_id = {id:String} AND user_id IN ('a-line', 'another')`,
      { id: ours.workspaceId },
    )
    expect(rows).toEqual([{ user_id: 'another' }])
  }, 120_000)
})

describe('whatever was stored', () => {
  const hostileText = fc.oneof(
    fc.constantFrom(
      '\ud800',
      '\\ud800',
      '\\u0000',
      '"\\',
      '%_%',
      '.*(a|b)[',
      '\u0001\u001f',
      "'; DROP TABLE events --",
    ),
    fc.constantFrom(
      'ΟΔΟΣ@ΟΔΟΣ.example',
      'İstanbul',
      '\u202e',
      'x'.repeat(20_000),
      'properties',
      '+49 30 1234567',
    ),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
  )
  const hostileValue = fc.oneof(hostileText, fc.jsonValue({ maxDepth: 3 }))
  const hostileKey = fc.oneof(
    fc.constantFrom(
      'email',
      'phone',
      'Email',
      '__proto__',
      'constructor',
      'na"me',
      'k\\u0000',
      'x'.repeat(200),
    ),
    fc.string({ minLength: 1, maxLength: 20 }),
  )
  const record = fc.array(fc.tuple(hostileKey, hostileValue), { maxLength: 6 }).map(Object.fromEntries)
  const identifier = fc.constantFrom(
    '\ufffd',
    'quo"te',
    'back\\slash',
    '%_',
    '.*[',
    'ÄÖ',
    '__proto__',
    'a/b',
    '\\u0041',
  )
  const somebody = fc.record({ identifier, traits: record, properties: record, mail: hostileText })

  /** As an older version, an import or a vendor may have left it. */
  async function storeRows(at: TestWorkspace, user: string, { mail }: { mail: string }): Promise<void> {
    const { control, events } = world.product.deps
    const originalPerson = originalId(at, 'user_id', user)
    const texts = [
      JSON.stringify(mail),
      '"\\ud800"',
      '"\\u0000"',
      '1e400',
      `{"email":["a@b.example",{"phone":5}]}`,
    ]
    for (const [index, value] of texts.entries()) {
      await control.query(
        `INSERT INTO person_traits (workspace_id, original_id, key, value, set_at, source)
         VALUES ($1, $2, $3, $4, now(), 'old') ON CONFLICT DO NOTHING`,
        [at.workspaceId, originalPerson, index === 0 ? 'email' : `old ${index}`, value],
      )
    }
    const depth = 50_000
    const deep = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},"customer":${JSON.stringify(user)}}`
    const ascii = JSON.stringify({ user_id: user }).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    for (const payload of [deep, ascii, `no JSON, but ${user}`]) {
      await control.query(
        `INSERT INTO webhook_deliveries (id, workspace_id, connection_id, site_id, provider, body_hash, item, type,
           status, event_ids, received_at, payload)
         VALUES ($1, $2, $1, $3, 'stripe', '\\x01', 0, 't', 'unmapped', '{}', now(), $4)`,
        [newId('whd'), at.workspaceId, at.siteId, payload],
      )
    }
    const held = { workspace_id: at.workspaceId, received_at: '2026-01-01 00:00:00', name: 'n', code: 'c' }
    await events.insertRows('quarantine', [
      { ...held, event_id: newId('e'), person_id: originalPerson, held: 'no JSON' },
      { ...held, event_id: newId('e'), person_id: '', held: ascii },
    ])
  }

  async function checkForgotten(at: TestWorkspace, user: string, mode: ForgetMode): Promise<void> {
    const request = await forget(at, `${user} `, mode)
    expect(request, JSON.stringify(user)).toMatchObject({ status: 'completed', attempts: 1, error: null })
    const { stores } = await certificateOf(at, request)
    expect(stores.every(({ rows_left }) => rows_left === 0)).toBe(true)
    expect(stores.find(({ store }) => store === 'webhook_deliveries')?.rows).toBe(3)
    const left = {
      workspaceId: at.workspaceId,
      originalIds: [originalId(at, 'user_id', user)],
      values: [user],
    }
    const counts = await countEverywhere(world.product, left)
    expect([...counts].filter(([, rows]) => rows > 0)).toEqual([])
    const event = { event: '$login', user_id: `\t${user}`, properties: { method: 'x' } }
    const again = await at.call(track, { body: event }, { key: at.keys.secret })
    expect(again.problem.errors?.map(({ code }) => code)).toContain('suppressed')
  }

  test('can be exported and forgotten, by erasing and by anonymising', async () => {
    const at = await world.newWorkspace({ preset: 'strict' })
    const people = fc.array(somebody, { minLength: 2, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(people, async (wanted) => {
        for (const [index, one] of wanted.entries()) {
          const sent = `${one.identifier}-${randomBytes(8).toString('hex')}`
          const normal = normalise({ type: 'user_id', value: sent })
          const user = 'value' in normal ? normal.value : ''
          const key = { key: at.keys.public }
          const named = await at.call(identify, { body: { user_id: sent, traits: one.traits } }, key)
          expect(named.status, JSON.stringify(one.traits)).toBeLessThan(500)
          const event = { event: '$login', user_id: sent, properties: { ...one.properties, method: 'x' } }
          expect((await at.call(track, { body: event }, key)).status).toBeLessThan(500)
          await at.call(identify, { body: { user_id: sent, traits: { email: '\ud800' } } }, key)
          await at.settle()
          await storeRows(at, user, one)
          const files = await archiveOf(at, sent)
          expect(files.get('webhook_deliveries.ndjson')?.trim().split('\n')).toHaveLength(3)
          await checkForgotten(at, user, index % 2 === 0 ? 'erase' : 'anonymise')
        }
      }),
      { numRuns: 1, endOnFailure: true },
    )
  }, 400_000)

  test('can be forgotten after a worker died over a rewrite, which would hold up all others', async () => {
    const { events } = world.product.deps
    await events.command('CREATE TABLE person_list_dead (value String) ENGINE = Memory')
    await events.command('SYSTEM STOP MERGES quarantine')
    await events.command(
      `ALTER TABLE quarantine UPDATE code = 'x' WHERE event_id IN (SELECT value FROM person_list_dead)
       SETTINGS mutations_sync = 0`,
    )
    await events.command('DROP TABLE person_list_dead')
    await events.command('SYSTEM START MERGES quarantine')
    const at = await world.newWorkspace({ preset: 'strict' })
    const user = `alive-${randomBytes(8).toString('hex')}`
    await at.call(identify, { body: { user_id: user } }, { key: at.keys.secret })
    await world.product.deps.events.insertRows('quarantine', [
      { workspace_id: at.workspaceId, received_at: '2026-01-01 00:00:00', event_id: newId('e'), held: user },
    ])
    expect(await forget(at, user, 'erase')).toMatchObject({ status: 'completed', attempts: 1 })
  }, 120_000)

  test('of a person with more identifiers than a search takes at once can be erased', async () => {
    const at = await world.newWorkspace({ preset: 'strict' })
    const user = `many-${randomBytes(8).toString('hex')}`
    const { control } = world.product.deps
    const own = originalId(at, 'user_id', user)
    await at.call(identify, { body: { user_id: user } }, { key: at.keys.secret })
    const ids = Array.from({ length: 600 }, (_, index) => `device-${index}-${user}`)
    await control.query(
      `INSERT INTO identifiers (workspace_id, original_id, type, value, first_seen_at, source, person_id)
       SELECT $1, d.original_id, 'anonymous_id', d.value, now(), 'old', $4
       FROM unnest($2::text[], $3::text[]) AS d (original_id, value)`,
      [at.workspaceId, ids.map((value) => originalId(at, 'anonymous_id', value)), ids, own],
    )
    const held = JSON.stringify({ device: ids.at(-1)?.toUpperCase() })
    await world.product.deps.events.insertRows('quarantine', [
      { workspace_id: at.workspaceId, received_at: '2026-01-01 00:00:00', event_id: newId('e'), held },
    ])
    const request = await forget(at, user, 'erase')
    expect(request).toMatchObject({ status: 'completed', forget: { counts: { quarantine: 1 } } })
  }, 120_000)
})
