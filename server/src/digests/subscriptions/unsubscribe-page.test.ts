import { testDigest } from '@assay/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../../../sdk/browser/test/testing/site.ts'
import {
  type DigestWorld,
  headerOf,
  makeDigest,
  readDigest,
  startDigestWorld,
} from '../testing/digest-world.ts'

let at: DigestWorld
let browser: Browser

beforeAll(async () => {
  ;[at, browser] = await Promise.all([startDigestWorld(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await at?.close()
})

test('a person unsubscribes, and subscribes again, with a press of a button and without a script', async () => {
  const shop = await at.world.newWorkspace()
  const email = 'presses@example.com'
  const { id } = await makeDigest(shop, { recipients: [email] })
  await shop.call(testDigest, { params: { id }, body: { email } })
  const [mail] = at.mailsTo(email)
  if (mail === undefined) throw new Error('no mail came')
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  const state = async () => (await readDigest(shop, id)).recipients[0]?.state

  await page.goto(headerOf(mail, 'list-unsubscribe').slice(1, -1))
  await page.getByRole('heading', { name: 'Unsubscribe', exact: true }).waitFor()
  expect(await state()).toBe('active')
  for (let round = 0; round < 2; round++) {
    await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click()
    await page.getByRole('heading', { name: 'You are unsubscribed', exact: true }).waitFor()
    expect(await state()).toBe('unsubscribed')
    await page.getByRole('button', { name: 'Subscribe again', exact: true }).click()
    await page.getByRole('heading', { name: 'Unsubscribe', exact: true }).waitFor()
    expect(await state()).toBe('active')
  }
  expect(refused).toEqual([])
  await context.close()
})
