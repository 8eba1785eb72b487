import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { sharedStores } from '../testing/harness.ts'
import { eventSource, type Overlay } from './event-source.ts'
import { type Events, openEvents } from './events.ts'

let events: Events
const workspaceId = newId('ws')
const siteId = newId('site')
const at = (ms: number | string) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
  const columns = 'workspace_id, site_id, ts, received_at, event_id, name, order_id, counted'
  await events.command(
    `INSERT INTO events (${columns})
     SELECT '${workspaceId}', '${siteId}', ${at('1000 * n')}, ${at('1000 * n')}, concat('e', toString(n)),
            if(n = 4, '$purchase', 'old_name'), if(n = 4, 'o1', ''), 1
     FROM (SELECT toInt64(number + 1) AS n FROM numbers(4))`,
  )
  await events.command(
    `INSERT INTO overlaid_events (generation, backfill_id, was_name, ${columns})
     SELECT '${workspaceId}', 'b', name, workspace_id, site_id, ts, received_at, event_id, '$purchase', 'o1',
            event_id = 'e1'
     FROM events WHERE workspace_id = '${workspaceId}' AND event_id IN ('e1', 'e2')`,
  )
  await events.command(`INSERT INTO overlay_orders SELECT '${workspaceId}', 'o1', 'e1', 1`)
})
afterAll(() => events?.close())

async function read(overlay: Overlay | null, fromMs: number, toMs: number) {
  const { from, params } = eventSource(bare(overlay), { workspaceId, siteId, fromMs, toMs })
  return events.query<{ event_id: string; name: string; counted: number }>(
    `SELECT event_id, toString(name) AS name, counted FROM ${from}
     WHERE workspace_id = {workspaceId:String} AND ts >= ${at(fromMs)} AND ts < ${at(toMs)} ORDER BY event_id`,
    { ...params, workspaceId },
  )
}
const bare = (over: Overlay | null) => ({ overlay: over, superseded: null, hasMerges: false })
const overlay: Overlay = { siteId, generation: workspaceId, fromMs: 1000, toMs: 2001, hasOrders: true }

describe('the source of events', () => {
  test('is the table itself where nothing lies over it, or not in the time that is asked for', () => {
    const scope = { workspaceId, siteId, fromMs: 3000, toMs: 9000 }
    expect(eventSource(bare(null), scope).from).toBe('events')
    expect(eventSource(bare({ ...overlay, hasOrders: false }), scope).from).toBe('events')
    expect(eventSource(bare({ ...overlay, hasOrders: false }), { ...scope, fromMs: 2000 }).from).not.toBe(
      'events',
    )
  })

  test('gives each event once: the row that stands for it, or else its own', async () => {
    expect(await read(overlay, 0, 9000)).toEqual([
      { event_id: 'e1', name: '$purchase', counted: 1 },
      { event_id: 'e2', name: '$purchase', counted: 0 },
      { event_id: 'e3', name: 'old_name', counted: 1 },
      { event_id: 'e4', name: '$purchase', counted: 0 },
    ])
    expect(await read(null, 0, 9000)).toMatchObject([
      { name: 'old_name' },
      { name: 'old_name' },
      { name: 'old_name' },
      { name: '$purchase', counted: 1 },
    ])
  })

  test('keeps to its time, and counts an order once even if its purchase lies outside of it', async () => {
    expect(await read(overlay, 2000, 3000)).toEqual([{ event_id: 'e2', name: '$purchase', counted: 0 }])
    expect(await read(overlay, 4000, 9000)).toEqual([{ event_id: 'e4', name: '$purchase', counted: 0 }])
  })

  test('gives events to who their people are now, by the latest word, whether back-filled or not', async () => {
    const key = (id: string) => `cityHash64('${id}')`
    const mapping = async (seq: number, person: string) =>
      events.command(
        `INSERT INTO person_mapping SELECT '${workspaceId}', '', ${key('')}, '${person}', ${key(person)}, ${seq}`,
      )
    await events.command(
      `ALTER TABLE events UPDATE person_key = ${key('')} WHERE workspace_id = '${workspaceId}' SETTINGS mutations_sync = 1`,
    )
    await events.command(
      `ALTER TABLE overlaid_events UPDATE person_key = ${key('')} WHERE generation = '${workspaceId}'
       SETTINGS mutations_sync = 1`,
    )
    const people = async (over: Overlay | null) => {
      const scope = { workspaceId, siteId, fromMs: 0, toMs: 9000 }
      const { from, params } = eventSource({ overlay: over, superseded: null, hasMerges: true }, scope)
      const rows = await events.query<{ person_id: string }>(
        `SELECT DISTINCT person_id FROM ${from} WHERE person_key = cityHash64(person_id)`,
        params,
      )
      return rows.map((row) => row.person_id)
    }
    expect(await people(null)).toEqual([''])
    await mapping(1, 'per_one')
    await mapping(2, 'per_two')
    expect(await people(null)).toEqual(['per_two'])
    expect(await people(overlay)).toEqual(['per_two'])
  })

  test('has the same columns in the same order wherever a row comes from', async () => {
    const columns = (table: string) =>
      events.query(
        `SELECT name, type FROM system.columns
         WHERE database = currentDatabase() AND table = {table:String}
           AND name NOT IN ('generation', 'backfill_id', 'was_name', 'was_held') ORDER BY position`,
        { table },
      )
    expect(await columns('overlaid_events')).toEqual(await columns('events'))
  })
})
