import {
  batch,
  type ForgetMode,
  getSubjectRequest,
  identify,
  listPrivacyKeys,
  recordConsent,
  requestExport,
  requestForget,
  type SubjectRequest,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { silentLogger } from '../../platform/logging/logger.ts'
import { verifyCertificate } from '../../testing/certificate-check.ts'
import { countEverywhere } from '../../testing/erasure.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'
import { createWorker, type Handle, type Worker } from '../requests/worker.ts'
import type { Certificate } from './certificate.ts'

let world: World
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  world = await startWorld({
    now: () => Date.now() + aheadMs,
    config: { ingestEventsPerSecond: 1e9, requestsAtOnce: 4 },
  })
  // Only what a test starts works on requests.
  world.product.deps.privacy.stop()
}, 240_000)
afterAll(() => world?.close())

function workerOf(holder: string, handle: Handle): Worker {
  const { requests, key } = world.product.deps.privacy
  const deliver = async () => 204
  return createWorker({
    requests,
    holder,
    handle,
    key,
    deliver,
    logger: silentLogger,
    failures: { report: () => {} },
  })
}

async function ask(at: TestWorkspace, users: readonly string[], mode: ForgetMode = 'erase'): Promise<string> {
  const identifiers = users.map((value) => ({ type: 'user_id', value }))
  const asked = await at.call(requestForget, { body: { identifiers, regime: 'gdpr', mode } })
  expect(asked.status).toBe(202)
  return asked.body.id
}

const read = async (at: TestWorkspace, id: string): Promise<SubjectRequest> =>
  (await at.call(getSubjectRequest, { params: { id } })).body

/** Data of a person. A device may be shared with a person who was erased before them. */
type Life = { visits: number; held: number; isConsenting: boolean; sharesWith: number | null }

const userOf = (index: number) => `together-user-${index}`
const deviceOf = (index: number) => `together-device-${index}`

async function plant(at: TestWorkspace, lives: readonly Life[]): Promise<void> {
  const key = { key: at.keys.secret }
  const login = { event: '$login', properties: { method: 'x' } }
  for (const [index, { visits, held, isConsenting, sharesWith }] of lives.entries()) {
    const [user_id, anonymous_id] = [userOf(index), deviceOf(index)]
    const traits = { email: `${user_id}@example.com` }
    await at.call(identify, { body: { user_id, anonymous_id, traits } }, key)
    const events = [
      ...Array.from({ length: visits }, () => ({ ...login, anonymous_id })),
      ...Array.from({ length: held }, () => ({ ...login, event: 'never_heard_of', user_id })),
      ...(sharesWith === null ? [] : [{ ...login, user_id, anonymous_id: deviceOf(sharesWith) }]),
      { ...login, user_id: 'a-bystander', anonymous_id: 'bystander-device' },
    ]
    await at.call(batch, { body: { batch: events } }, key)
    const categories = { ad_storage: 'granted' as const }
    if (isConsenting) await at.call(recordConsent, { body: { user_id, categories } }, key)
  }
  await at.settle()
}

async function certified(at: TestWorkspace, id: string): Promise<Certificate> {
  const { keys } = (await at.call(listPrivacyKeys, {}, { key: null })).body
  return verifyCertificate((await read(at, id)).forget?.certificate ?? '', keys)
}

/** All remaining data of a workspace, without what differs between workspaces. */
async function remains(at: TestWorkspace): Promise<unknown> {
  const { events, control } = world.product.deps
  const { workspaceId } = at
  const columns = 'name, user_id, anonymous_id, outcome, resolved_by'
  const rows = (table: string) =>
    control.query(`SELECT count(*)::int AS rows FROM ${table} WHERE workspace_id = $1`, [workspaceId])
  return {
    events: await events.query(
      `SELECT ${columns} FROM events WHERE workspace_id = {workspaceId:String} ORDER BY ${columns}`,
      { workspaceId },
    ),
    held: await events.query(
      'SELECT name FROM quarantine WHERE workspace_id = {workspaceId:String} ORDER BY name',
      {
        workspaceId,
      },
    ),
    identifiers: await control.query(
      'SELECT type, value FROM identifiers WHERE workspace_id = $1 ORDER BY type, value',
      [workspaceId],
    ),
    suppressions: await rows('identity_suppressions'),
    ledger: await rows('identity_ledger'),
    consents: await rows('consents'),
    links: await rows('identity_links'),
  }
}

describe('people who are forgotten together', () => {
  const life = fc.record({
    visits: fc.nat(2),
    held: fc.nat(1),
    isConsenting: fc.boolean(),
    sharesWith: fc.option(fc.nat(1)),
  })
  const quiet: Life = { visits: 1, held: 1, isConsenting: true, sharesWith: null }
  const lived = fc.record({
    lives: fc.array(life, { minLength: 2, maxLength: 3 }).map((all) =>
      all.map((one, index) => ({
        ...one,
        sharesWith: one.sharesWith !== null && one.sharesWith < index ? one.sharesWith : null,
      })),
    ),
    mode: fc.constantFrom<ForgetMode>('erase', 'anonymise'),
  })

  test('leave as much behind as if each had been forgotten alone, with the same counts and certificates', async () => {
    const { handle } = world.product.deps.privacy
    const sizes: number[] = []
    const worker = workerOf('together', (rows, ...rest) => {
      sizes.push(rows.length)
      return handle(rows, ...rest)
    })
    await fc.assert(
      fc.asyncProperty(lived, async ({ lives, mode }) => {
        const isShared = lives.some(({ sharesWith }) => sharesWith !== null)
        const [together, alone] = [await world.newWorkspace(), await world.newWorkspace()]
        for (const at of [together, alone]) await plant(at, lives)
        const ids: string[] = []
        for (const index of lives.keys()) ids.push(await ask(together, [userOf(index)], mode))
        sizes.length = 0
        await worker.work()
        expect(sizes).toEqual([lives.length])
        for (const [index, id] of ids.entries()) {
          const own = await ask(alone, [userOf(index)], mode)
          await worker.work()
          const one = await read(together, id)
          expect(one).toMatchObject({ status: 'completed', attempts: 1, error: null })
          const [mine, theirs] = [await certified(together, id), await certified(alone, own)]
          expect(mine).toMatchObject({ request_id: id, mode, workspace_id: together.workspaceId })
          expect(mine.identifiers_suppressed).toBe(theirs.identifiers_suppressed)
          expect(mine.stores.every(({ rows_left }) => rows_left === 0)).toBe(true)
          expect(one.forget?.counts).toEqual(countsOf(mine))
          // What two of them share is found of both; one after the other, the first takes it away.
          if (isShared) expect(missing(countsOf(mine), countsOf(theirs))).toEqual([])
          else expect(mine.stores, JSON.stringify(lives)).toEqual(theirs.stores)
          const originalIds = [
            world.product.deps.people.originalId(together.workspaceId, userIdentifier(index)),
          ]
          const left = await countEverywhere(world.product, {
            workspaceId: together.workspaceId,
            originalIds,
          })
          expect([...left.values()].every((rows) => rows === 0)).toBe(true)
        }
        expect(await remains(together)).toEqual(await remains(alone))
      }),
      { numRuns: 4, examples: [[{ lives: [quiet, { ...quiet, sharesWith: 0 }], mode: 'erase' }]] },
    )
  }, 900_000)

  const countsOf = ({ stores }: Certificate) =>
    Object.fromEntries(stores.map(({ store, rows }) => [store, rows]))
  /** What people left themselves; other tables follow from it, and move when one leaves a device to the next. */
  const ownStores = ['events', 'quarantine', 'consents', 'event_ids']
  const missing = (found: Record<string, number>, expected: Record<string, number>) =>
    ownStores.filter((store) => (found[store] ?? 0) < (expected[store] ?? 0))
  const userIdentifier = (index: number) => ({ type: 'user_id', value: userOf(index) })

  test('are taken by workspace and mode, a bounded number at once, and an export is done alone', async () => {
    const [one, other] = [await world.newWorkspace(), await world.newWorkspace()]
    for (let index = 0; index < 60; index += 1) await ask(one, [newId('user')])
    await ask(one, [newId('user')], 'anonymise')
    await ask(other, [newId('user')])
    const identifiers = [{ type: 'user_id', value: newId('user') }]
    await one.call(requestExport, { body: { identifiers, regime: 'gdpr' } })
    const groups: string[][] = []
    const worker = workerOf('bounded', async (rows) => {
      groups.push([...new Set(rows.map(({ workspace_id, mode, type }) => `${workspace_id} ${mode} ${type}`))])
      expect(rows.length).toBeLessThanOrEqual(50)
      return new Map(rows.map(({ id }) => [id, {}]))
    })
    await worker.work()
    expect(groups.every((kinds) => kinds.length === 1)).toBe(true)
    expect(groups).toHaveLength(5)
  })

  test('do not fail because one of them does', async () => {
    const shop = await world.newWorkspace()
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1) ids.push(await ask(shop, [newId('user')]))
    const bad = ids[5] ?? ''
    const worker = workerOf('isolating', async (rows) => {
      if (rows.some(({ id }) => id === bad)) throw new Error('this one cannot be done')
      return new Map(rows.map(({ id }) => [id, {}]))
    })
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await worker.work()
      aheadMs += 20_000
    }
    for (const id of ids) {
      expect((await read(shop, id)).status).toBe(id === bad ? 'failed' : 'completed')
    }
  })
})

describe('requests', () => {
  test('run four at a time, each once, and one that takes long holds up no other', async () => {
    const shop = await world.newWorkspace()
    const exported = async () => {
      const identifiers = [{ type: 'user_id', value: newId('user') }]
      return (await shop.call(requestExport, { body: { identifiers, regime: 'gdpr' } })).body.id
    }
    const ids = [await exported(), await exported(), await exported(), await exported()]
    const done = Promise.withResolvers<void>()
    const begun: string[] = []
    const worker = workerOf('lanes', async (rows) => {
      begun.push(...rows.map(({ id }) => id))
      await done.promise
      return new Map(rows.map(({ id }) => [id, {}]))
    })
    const { lanes } = world.product.deps.privacy
    expect(lanes).toBe(4)
    const working = Array.from({ length: lanes }, () => worker.work())
    await untilTrue('all four', () => begun.length === 4)
    expect(begun.toSorted()).toEqual(ids.toSorted())
    done.resolve()
    await Promise.all(working)
    expect(begun).toHaveLength(4)
    for (const id of ids) expect((await read(shop, id)).status).toBe('completed')
  })

  test('that name a person who is erased meanwhile still erase the others', async () => {
    const shop = await world.newWorkspace()
    const [both, rest] = [newId('user'), newId('user')]
    const key = { key: shop.keys.secret }
    const login = (user_id: string) => ({ event: '$login', user_id, properties: { method: 'x' } })
    await shop.call(batch, { body: { batch: [login(both), login(rest)] } }, key)
    await shop.settle()
    const first = await ask(shop, [both])
    const second = await ask(shop, [both, rest], 'anonymise')
    const worker = workerOf('overlapping', world.product.deps.privacy.handle)
    await worker.work()
    for (const id of [first, second]) expect((await read(shop, id)).status).toBe('completed')
    const { people, control } = world.product.deps
    for (const value of [both, rest]) {
      const originalId = people.originalId(shop.workspaceId, { type: 'user_id', value })
      expect([...(await people.suppressed(shop.workspaceId, [originalId]))]).toEqual([originalId])
    }
    const said = await control.query<{ subject: unknown }>(
      'SELECT subject FROM subject_requests WHERE id = ANY($1)',
      [[first, second]],
    )
    expect(JSON.stringify(said)).not.toContain(rest)
    expect(JSON.stringify(said)).not.toContain(both)
  }, 240_000)
})
