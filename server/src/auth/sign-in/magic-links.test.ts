import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getSession, listSites, requestMagicLink, verifyMagicLink } from '@assay/contract'
import type { Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { newId } from '../../platform/clock.ts'
import { createMailer } from '../../platform/mail/mail.ts'
import { caller, startWorld, type TestPerson, untilTrue, type World } from '../../testing/harness.ts'
import { type MailServer, startMailServer } from '../../testing/mail-server.ts'
import { recordLog } from '../../testing/recorded-log.ts'
import { describeAgent } from '../sessions/devices.ts'
import { createAdmission } from './sign-up.ts'

let mailServer: MailServer
let world: World
let member: TestPerson
const clock = { ms: Date.now() }
const signInsPerMinute = 30

beforeAll(async () => {
  mailServer = await startMailServer()
  const { callsPerMinute } = readConfig({})
  world = await startWorld({
    now: () => clock.ms,
    config: {
      smtpUrl: mailServer.url,
      mailFrom: 'Assay <assay@shop.example>',
      trustProxy: 1,
      callsPerMinute: { ...callsPerMinute, signIn: signInsPerMinute, open: 1e9 },
    },
  })
  member = await world.signIn('analyst')
})
afterAll(async () => {
  await world?.close()
  await mailServer?.close()
})

let sources = 0
/** Each from another address, unless one is given. */
const from = (source = `198.51.100.${++sources}`) => ({ headers: { 'x-forwarded-for': source } })
const ask = (email: string, options = from()) =>
  caller(world.product.url, null)(requestMagicLink, { body: { email } }, options)
const verify = (token: string, options = from()) =>
  caller(world.product.url, null)(verifyMagicLink, { body: { token } }, options)
const tokenIn = (mail: Email) => /#token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''
const settled = () => world.product.deps.signIn.magicLinks.idle()
const mailsTo = (email: string) =>
  mailServer.mails.filter(({ to }) => to?.some(({ address }) => address === email)).length

describe('a magic link', () => {
  test('comes by mail, as text and as HTML, and signs its owner in', async () => {
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const asked = await ask(` ${member.email.toUpperCase()} `, { headers: { ...from().headers, ...agent } })
    expect(asked.status).toBe(202)
    const mail = await mailServer.newest(member.email)
    expect(mail).toMatchObject({
      subject: 'Sign in to Assay',
      from: { name: 'Assay', address: 'assay@shop.example' },
    })
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    const link = `${world.product.url}/sign-in#token=${tokenIn(mail)}`
    expect(mail.text).toContain(link)
    expect(mail.html).toContain(`href="${link}"`)
    expect(mail.html).not.toMatch(/<img|<script|url\(/)
    for (const form of [mail.text, mail.html]) {
      expect(form).toContain('expires in 15 minutes')
      expect(form).toContain('Firefox on Linux')
    }

    const entered = await verify(tokenIn(mail))
    expect(entered.status).toBe(200)
    const { body } = await caller(world.product.url, entered.body.access_token ?? '')(getSession, {})
    expect(body).toMatchObject({
      user: { id: member.userId },
      workspaces: [{ id: member.workspaceId, role: 'analyst' }],
    })
  })

  test('works once', async () => {
    const count = mailsTo(member.email)
    await ask(member.email)
    const token = tokenIn(await mailServer.newest(member.email, count + 1))
    const both = await Promise.all([verify(token), verify(token)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
    expect((await verify(token)).status).toBe(401)
  })

  test('expires in 15 minutes', async () => {
    const count = mailsTo(member.email)
    await ask(member.email)
    const token = tokenIn(await mailServer.newest(member.email, count + 1))
    clock.ms += 15 * 60_000
    expect((await verify(token)).status).toBe(401)
  })

  test('is not spent by programs that open links in mails', async () => {
    const count = mailsTo(member.email)
    await ask(member.email)
    const mail = await mailServer.newest(member.email, count + 1)
    const page = await fetch(`${world.product.url}/sign-in`)
    expect(page.status).toBe(200)
    // What stands on the page is all that may run there.
    const script = /<script>([\s\S]*)<\/script>/.exec(await page.text())?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(page.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}';`)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect((await verify(tokenIn(mail))).status).toBe(200)
  })

  test('is tried again when the mail server says to come back later', async () => {
    const { logger, entries } = recordLog()
    const mailer = createMailer({
      smtpUrl: mailServer.url,
      from: () => 'a@shop.example',
      print: () => {},
      logger,
      retryMs: [1, 1],
    })
    const mail = { to: 'late@example.com', subject: 's', text: 't', html: '<p>t</p>', link: 'x' }
    mailServer.refuseNext(2)
    await mailer.send(mail)
    expect(mailsTo('late@example.com')).toBe(1)
    mailServer.refuseNext(3)
    await mailer.send(mail)
    expect(mailsTo('late@example.com')).toBe(1)
    const message = expect.stringMatching(/^A mail could not be delivered: \w+ 451\./)
    expect(entries).toMatchObject([{ level: 'error', message }])
    expect(JSON.stringify(entries)).not.toContain('late@')
    mailServer.refuseNext(0)
    mailer.close()
  })
})

test('a signed-in person is counted over all they call, by the limit for people', async () => {
  const person = await world.signIn('viewer')
  const first = await person.call(listSites, { query: {} })
  const second = await person.call(getSession, {})
  expect(first.headers.get('x-ratelimit-limit')).toBe('1200')
  const left = [first, second].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  expect(left).toEqual([left[0], (left[0] ?? 0) - 1])
})

describe('whether an address has an account', () => {
  test('is not revealed by the answer', async () => {
    const known = await ask(member.email)
    const unknown = await ask('nobody@example.com')
    expect(unknown.status).toBe(known.status)
    expect(unknown.body).toEqual(known.body)
    const names = (answer: typeof known) => [...answer.headers.keys()].sort()
    expect(names(unknown)).toEqual(names(known))
    await settled()
    expect(mailsTo('nobody@example.com')).toBe(0)
  })

  test('is not revealed by the time of the answer: nothing was looked up before it', async () => {
    const { control } = world.product.deps
    const { promise: mayEnd, resolve: release } = Promise.withResolvers<void>()
    const busy = control.transaction(() => mayEnd)
    // With the store blocked, a look-up before the answer would wait.
    const answers = await Promise.all([ask(member.email), ask('nobody@example.com')])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    release()
    await busy
    await settled()
  })

  test('matters where only invited people may enter, and nowhere else', async () => {
    const { control, now, sessions } = world.product.deps
    const { userChanged, revoke } = sessions
    const needs = { control, now, newId, userChanged, endSessions: (userId: string) => revoke(userId, null) }
    const open = createAdmission({ ...needs, signUp: 'open' })
    const closed = createAdmission({ ...needs, signUp: 'invited' })
    const email = `${newId('new')}@example.com`
    expect(await closed.mayEnter(email)).toBe(false)
    expect(await closed.enter(email, 'New')).toBeNull()
    expect(await open.mayEnter(email)).toBe(true)
    expect(await open.enter(email, 'New')).toMatchObject({ email, name: 'New' })
    expect(await closed.mayEnter(email)).toBe(true)
  })

  test.each(['', 'x', 'a@', '@b', 'a b@c.example', 'a@b@c', 'a@b.example\nBcc: c@d.example'])(
    'is not even asked for %o',
    async (email) => {
      expect((await ask(email)).status).toBe(422)
    },
  )
})

describe('a thousand attempts against one address', () => {
  test('from one source are throttled, and the right person still gets in, even from there', async () => {
    const victim = await world.signIn('owner')
    const attacker = from('203.0.113.7')
    const statuses: number[] = []
    for (let at = 0; at < 1_000; at++) {
      const answer =
        at % 2 === 0 ? await ask(victim.email, attacker) : await verify(`ml_guess_${at}`, attacker)
      statuses.push(answer.status)
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(signInsPerMinute)
    await settled()
    expect(mailsTo(victim.email)).toBe(5)
    expect((await ask(victim.email, attacker)).headers.get('retry-after')).toMatch(/^\d+$/)

    // Regardless of who requested it: the mail went to the right person, and its link works anywhere.
    const entered = await verify(tokenIn(await mailServer.newest(victim.email)), attacker)
    expect(entered.status).toBe(200)
    const call = caller(world.product.url, entered.body.access_token ?? '')
    expect((await call(listSites, { query: {} })).status).toBe(200)
  })

  test('from a thousand sources send five mails, and the right person still gets in', async () => {
    const victim = await world.signIn('owner')
    const each = (at: number) => from(`2001:db8:0:${at.toString(16)}::1`)
    for (let at = 0; at < 1_000; at += 20) {
      const some = Array.from({ length: 20 }, (_, index) => ask(victim.email, each(at + index)))
      for (const { status } of await Promise.all(some)) expect(status).toBe(202)
    }
    await settled()
    expect(mailsTo(victim.email)).toBe(5)
    expect((await ask(victim.email)).status).toBe(202)
    expect((await verify(tokenIn(await mailServer.newest(victim.email)))).status).toBe(200)
    // One link is used up, so the next request sends a mail again; and all are allowed again when theirs
    // expired.
    await ask(victim.email)
    await mailServer.newest(victim.email, 6)
    clock.ms += 15 * 60_000
    await ask(victim.email)
    expect((await verify(tokenIn(await mailServer.newest(victim.email, 7)))).status).toBe(200)
  })
})

describe('without a mail server', () => {
  test('the first start says how its owner signs in, and further links are printed', async () => {
    const plain = await startWorld({ config: { ownerEmail: 'boss@shop.example' } })
    try {
      const { firstRunFile, signInUrl, url } = plain.product
      const firstRun = JSON.parse(readFileSync(firstRunFile ?? '', 'utf8'))
      expect(firstRun).toMatchObject({ ownerEmail: 'boss@shop.example', signInUrl })
      const enter = async (link: string | null | undefined) => {
        const token = /#token=([\w-]+)/.exec(link ?? '')?.[1] ?? ''
        return caller(url, null)(verifyMagicLink, { body: { token } })
      }
      const entered = await enter(signInUrl)
      const { body } = await caller(url, entered.body.access_token ?? '')(getSession, {})
      expect(body.workspaces).toMatchObject([{ id: firstRun.workspaceId, role: 'owner' }])

      await caller(url, null)(requestMagicLink, { body: { email: 'boss@shop.example', return_to: '/a?b=c' } })
      await untilTrue('the printed link', () => plain.printed.length > 0)
      expect(plain.printed[0]).toMatch(/^For boss@shop\.example: Sign in to Assay: http.*&to=%2Fa%3Fb%3Dc$/)
      expect((await enter(plain.printed[0])).status).toBe(200)
    } finally {
      await plain.close()
    }
  })
})

test.each([
  ['', 'an unknown device'],
  ['curl/8.5.0', 'curl'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
])('a device that says %o is called %s', (userAgent, words) => {
  expect(describeAgent(userAgent)).toBe(words)
})
