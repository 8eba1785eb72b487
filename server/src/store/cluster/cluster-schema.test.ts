import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { onOneServer } from '../../testing/clickhouse-cluster.ts'
import { sharedStores } from '../../testing/harness.ts'
import { type Events, openEvents } from '../events.ts'
import { readMigrations, splitStatements } from '../migrations/migration-files.ts'
import { dropPersonList, fillPersonList, personList } from '../people/person-list.ts'
import { onCluster } from './cluster-schema.ts'
import { replicatedTables } from './clustered-events.ts'

const cluster = 'my-cluster'
let events: Events
/** As they are before they are for a cluster. What other code makes is in clustered-store.test.ts. */
const schema: string[] = readMigrations('events').flatMap(({ text }) => splitStatements(text))

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
  const made: string[] = []
  const recorder: Events = {
    ...events,
    cluster: { name: cluster, replicas: 3 },
    command: async (sql) => void made.push(sql),
    insertRows: async () => {},
  }
  const list = personList('one', [])
  await fillPersonList(recorder, list, { originalIds: [], values: [], salt: '' })
  await dropPersonList(recorder, list)
  const staging = ['CREATE TABLE staging_n1 (a String) ENGINE = Memory', 'DROP TABLE IF EXISTS staging_n1']
  const rows = ["ALTER TABLE audience_sets DROP PARTITION 'set_1'", 'ALTER TABLE events DELETE WHERE 1']
  schema.push(
    ...staging,
    ...rows,
    'CREATE TABLE IF NOT EXISTS migrations (name String) ENGINE = MergeTree ORDER BY name',
    ...made,
  )
}, 240_000)

/** As the engine's own parser reads it. */
async function formatted(sql: string): Promise<string> {
  const [row] = await events.query<{ text: string }>('SELECT formatQuery({sql:String}) AS text', { sql })
  return row?.text ?? ''
}

const isLocal = (sql: string) => /\bstaging_/.test(sql)
const isRowChange = (sql: string) => /^ALTER TABLE \w+ (?:DELETE|UPDATE|DROP PARTITION)\b/.test(sql)

test('every statement of the schema is parsed as one for the cluster, and differs in nothing else', async () => {
  expect(schema.length).toBeGreaterThan(20)
  for (const sql of schema) {
    const rewritten = onCluster(sql, cluster)
    const read = await formatted(rewritten)
    if (isLocal(sql) || isRowChange(sql)) {
      expect(rewritten).toBe(sql)
      continue
    }
    expect(read).toContain(`ON CLUSTER \`${cluster}\``)
    if (sql.startsWith('CREATE TABLE')) expect(read).toMatch(/ENGINE = Replicated\w*MergeTree/)
    if (sql.startsWith('CREATE TABLE')) expect(read).toMatch(/\breplicated_deduplication_window = \d+/)
    expect(await formatted(onOneServer(rewritten))).toBe(await formatted(sql))
    expect(onCluster(rewritten, cluster)).toBe(rewritten)
  }
})

test('a repeat is found on the tables that find it on one server, for a week, and on no others', () => {
  const windows = new Map(
    schema
      .filter((sql) => sql.startsWith('CREATE TABLE') && !isLocal(sql))
      .map((sql) => {
        const window = /\breplicated_deduplication_window = (\d+)/.exec(onCluster(sql, cluster))?.[1]
        return [/(?:EXISTS|TABLE) (\w+) \(/.exec(sql)?.[1], `${window}`]
      }),
  )
  const found = [...windows].filter(([, window]) => window !== '0')
  expect(found).toEqual(
    ['events', 'quarantine', 'event_ids', 'verdicts', 'quarantine_states'].map((table) => [table, '10000']),
  )
  expect(windows.get('person_list_one')).toBe('0')
  expect(onCluster(schema[0] ?? '', cluster)).toContain('replicated_deduplication_window_seconds = 604800')
})

describe('properties', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/).filter((text) => !text.startsWith('staging_'))
  const text = fc.string({ maxLength: 20 }).map((value) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`)
  const engine = fc.constantFrom(
    'MergeTree',
    'ReplacingMergeTree(a)',
    'SummingMergeTree',
    'AggregatingMergeTree',
  )
  const made = fc
    .tuple(fc.boolean(), name, text, engine, fc.constantFrom('', ' SETTINGS index_granularity = 8', ' TTL a'))
    .map(
      ([ifNot, table, value, family, end]) =>
        `CREATE TABLE ${ifNot ? 'IF NOT EXISTS ' : ''}t_${table} (a Date DEFAULT ${value}) ENGINE = ${family} ORDER BY a${end}`,
    )
  const changed = fc
    .tuple(name, name, text)
    .map(([table, column, value]) => `ALTER TABLE t_${table} ADD COLUMN c_${column} String DEFAULT ${value}`)
  const dropped = fc
    .tuple(fc.boolean(), name)
    .map(([ifIs, table]) => `DROP TABLE ${ifIs ? 'IF EXISTS ' : ''}t_${table}`)
  const others = fc
    .tuple(fc.constantFrom('SELECT', 'INSERT INTO t SELECT', 'WITH 1 AS x SELECT', 'EXPLAIN SELECT'), text)
    .map(([verb, value]) => `${verb} ${value} /* CREATE TABLE t ENGINE = MergeTree */`)

  test('tables made, changed and dropped are so once on the cluster, whatever stands in quotes', () => {
    fc.assert(
      fc.property(fc.oneof(made, changed, dropped), (sql) => {
        const rewritten = onCluster(sql, cluster)
        expect(rewritten).toContain(` ON CLUSTER \`${cluster}\``)
        expect(onCluster(rewritten, cluster)).toBe(rewritten)
        expect(onOneServer(rewritten).replaceAll(/\s+/g, ' ').trim()).toBe(sql.replaceAll(/\s+/g, ' ').trim())
      }),
    )
  })

  test('nothing else is touched', () => {
    fc.assert(fc.property(others, (sql) => onCluster(sql, cluster) === sql))
  })
})

test.each([
  'RENAME TABLE a TO b',
  'CREATE DICTIONARY d (a String) PRIMARY KEY a',
  'CREATE TABLE a (b String) ENGINE = Memory',
  'DROP DATABASE assay',
])('what has no known form for a cluster is refused: %s', (sql) => {
  expect(() => onCluster(sql, cluster)).toThrow()
})

test('views are made on the cluster too', async () => {
  const sql = 'CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT a FROM events'
  expect(await formatted(onCluster(sql, cluster))).toContain('ON CLUSTER')
})

test('a read waits for the tables that it names, and not for what stands in quotes', () => {
  expect(
    replicatedTables("SELECT 'quarantine' FROM events AS e WHERE id IN (SELECT id FROM event_ids)"),
  ).toEqual(['events', 'event_ids'])
  expect(replicatedTables('SELECT count() FROM person_list_req_1 WHERE kind = 1')).toEqual([
    'person_list_req_1',
  ])
  expect(replicatedTables('SELECT 1 FROM system.tables, staging_n1')).toEqual([])
})

test('waits for replicas, quorums and mutations are statements that the engine knows', async () => {
  for (const sql of [
    'SYSTEM SYNC REPLICA events LIGHTWEIGHT',
    `SYSTEM SYNC REPLICA ON CLUSTER \`${cluster}\` events LIGHTWEIGHT`,
    `KILL MUTATION ON CLUSTER \`${cluster}\` WHERE 1`,
  ])
    expect(await formatted(sql)).not.toBe('')
  expect(onCluster('KILL MUTATION WHERE 1', cluster)).toBe(`KILL MUTATION ON CLUSTER \`${cluster}\` WHERE 1`)
})
