import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChild } from '../../testing/child-product.ts'
import { type Database, makeDatabase, sharedStores, untilTrue } from '../../testing/harness.ts'
import { logLine, refusedBy } from '../../testing/log-lines.ts'
import { killable, logIsLoaded } from '../../testing/sender.ts'
import { segmentName, segmentPath } from '../wal/segment.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-poisoned-'))
let database: Database
beforeAll(async () => {
  database = await makeDatabase()
}, 120_000)
afterAll(async () => {
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Far below what a start may take; a start that waits for a segment that is refused never ends. */
const readyMsMax = 60_000
/** Some fifty small statements, on a machine that does much else. */
const loadedMsMax = 200_000

test('a product whose log holds a line that is refused comes up, with all others stored and the line kept', async () => {
  const { clickhouseUrl } = await sharedStores()
  const stores = { ASSAY_CLICKHOUSE_URL: clickhouseUrl, ASSAY_POSTGRES_URL: database.url }
  const env = { ...killable, ...stores, ASSAY_DATA_DIR: dataDir }
  const first = await startChild(env)
  const { workspaceId, siteId, liveKey } = first.keys
  expect(await first.terminate()).toBe(0)
  const lines = Array.from({ length: 12 }, (_, n) =>
    logLine(
      { workspaceId, siteId },
      `e${n}`,
      n === 4 ? refusedBy.identity : n === 9 ? refusedBy.staging : {},
    ),
  )
  const name = segmentName({ sequence: Date.now(), nodeId: 'before', revision: 0, random: 'ab'.repeat(8) })
  writeFileSync(segmentPath(join(dataDir, 'log'), name), lines.join(''))

  const beganMs = performance.now()
  const product = await startChild(env)
  expect(performance.now() - beganMs).toBeLessThan(readyMsMax)
  await untilTrue('the log to be loaded', () => logIsLoaded(product), loadedMsMax)
  const headers = { authorization: `Bearer ${liveKey}` }
  const read = async (path: string) => Object(await (await fetch(product.url + path, { headers })).json())
  const letters: { event_id: string }[] = (await read('/v1/dead-letters')).data
  expect(letters.map(({ event_id }) => event_id).sort()).toEqual(['e4', 'e9'])
  const overview = await read(`/api/analytics/overview?siteId=${siteId}&window=2d`)
  // The event behind the refused traits is stored; only what it says of a person waits.
  expect(overview.metrics.events).toBe(11)
  expect(product.output()).toContain('"component":"dead letters"')
  // It takes events as before.
  const body = JSON.stringify({
    event: '$login',
    event_id: 'afterwards',
    user_id: 'u',
    properties: { method: 'x' },
  })
  const sent = await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  expect(sent.status).toBe(202)
  expect(await product.terminate()).toBe(0)
}, 400_000)
