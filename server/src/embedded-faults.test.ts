import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startChild } from './testing/child-product.ts'
import { untilTrue } from './testing/harness.ts'
import { killable, logIsLoaded, post, Sender, sendAndKill } from './testing/sender.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-faults-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

describe('embedded stores', () => {
  test('that are killed twice under load have every acknowledged event once, and the same id stays a duplicate', async () => {
    const env = { ...killable, ASSAY_DATA_DIR: dataDir }
    const sender = new Sender()
    for (let round = 0; round < 2; round++)
      await sendAndKill(await startChild(env), sender, Math.random() * 1500)
    const product = await startChild(env)
    await untilTrue('the log to be loaded', () => logIsLoaded(product))
    const overview = await fetch(
      `${product.url}/api/analytics/overview?siteId=${product.keys.siteId}&window=2d`,
      {
        headers: { authorization: `Bearer ${product.keys.liveKey}` },
      },
    )
    const body = Object(await overview.json())
    // What was cut off before its answer may have been written; nothing that was answered may be missing.
    expect(body.metrics.events).toBeGreaterThanOrEqual(sender.acknowledged.size)
    const again = [...sender.acknowledged].map((event_id) => ({
      event: '$login',
      event_id,
      user_id: 'u1',
      properties: { method: 'x' },
    }))
    for (let at = 0; at < again.length; at += 1000) {
      const answer = await post(product, '/v1/batch', { batch: again.slice(at, at + 1000) })
      const { summary } = Object(await answer.json())
      expect(summary).toMatchObject({ duplicate: Math.min(1000, again.length - at), accept: 0 })
    }
    expect(await product.terminate()).toBe(0)
    expect(product.output()).toContain('SIGTERM')
  }, 300_000)
})
