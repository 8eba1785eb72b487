import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openShell } from '../../cli/src/testing/shell.ts'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import { prepareControl, untilTrue } from './testing/harness.ts'
import { killable, logIsLoaded, post, Sender, sendAndKill } from './testing/sender.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'assay-faults-'))
const shell = openShell()
afterAll(() => {
  shell.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('embedded stores', () => {
  test('that are killed under load, and then backed up under load and restored, have every acknowledged event once', async () => {
    const env = { ...killable, ASSAY_DATA_DIR: await prepareControl(dataDir) }
    const sender = new Sender()
    await sendAndKill(await startChild(env), sender, Math.random() * 1500)
    const product = await startChild(env)
    await untilLoaded(product)
    // What was cut off before its answer may have been written; nothing that was answered may be missing.
    expect(await countEvents(product)).toBeGreaterThanOrEqual(sender.acknowledged.size)
    const again = await sendAgain(product, [...sender.acknowledged])
    expect(again).toEqual({ duplicate: sender.acknowledged.size, accept: 0 })
    const { target, acknowledged } = await backUpUnderLoad(product, sender)
    await untilLoaded(product)
    const total = await countEvents(product)
    expect(await product.terminate()).toBe(0)
    expect(product.output()).toContain('SIGTERM')
    await restoreAndCompare(target, acknowledged, [...sender.acknowledged], total)
  }, 420_000)
})

/** What a sender without a pause wrote during a backup is much, for two cores that have other work too. */
const loadMsMax = 120_000
const untilLoaded = (product: ChildProduct) =>
  untilTrue('the log to be loaded', () => logIsLoaded(product), loadMsMax)

async function countEvents({ url, keys }: ChildProduct): Promise<number> {
  const overview = await fetch(`${url}/api/analytics/overview?siteId=${keys.siteId}&window=2d`, {
    headers: { authorization: `Bearer ${keys.liveKey}` },
  })
  return Object(await overview.json()).metrics.events
}

/** What was acknowledged before the backup began, while more came in all the time. */
async function backUpUnderLoad(product: ChildProduct, sender: Sender) {
  let isDone = false
  const sending = sender.keepSending(product, () => isDone)
  const before = sender.acknowledged.size
  await untilTrue('something to be acknowledged', () => sender.acknowledged.size > before + 100)
  const acknowledged = [...sender.acknowledged]
  const target = join(shell.directory, 'backup')
  const args = ['backup', target, '--data-dir', dataDir, '--json']
  const said = await shell.assay(args, { wait: (ms) => wait(ms) })
  isDone = true
  await sending
  expect(said).toMatchObject({ exitCode: 0, err: '' })
  return { target, acknowledged }
}

/** Everything that was acknowledged before is there; with the rest sent again, everything is there once. */
async function restoreAndCompare(
  target: string,
  acknowledged: readonly string[],
  all: readonly string[],
  total: number,
): Promise<void> {
  const restored = join(shell.directory, 'restored')
  const args = ['restore', target, '--data-dir', restored]
  expect(await shell.assay(args)).toMatchObject({ exitCode: 0 })
  expect(await shell.assay(args)).toMatchObject({ exitCode: 2, err: expect.stringContaining('not empty') })
  const product = await startChild({ ...killable, ASSAY_DATA_DIR: restored })
  await untilLoaded(product)
  const kept = await countEvents(product)
  const known = await sendAgain(product, acknowledged)
  expect(known).toEqual({ duplicate: acknowledged.length, accept: 0 })
  const { accept } = await sendAgain(product, all)
  expect(kept + accept).toBe(total)
  expect(await product.terminate()).toBe(0)
}

async function sendAgain(product: ChildProduct, ids: readonly string[]) {
  const sum = { duplicate: 0, accept: 0 }
  for (let at = 0; at < ids.length; at += 1000) {
    const events = ids.slice(at, at + 1000).map((event_id) => ({
      event: '$login',
      event_id,
      user_id: 'u1',
      properties: { method: 'x' },
    }))
    const { summary } = Object(await (await post(product, '/v1/batch', { batch: events })).json())
    sum.duplicate += summary.duplicate
    sum.accept += summary.accept
  }
  return sum
}
