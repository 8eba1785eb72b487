import {
  batch,
  createAnnotation,
  createMapping,
  getReceipt,
  getSite,
  listErrorRules,
  listMappings,
} from '@assay/contract'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../server/src/platform/logging/logger.ts'
import { removeOldEvents } from '../../../server/src/privacy/retention/event-retention.ts'
import { logLine, refusedBy } from '../../../server/src/testing/log-lines.ts'
import { text } from './all-text.ts'
import { choose, follow } from './choose.ts'
import { errorMessage } from './fill-watch.ts'
import type { Stage } from './watch-tasks.ts'

/** What is kept, and how it is put together. */
export function keepTasks(stage: () => Stage, taskMs: number): void {
  test(
    'a rule for errors previews its changes, is created, changed and removed',
    () => groupErrors(stage()),
    taskMs,
  )
  test(
    'a mapping rule is removed only after a question, and annotations are listed newest first',
    () => removeMapping(stage()),
    taskMs,
  )
  test(
    'a shorter retention shows what it removes, asks, and affected reports say so afterwards',
    () => shortenRetention(stage()),
    taskMs,
  )
  test(
    'an event that a store refused is said on every page, and is repaired and loaded on its own',
    () => repairLetter(stage()),
    taskMs,
  )
}

async function repairLetter({ page, at, shop, world, settled, inspect }: Stage): Promise<void> {
  const words = text.deadLetters
  await world.product.deps.log.append(logLine(shop, 'refused-event', refusedBy.staging), 1)
  await shop.settle()
  await page.goto(at('overview'))
  const note = page.getByRole('status').filter({ hasText: text.shell.lettersWait })
  await note.getByRole('link', { name: text.pages.deadLetters, exact: true }).click()
  const field = page.getByLabel(words.repair, { exact: true })
  await field.waitFor()
  await settled()
  expect(await inspect('dead-letters')).toEqual([])
  await field.fill('{"event":')
  await page.getByRole('button', { name: words.loadRepaired, exact: true }).click()
  await page.getByText(words.repairUnreadable, { exact: true }).waitFor()
  await field.fill(JSON.stringify({ event: '$login', user_id: 'u', properties: { method: 'x' } }))
  await page.getByRole('button', { name: words.loadRepaired, exact: true }).click()
  await page.getByText(words.empty, { exact: true }).waitFor()
  await shop.settle()
  const params = { event_id: 'refused-event' }
  expect((await shop.call(getReceipt, { params })).body).toMatchObject({ outcome: 'accept' })
}

async function groupErrors({ page, at, shop, settled, inspect }: Stage): Promise<void> {
  const words = text.errorRules
  const rules = async () =>
    (await shop.call(listErrorRules, { query: { siteId: shop.siteId } })).body.data.map(
      ({ match, errorGroup }) => [match.title, errorGroup],
    )
  await follow(page, at('errors'))
  await page.getByRole('link', { name: new RegExp(errorMessage) }).click()
  await page.getByRole('link', { name: words.byRule, exact: true }).click()
  await page.getByLabel(words.group, { exact: true }).fill('Cart')
  await page.getByRole('button', { name: words.preview, exact: true }).click()
  await page.getByText(words.matched('1'), { exact: true }).waitFor()
  await settled()
  expect(await inspect('settings/error-rules')).toEqual([])
  await page.getByLabel(words.group, { exact: true }).focus()
  await page.keyboard.press('Enter')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`\\b${name}\\b`) })
  await row('Cart').waitFor()
  expect(await rules()).toEqual([[errorMessage, 'Cart']])
  await page.getByRole('button', { name: words.change('Cart'), exact: true }).click()
  await page.getByLabel(words.group, { exact: true }).fill('Basket')
  await page.getByRole('button', { name: text.acts.save, exact: true }).click()
  await row('Basket').waitFor()
  await page.getByRole('button', { name: words.remove('Basket'), exact: true }).click()
  const dialog = page.getByRole('dialog', { name: words.removeTitle('Basket'), exact: true })
  await dialog.getByText(words.gone('Basket'), { exact: true }).waitFor()
  await dialog.getByRole('button', { name: text.acts.remove, exact: true }).click()
  await page.getByText(words.empty, { exact: true }).waitFor()
  expect(await rules()).toEqual([])
}

async function removeMapping({ page, at, shop, patienceMs }: Stage): Promise<void> {
  const words = text.mappings
  const { siteId } = shop
  await shop.call(createMapping, { body: { siteId, source: 'bought', target: '$purchase' } })
  const query = { siteId, origin: 'custom' as const }
  const sources = async () => (await shop.call(listMappings, { query })).body.data.map(({ source }) => source)
  await follow(page, at('settings/mappings'))
  const remove = page.getByRole('button', { name: `${text.acts.remove}: bought`, exact: true })
  const dialog = page.getByRole('dialog', { name: words.removeTitle('bought'), exact: true })
  await remove.click()
  await dialog.getByRole('button', { name: text.acts.cancel, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await sources()).toEqual(['bought'])
  await remove.click()
  await dialog.getByRole('button', { name: text.acts.remove, exact: true }).click()
  await page.getByText(words.removed('bought'), { exact: true }).waitFor()
  expect(await sources()).toEqual([])
  for (const [hours, words] of [
    [3, 'Third'],
    [1, 'Last'],
    [2, 'Second'],
  ] as const) {
    const moment = new Date(Date.now() - hours * 3_600_000).toISOString()
    await shop.call(createAnnotation, { body: { siteId, at: moment, text: words } })
  }
  await page.goto(at('settings/annotations'))
  const cells = page.locator('main tbody tr td:first-child')
  await expect
    .poll(() => cells.allTextContents(), { timeout: patienceMs })
    .toEqual(['Last', 'Second', 'Third'])
}

const oldMs = 120 * 86_400_000

async function shortenRetention({ page, at, shop, world, settled, inspect }: Stage): Promise<void> {
  const words = text.dataRetention
  const old = {
    event: '$login',
    event_id: 'event-of-long-ago',
    user_id: 'user-of-long-ago',
    historical: true,
    ts: new Date(Date.now() - oldMs).toISOString(),
    properties: { method: 'mail' },
  }
  await shop.call(batch, { body: { batch: [old] } }, { key: shop.keys.secret })
  await shop.settle()
  await follow(page, at('settings/retention'))
  await choose(page, words.keep, words.days('90'))
  await page.getByText(/^1 event before/).waitFor()
  await page.getByRole('button', { name: words.saveShorter, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: words.ask('90'), exact: true })
  await dialog.getByText(/^1 event before/).waitFor()
  expect(await dialog.getByRole('button', { name: words.confirm, exact: true }).isDisabled()).toBe(true)
  await dialog.getByLabel(words.sure, { exact: true }).focus()
  await page.keyboard.press('Space')
  expect(await inspect('settings/retention')).toEqual([])
  await dialog.getByRole('button', { name: words.confirm, exact: true }).click()
  await page.getByText(words.savedShorter, { exact: true }).waitFor()
  const { body: site } = await shop.call(getSite, { params: { id: shop.siteId } })
  expect(site.eventRetentionDays).toBe(90)
  await removeOldEvents(world.product.deps, silentLogger, console.error)
  await page.goto(at('overview?window=90d'))
  await page.getByText(/were removed by this site’s retention setting/).waitFor()
  await settled()
  expect(await inspect('overview')).toEqual([])
  await page.goto(at('overview?window=7d'))
  await page.locator('[data-metric=visitors]').waitFor()
  expect(await page.getByText(/were removed by this site’s retention setting/).count()).toBe(0)
}
