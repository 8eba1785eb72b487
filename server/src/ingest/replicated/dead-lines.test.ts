import { getOverview, listDeadLetters, track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Database,
  makeDatabase,
  startWorld,
  type TestWorkspace,
  type World,
} from '../../testing/harness.ts'
import { type NatsServers, startNats } from '../../testing/nats-server.ts'

let database: Database
let nats: NatsServers
let world: World
let shop: TestWorkspace
beforeAll(async () => {
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(1)])
  const replicatedLog = nats.settings({ partitions: 2 })
  world = await startWorld({ config: { postgresUrl: database.url, replicatedLog } })
  shop = await world.newWorkspace()
}, 240_000)
afterAll(async () => {
  await world?.close()
  await nats?.close()
  await database?.drop()
})

test('a line that no store takes is set aside in Postgres, and the others of its message are loaded', async () => {
  const { log, writer, control, deadLetters } = world.product.deps
  const events = Array.from({ length: 8 }, (_, at) => ({
    event: '$login',
    event_id: `sound-${at}`,
    user_id: `u-${at}`,
    properties: { method: 'mail' },
  }))
  await writer.withoutLoads(async () => {
    const { workspaceId, siteId } = shop
    const place = `{"workspace_id":"${workspaceId}","site_id":"${siteId}","event_id":"torn","id_hi":7`
    // One that names its workspace and one that names nothing, which the list of letters cannot hold.
    for (const torn of [`${place},"id_lo":\n`, 'nothing of an event\n']) {
      await log.append(torn, 1, { workspaceId, stored: 1 })
    }
    for (const event of events) await shop.call(track, { body: event })
  })
  expect(await writer.flush(60_000)).toBe(true)
  const query = { siteId: shop.siteId, window: '7d' }
  expect((await shop.call(getOverview, { query })).body.metrics.events).toBe(8)
  const letters = await shop.call(listDeadLetters, { query: {} })
  expect(letters.body.data).toHaveLength(1)
  expect(deadLetters.file.letters).toBe(1)
  expect(await control.query('SELECT id FROM dead_letter_overflow')).toHaveLength(1)
}, 120_000)
