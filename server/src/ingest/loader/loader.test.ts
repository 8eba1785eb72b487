import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/clock.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { logLine } from '../../testing/log-lines.ts'
import { openLog } from '../wal/write-ahead-log.ts'
import { holdMsMax, startWriter } from './loader.ts'

let world: World
const dir = mkdtempSync(join(tmpdir(), 'assay-loader-'))
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  await world.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a pause after a load has its maximum, however small the share of the time that loads may take', async () => {
  const shop = await world.newWorkspace()
  const now = () => Date.now()
  const log = await openLog({ dir, segmentBytesMax: 1e9, segmentAgeMsMax: 1e9, totalBytesMax: 1e9, now })
  const health = { requireRefusal: Promise.reject.bind(Promise), reset: () => {} }
  // Of a load of a few milliseconds this would make minutes.
  const loadShare = 1e-6
  const stores = { events: world.product.deps.events, staging: 'staging_paused', isShared: false }
  const writer = await startWriter({ log, ...stores, loadShare, newId, health, setAside: async () => {} })
  await log.append(logLine(shop, 'paused'), 1)
  expect(await writer.flush(30_000)).toBe(true)
  expect(writer.loadedLines).toBe(1)
  expect(writer.holdMs).toBeGreaterThan(0)
  expect(writer.holdMs).toBeLessThanOrEqual(holdMsMax)
  await writer.stop()
  await log.close()
})
