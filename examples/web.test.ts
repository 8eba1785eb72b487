import { join } from 'node:path'
import { getOverview } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countByName, type Lab, leave, named, openLab } from '../sdk/browser/test/testing/lab.ts'
import { serveExample } from './static-server.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab?.close())

const open = async (example: string) => {
  const ours = await lab.world.newWorkspace()
  const product = { url: lab.world.product.url, publicKey: ours.keys.public }
  const { url, close } = await serveExample(join(import.meta.dirname, example), product, 0)
  const page = await (await lab.browser.newContext()).newPage()
  return { ours, url, close, page }
}

test('the shop page tracks the visit and the order, and the overview shows both', async () => {
  const { ours, url, close, page } = await open('shop-page')
  await page.goto(url)
  await page.click('#add-to-cart')
  await page.fill('[name=card]', '4242424242424242')
  await page.click('text=Pay')
  await leave(page)
  const stored = await lab.storedWith(ours, 'web_vital', 5)
  close()
  expect(countByName(stored)).toMatchObject({
    $session_start: 1,
    $pageview: 1,
    $form_submit: 1,
    $purchase: 1,
    page_leave: 1,
  })
  expect(named(stored, '$click').map(({ properties }) => properties.element)).toEqual([
    'add-to-cart',
    'Pay 49.90 €',
  ])
  expect(JSON.stringify(stored)).not.toMatch(/42424242|Example WritePath/)
  const { body } = await ours.call(getOverview, {
    query: { siteId: ours.siteId, window: '24h', includeBots: true },
  })
  expect(body.metrics).toMatchObject({
    visitors: 1,
    sessions: 1,
    pageviews: 1,
    conversions: 1,
    revenue: 49.9,
  })
})

test('the single-page application asks for consent first, and then tracks every page from the first on', async () => {
  const { ours, url, close, page } = await open('single-page-app')
  await page.goto(url)
  await page.click('text=Pricing')
  await page.waitForFunction('document.title === "Pricing"')
  expect(await lab.stored(ours)).toEqual([])
  await page.click('[data-choice=granted]')
  await page.click('#plan-pro')
  await page.click('text=Account')
  await page.click('text=Sign in')
  await page.click('nav >> text=Notes')
  await page.click('#export')
  await leave(page)
  const stored = await lab.storedWith(ours, 'page_leave', 4)
  close()
  expect(named(stored, '$pageview').map(({ path, properties }) => [path, properties.title])).toEqual([
    ['/', 'Notes'],
    ['/pricing', 'Pricing'],
    ['/account', 'Account'],
    ['/', 'Notes'],
  ])
  expect(countByName(stored)).toMatchObject({ $subscribe: 1, $login: 1, $form_submit: 1, error: 1 })
  expect(named(stored, '$login')[0]).toMatchObject({ user_id: 'user-17' })
  expect(named(stored, 'error')[0]?.properties).toMatchObject({
    message: 'Nothing to export',
    handled: true,
    tags: { feature: 'export' },
  })
})
