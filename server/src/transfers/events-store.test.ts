import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openEvents } from '../store/events.ts'
import { identityPrefix } from '../store/events-home.ts'
import { readMigrations } from '../store/migrations/migration-files.ts'
import { sharedStores } from '../testing/harness.ts'
import { selectLastEventsMigration } from './events-store.ts'

test('the schema of an export is the last migration, also where the events store has a name', async () => {
  const { clickhouseUrl } = await sharedStores()
  const events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
  try {
    await events.command('INSERT INTO migrations SELECT {name:String}', {
      name: identityPrefix + randomUUID(),
    })
    expect(await selectLastEventsMigration(events)).toBe(readMigrations('events').at(-1)?.name)
  } finally {
    await events.close()
  }
})
