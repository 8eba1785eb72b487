import { getPerson, identify, mergePeople, resolveIdentity, track, verifyLedger } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseEverywhere } from '../../testing/erasure.ts'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { findPerson } from '../profiles/person.ts'
import { identifyPerson } from './identify.ts'

let world: World
let ours: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  ours = await world.newWorkspace()
})
afterAll(() => world?.close())

const bind = (anonymous_id: string, user_id: string, traits = {}) =>
  ours.call(identify, { body: { anonymous_id, user_id, traits } })

/** Without an event: this module does not store those. */
async function tie(anonymousId: string, userId: string, traits = {}): Promise<string> {
  const { people, now } = world.product.deps
  const sender = {
    workspaceId: ours.workspaceId,
    keyId: 'key_1',
    keyClass: 'secret',
    storesNothing: false,
  } as const
  const bound = await identifyPerson(people, sender, {
    known: [{ type: 'user_id', value: userId }],
    anonymous: { type: 'anonymous_id', value: anonymousId },
    traits,
    setMs: now(),
    eventId: 'e',
  })
  return bound.person_id
}

async function personOf(type: string, value: string) {
  const body = { identifiers: [{ type, value }], read_only: true }
  return (await ours.call(resolveIdentity, { body })).body
}

async function forget(id: string) {
  const { people } = world.product.deps
  const whole = await findPerson(people, ours.workspaceId, id)
  if (whole === null) throw new Error('there is no such person')
  const done = await people.forget(ours.workspaceId, whole.originalIds, ['dsr_1'])
  await eraseEverywhere(world.product, { workspaceId: ours.workspaceId, originalIds: whole.originalIds })
  return { whole, done }
}

/** Every text of every row of the workspace in every table of the control store, and the mapping of the events store. */
async function everything(): Promise<string> {
  const { control, events } = world.product.deps
  const tables = await control.query<{ table_name: string }>(
    `SELECT DISTINCT table_name FROM information_schema.columns
     WHERE column_name = 'workspace_id' AND table_schema = 'public' AND table_name <> 'identity_suppressions'`,
  )
  const texts: string[] = []
  for (const { table_name } of tables) {
    const rows = await control.query<{ text: string }>(
      `SELECT row_to_json(t)::text AS text FROM ${table_name} AS t WHERE workspace_id = $1`,
      [ours.workspaceId],
    )
    texts.push(...rows.map((row) => row.text))
  }
  const mapping = await events.query('SELECT * FROM person_mapping WHERE workspace_id = {id:String}', {
    id: ours.workspaceId,
  })
  return texts.join('\n') + JSON.stringify(mapping)
}

describe('a person who is forgotten', () => {
  test('is found nowhere any more, and the chain of the ledger still holds', async () => {
    // Long enough that no random id holds one of them by chance.
    await tie('device-of-countess', 'countess-ada', { name: 'Ada Lovelace' })
    const other = await tie('device-old', 'countess-ada-old')
    const person_id = await tie('device-of-countess-2', 'countess-ada')
    const body = { survivor_id: person_id, absorbed_id: other, reason: 'Ada Lovelace asked' }
    await ours.call(mergePeople, { body })
    await tie('device-bob', 'bob')
    const { whole, done } = await forget(person_id)
    expect(done).toEqual({ identifiers: 5, traits: 1, links: 4, ledgerEntries: 4 })
    const left = await everything()
    for (const trace of ['countess', 'Ada Lovelace', 'device-old', ...whole.originalIds])
      expect(left).not.toContain(trace)
    expect(left).toContain('device-bob')
    expect((await ours.call(verifyLedger, {})).body).toMatchObject({ valid: true, erased: 4 })
    expect((await ours.call(getPerson, { params: { id: person_id } })).status).toBe(404)
  })

  test('does not come back by a call, and differs from junk', async () => {
    const { person_id } = (await bind('device-eve', 'eve')).body
    await forget(person_id)
    const again = await bind('device-new', 'eve')
    expect(again.status).toBe(422)
    expect(again.problem.errors?.[0]?.code).toBe('suppressed')
    expect((await personOf('user_id', 'eve')).rejected).toEqual([
      { type: 'user_id', value: 'eve', reason: 'suppressed' },
    ])
    const event = { event: '$login', user_id: 'eve', anonymous_id: 'device-new', properties: { method: 'x' } }
    await ours.call(track, { body: event })
    await ours.settle()
    expect(await everything()).not.toContain('device-new')
  })

  test('leaves a device that they shared to the one who is left', async () => {
    await bind('shared', 'cara')
    expect((await bind('shared', 'dora')).status).toBe(409)
    await forget(String((await personOf('user_id', 'cara')).person_id))
    expect((await personOf('anonymous_id', 'shared')).person_id).toBe(
      (await personOf('user_id', 'dora')).person_id,
    )
  })
})
