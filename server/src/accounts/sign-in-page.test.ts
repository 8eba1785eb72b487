import { inviteMember, listWorkspaces } from '@assay/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../../sdk/browser/test/testing/site.ts'
import { newId } from '../clock.ts'
import { startWorld, type World } from '../testing/harness.ts'

let world: World
let browser: Browser

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startWorld(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const linkFor = (email: string, kind: 'token' | 'invitation') =>
  world.announced
    .findLast((line) => line.includes(email) && line.includes(`#${kind}=`))
    ?.match(/http\S+/)?.[0] ?? ''

async function invite(email: string): Promise<{ workspaceId: string; link: string }> {
  const workspace = await world.newWorkspace()
  const answer = await workspace.call(inviteMember, { body: { email, role: 'viewer' } })
  expect(answer.status).toBe(201)
  return { workspaceId: workspace.workspaceId, link: linkFor(email, 'invitation') }
}

async function ownWorkspaces(page: Page): Promise<string[]> {
  const answer = await page.request.get(`${world.product.url}${listWorkspaces.path}`)
  return (await answer.json()).data.map(({ id }: { id: string }) => id)
}

/** What is there then is the dashboard's; it may have to be made first. */
const leftSignIn = (page: Page) =>
  page.waitForURL(({ pathname }) => pathname !== '/sign-in', { waitUntil: 'commit', timeout: 60_000 })

test('somebody new who opens an invitation signs in by mail and is in, and later joins with one press', async () => {
  const email = `${newId('guest')}@example.com`
  const first = await invite(email)
  const page = await (await browser.newContext()).newPage()
  await page.goto(first.link)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('Sign in first').waitFor()
  await page.getByLabel('Your e-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await expect.poll(() => linkFor(email, 'token')).not.toBe('')
  await page.goto(linkFor(email, 'token'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Join' }).click()
  await leftSignIn(page)
  expect(await ownWorkspaces(page)).toEqual([first.workspaceId])

  const second = await invite(email)
  await page.goto(second.link)
  await page.getByRole('button', { name: 'Join' }).click()
  await leftSignIn(page)
  expect(await ownWorkspaces(page)).toEqual([first.workspaceId, second.workspaceId])
})
