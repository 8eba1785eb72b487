import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedStores } from '../../testing/harness.ts'
import { type Control, openControl } from '../control.ts'
import { type Events, openEvents } from '../events.ts'
import { migrate, OtherSchema } from './migrate.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-migrate-'))
let control: Control
let events: Events

beforeAll(async () => {
  const { clickhouseUrl, controlTemplate } = await sharedStores()
  cpSync(controlTemplate, `${dataDir}/control`, { recursive: true })
  control = await openControl({ dataDir })
  events = await openEvents({ dataDir, logDir: dataDir, url: clickhouseUrl })
}, 120_000)
afterAll(async () => {
  await control?.close()
  await events?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('stores of a newer version are taken, those of a build with another schema are refused in plain words', async () => {
  await migrate(control, events)
  await control.query("INSERT INTO migrations (name) VALUES ('9999_newer.sql')")
  await migrate(control, events)
  await control.query("UPDATE migrations SET name = '0001_older.sql' WHERE name = '0001_workspaces.sql'")
  await expect(migrate(control, events)).rejects.toThrow(OtherSchema)
  await expect(migrate(control, events)).rejects.toThrow('ASSAY_DATA_DIR')
})
