import { existsSync, readdirSync } from 'node:fs'
import { createWebhookConnection, startWorkspaceExport, track, transferFormat } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signers } from '../../../sdk/server/src/webhooks/testing/signers.ts'
import { isStored, type StoredPlace } from '../store/people/personal-data.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { impersonalControlTables, impersonalEventsTables, impersonalFiles } from './testing/impersonal.ts'

let world: World
let shop: TestWorkspace
let stored: StoredPlace[]

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
  stored = world.product.deps.privacy.places.filter(isStored)
}, 240_000)
afterAll(() => world?.close())

const declared = (kind: 'control' | 'events' | 'files') => stored.flatMap(({ covers }) => covers[kind] ?? [])

/** Columns that identify people, or contain what was sent unchanged. */
const telling =
  /^(original_ids?|person_(id|key)|anonymous_id|user_id|visitor_key|subject(_id)?|survivor_id|people|body|payload|memory|held|properties)$/

describe('what is stored of people', () => {
  test('is declared for every table of the control store, or the table says why it contains no person', async () => {
    const rows = await world.product.deps.control.query<{ table_name: string; column_name: string }>(
      `SELECT table_name, column_name FROM information_schema.tables
       JOIN information_schema.columns USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )
    const tables = [...new Set(rows.map(({ table_name }) => table_name))].sort()
    expect(tables).toEqual([...declared('control'), ...Object.keys(impersonalControlTables)].sort())
    const members =
      'about members of workspaces, who sign in here, and not about people whom events are about'
    const suspicious = rows.filter(
      ({ table_name, column_name }) =>
        impersonalControlTables[table_name] !== members && telling.test(column_name),
    )
    const undeclared = suspicious.filter(({ table_name }) => !declared('control').includes(table_name))
    // What a member wrote, and a keyed hash that has to stay.
    expect(undeclared.sort((one, other) => (one.table_name < other.table_name ? -1 : 1))).toEqual([
      { table_name: 'contracts', column_name: 'body' },
      { table_name: 'identity_suppressions', column_name: 'original_id' },
    ])
  })

  test('is declared for every table of the events store, or the table says why it contains no person', async () => {
    const rows = await world.product.deps.events.query<{ table: string; name: string }>(
      `SELECT table, name FROM system.columns
       WHERE database = currentDatabase() AND table IN (
         SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`,
    )
    const tables = [...new Set(rows.map(({ table }) => table))].sort()
    expect(tables).toEqual([...declared('events'), ...Object.keys(impersonalEventsTables)].sort())
    const undeclared = rows.filter(
      ({ table, name }) => telling.test(name) && !declared('events').includes(table),
    )
    expect(undeclared).toEqual([])
  })

  test('is declared for everything that the product writes into its data directory', async () => {
    const { places } = world.product.deps.privacy
    const { dataDir } = world.product.deps.config
    await use()
    const names = readdirSync(dataDir).flatMap((name) =>
      name === 'transfers' ? readdirSync(`${dataDir}/${name}`).map((below) => `${name}/${below}`) : [name],
    )
    const listed = [...declared('files'), ...Object.keys(impersonalFiles)]
    expect(names.filter((name) => !listed.includes(name))).toEqual([])
    expect(existsSync(`${dataDir}/transfers/exports`)).toBe(true)
    expect(new Set(places.map(({ name }) => name)).size).toBe(places.length)
  })

  test('is exported, or the place says why it is not', () => {
    const files = stored.flatMap(({ exported }) =>
      'because' in exported ? [] : exported.map(({ name }) => name),
    )
    expect(new Set(files).size).toBe(files.length)
    for (const { exported } of stored) {
      if ('because' in exported) expect(exported.because).not.toBe('')
      else expect(exported.length).toBeGreaterThan(0)
    }
  })
})

/** Makes the product write what it writes in the course of its life. */
async function use(): Promise<void> {
  const event = { event: '$login', user_id: 'somebody', properties: { method: 'x' } }
  await shop.call(track, { body: event }, { key: shop.keys.secret })
  const body = { provider: 'stripe' as const, site_id: shop.siteId, secrets: [signers.stripe.secret] }
  await shop.call(createWebhookConnection, { body })
  await shop.call(startWorkspaceExport, { body: { format: transferFormat } })
  await world.product.deps.exports.close()
}
