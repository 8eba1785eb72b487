import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedStores } from '../../testing/harness.ts'
import { type Events, openEvents } from '../events.ts'
import { blockRowsFor, filterSecondsMax, filterSettings } from './filter-bounds.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-filter-bounds-'))
let events: Events
beforeAll(async () => {
  const { clickhouseUrl: url } = await sharedStores()
  events = await openEvents({ dataDir: directory, logDir: directory, url, filterSecondsMax: 1 })
})
afterAll(async () => {
  await events?.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Three seconds, looked at ten times a second. */
const slow = 'SELECT sleepEachRow(0.1) AS slept FROM numbers(30) SETTINGS max_block_size = 1'

test('a statement with conditions of a caller ends in time, and says what to do', async () => {
  const asked = { filter0: ['/a'] }
  for (const run of [
    () => events.query(slow, asked),
    () => events.bytes(`SELECT * FROM (${slow}) FORMAT RowBinary`, asked),
  ]) {
    const refused = await run().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Problem)
    expect(refused).toMatchObject({ slug: 'invalid-parameter', options: { errors: [{ field: 'filters' }] } })
  }
})

test('other statements take their time', async () => {
  expect(await events.query(slow, { filterAudienceId: 'a', other0: 'b' })).toHaveLength(30)
})

test('the more values there are to compare, the sooner the store looks at the time', () => {
  const rowsFor = (values: number) => blockRowsFor({ filter0: Array.from({ length: values }, () => 'a') })
  expect([rowsFor(1), rowsFor(100), rowsFor(200), rowsFor(10_000)]).toEqual([null, null, 32_704, 1_024])
  expect(filterSettings({ filter0: 'a' }, filterSecondsMax)).toEqual({ max_execution_time: 30 })
  expect(filterSettings({ siteId: 'a' }, filterSecondsMax)).toEqual({})
})
