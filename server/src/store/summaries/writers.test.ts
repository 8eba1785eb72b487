import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * Statements that change `events`, or a table whose name they are given, by file; and how those that change `events`
 * give notice, so that no day that is summed up keeps counting.
 */
const writers: Readonly<Record<string, string>> = {
  'ingest/store.ts: INSERT INTO events': 'gives notice of late days (ingest/loader/segment-load.ts)',
  'store/people/person-rows.ts: ALTER TABLE table':
    'gives notice of the days of the person (ingest/personal-data-store.ts); events of others keep their keys',
  'privacy/retention/old-events-store.ts: ALTER TABLE table': 'gives notice of the days that it empties',
  'transfers/events-store.ts: insertRows(table': 'gives notice of the days that it fills',
  'workspaces/deletion-store.ts: ALTER TABLE table': 'days that are summed up go before the events',
  'workspaces/deletion-store.ts: ALTER TABLE tableByGeneration': 'orders of overlays',
  'store/events.ts: INSERT INTO table': 'fills staging tables from files',
  'store/events.ts: insertRows(table': 'the connection itself',
  'store/people/person-list.ts: INSERT INTO list.name': 'a list in memory',
  'store/people/person-list.ts: insertRows(list.name': 'a list in memory',
  'store/summaries/changes.ts: ALTER TABLE table': 'removes sums',
  'analytics/summaries/build-store.ts: ALTER TABLE table': 'removes sums',
  'attribution/paths/touch-store.ts: DELETE FROM table': 'touchpoints and outcomes',
  'privacy/erasure/replaced-files-store.ts: ALTER TABLE table': 'how long replaced files stay',
  'quarantine/store.ts: ALTER TABLE table': 'quarantined events and decisions',
  'ingest/store.ts: TRUNCATE TABLE staging': 'a staging table',
  'ingest/loader/verdict-store.ts: INSERT INTO staging': 'a staging table',
  'ingest/loader/verdict-store.ts: INSERT INTO probeOf': 'a staging table',
  'ingest/loader/verdict-store.ts: TRUNCATE TABLE probeOf': 'a staging table',
  'identity/commands/erasure-store.ts: DELETE FROM table': 'the control store',
  'transfers/control-store.ts: DELETE FROM table.name': 'the control store',
  'transfers/control-store.ts: INSERT INTO table': 'the control store',
}

const statement =
  /(?:INSERT INTO|ALTER TABLE|DELETE FROM|TRUNCATE TABLE(?: IF EXISTS)?|insertRows\()\s*['"`]?(?:events\b|\$\{[\w.]+|table\b|list\.name\b)\}?/g

test('every statement that changes stored events gives notice to the days that are summed up', () => {
  const folder = new URL('../../', import.meta.url).pathname
  const found = globSync('**/*.ts', { cwd: folder })
    .filter((file) => !/(?:\.test\.ts$|^testing\/|\/testing\/)/.test(file))
    .flatMap((file) =>
      [...readFileSync(`${folder}${file}`, 'utf8').matchAll(statement)].map(
        ([text]) => `${file}: ${text.replace(/[${}]/g, '').replace(/\s+/g, ' ')}`,
      ),
    )
  expect([...new Set(found)].sort()).toEqual(Object.keys(writers).sort())
})
