import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedStores } from '../testing/harness.ts'
import { computedColumns, eventColumnList } from './event-columns.ts'
import { type Events, openEvents } from './events.ts'

let events: Events
beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
}, 120_000)
afterAll(() => events?.close())

type Found = { name: string; type: string; default_kind: string }

/** Columns of a migrated table, in its order: those that are written, and those that the store computes. */
async function columnsOf(table: string): Promise<{ written: string[]; computed: string[] }> {
  const found = await events.query<Found>(
    `SELECT name, type, default_kind FROM system.columns
     WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
    { table },
  )
  const isComputed = ({ default_kind }: Found) => default_kind === 'MATERIALIZED'
  const told = ({ name, type }: Found) => `${name} ${type}`
  return {
    written: found.filter((column) => !isComputed(column)).map(told),
    computed: found.filter(isComputed).map(told),
  }
}

const written = eventColumnList.map(([name, { type }]) => `${name} ${type}`)
const computed = Object.entries(computedColumns).map(([name, type]) => `${name} ${type}`)

test('the events table has the declared columns and no other, with their types and in their order', async () => {
  expect(await columnsOf('events')).toEqual({ written, computed })
})

test('events of back-fills have the same behind four columns of their own, so that rows are copied by place', async () => {
  const own = ['generation String', 'backfill_id LowCardinality(String)']
  const was = ['was_name LowCardinality(String)', 'was_held UInt8']
  expect(await columnsOf('overlaid_events')).toEqual({ written: [...own, ...was, ...written], computed })
})

test('a hash is of a declared column that can be anonymised', () => {
  for (const [, { hashOf }] of eventColumnList) {
    if (hashOf === undefined) continue
    const of = eventColumnList.find(([name]) => name === hashOf)?.[1]
    expect(of?.anonymised, hashOf).not.toBe('kept')
  }
})
