import { createHash } from 'node:crypto'
import { grantCommand, inviteMember, listWorkspaces, redeemCommand } from '@assay/contract'
import type { Browser, Page } from 'playwright-core'
import type { Email } from 'postal-mime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShell } from '../../../../cli/src/testing/shell.ts'
import { openBrowser } from '../../../../sdk/browser/test/testing/site.ts'
import { newId } from '../../platform/clock.ts'
import { startWorld, type World } from '../../testing/harness.ts'
import { startMailServer } from '../../testing/mail-server.ts'

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
  world.printed
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

test('a new person who opens an invitation joins, and later joins others with one click', async () => {
  const email = `${newId('guest')}@example.com`
  const first = await invite(email)
  const page = await (await browser.newContext()).newPage()
  await page.goto(first.link)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await leftSignIn(page)
  expect(await ownWorkspaces(page)).toEqual([first.workspaceId])

  const second = await invite(email)
  await page.goto(second.link)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await leftSignIn(page)
  expect(await ownWorkspaces(page)).toEqual([first.workspaceId, second.workspaceId])
})

test('a signed-out person with an account who opens an invitation signs in and joins', async () => {
  const { email, workspaceId } = await world.signIn('viewer')
  const { workspaceId: joined, link } = await invite(email)
  const page = await (await browser.newContext()).newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.getByText('Sign in first').waitFor()
  await page.getByLabel('Email address', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Get a sign-in link', exact: true }).click()
  await expect.poll(() => linkFor(email, 'token')).not.toBe('')
  await page.goto(linkFor(email, 'token'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await leftSignIn(page)
  expect(await ownWorkspaces(page)).toEqual([workspaceId, joined])
})

test('where mail is sent, a new person who opens an invitation signs in by mail', async () => {
  const mailServer = await startMailServer()
  const mailing = await startWorld({
    config: { smtpUrl: mailServer.url, mailFrom: 'Assay <assay@shop.example>' },
  })
  const linkIn = ({ text = '' }: Email, kind: string) =>
    [...text.matchAll(/http\S+/g)].map(([link]) => link).find((link) => link.includes(`#${kind}=`)) ?? ''
  try {
    const [email, workspace] = ['guest@example.com', await mailing.newWorkspace()]
    await workspace.call(inviteMember, { body: { email, role: 'viewer' } })
    const page = await (await browser.newContext()).newPage()
    await page.goto(linkIn(await mailServer.newest(email), 'invitation'))
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.getByText('Sign in first').waitFor()
    await page.getByLabel('Email address', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Email me a sign-in link', exact: true }).click()
    await page.goto(linkIn(await mailServer.newest(email, 2), 'token'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await leftSignIn(page)
    const answer = await page.request.get(`${mailing.product.url}${listWorkspaces.path}`)
    expect((await answer.json()).data).toMatchObject([{ id: workspace.workspaceId }])
  } finally {
    await mailing.close()
    await mailServer.close()
  }
})

test.each([
  '/\t/evil.example',
  '//evil.example',
  '/\\evil.example',
  '/.//evil.example',
  'https://evil.example',
])('a sign-in link with the redirect target %j stays here', async (to) => {
  const { email } = await world.signIn('viewer')
  const link = await world.product.deps.signIn.magicLinks.make(email, 5)
  const page = await (await browser.newContext()).newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).origin))
  await page.goto(`${link}&to=${encodeURIComponent(to)}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await leftSignIn(page)
  expect(new URL(page.url()).origin).toBe(world.product.url)
  expect(new Set(asked)).toEqual(new Set([world.product.url]))
})

test('assay init signs in with the browser: who is not signed in signs in, allows it, and the command has a key', async () => {
  const { email, workspaceId } = await world.signIn('owner')
  const page = await (await browser.newContext()).newPage()
  const shell = openShell()
  let address = ''
  const initialised = shell.assay(['init', '--server', world.product.url], {
    answers: [''],
    openBrowser: (url) => {
      address = url
    },
  })
  await expect.poll(() => address, { timeout: 30_000 }).not.toBe('')
  await page.goto(address)
  await page.getByLabel('Email address', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Get a sign-in link', exact: true }).click()
  await expect.poll(() => linkFor(email, 'token'), { timeout: 30_000 }).not.toBe('')
  await page.goto(linkFor(email, 'token'))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // Requests of others to the port are ignored.
  const port = new URL(address).searchParams.get('port')
  expect((await fetch(`http://127.0.0.1:${port}/?code=x&state=y`)).status).toBe(404)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('The command is connected.').waitFor()
  expect(await initialised).toMatchObject({ exitCode: 0, err: '' })
  expect((await shell.assay(['pull'])).exitCode).toBe(0)
  const [made] = await world.product.deps.control.query<{ name: string; scopes: string[] }>(
    'SELECT name, scopes FROM api_keys WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1',
    [workspaceId],
  )
  expect(made?.name).toBe('assay command')
  expect(made?.scopes).not.toContain('*')
  shell.remove()
}, 120_000)

test('the code of a command works once, and only with its verifier', async () => {
  const { call } = await world.signIn('admin')
  const verifier = 'v'.repeat(50)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const grant = async () =>
    (await call(grantCommand, { body: { code_challenge: challenge, name: 'x' } })).body.code
  const redeem = (code: string, code_verifier: string) =>
    call(redeemCommand, { body: { code, code_verifier } }, { key: null })
  const wrong = await grant()
  expect((await redeem(wrong, 'w'.repeat(50))).status).toBe(401)
  expect((await redeem(wrong, verifier)).status).toBe(401)
  const right = await grant()
  expect((await redeem(right, verifier)).body.key).toMatch(/^sk_live_/)
  expect((await redeem(right, verifier)).status).toBe(401)
  const analyst = await world.signIn('analyst')
  const refused = await analyst.call(grantCommand, { body: { code_challenge: challenge, name: 'x' } })
  expect(refused.status).toBe(403)
})
