import { createServer, type Server } from 'node:http'
import {
  type Alert,
  createAlert,
  createDestination,
  createReport,
  deleteAlert,
  deleteReport,
  getAlert,
  getAlertPreview,
  type Input,
  listFirings,
  type Metric,
  previewAlert,
  runQuery,
  updateAlert,
  updateReport,
} from '@assay/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../platform/units.ts'
import { raise, startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { type MailServer, startMailServer } from '../testing/mail-server.ts'
import { checkDue } from './check.ts'
import { sendDue } from './messages/sender.ts'

const firstMs = Date.UTC(2026, 10, 1, 12)
const clock = { ms: firstMs }
let mailServer: MailServer
let world: World

beforeAll(async () => {
  mailServer = await startMailServer()
  world = await startWorld({
    now: () => clock.ms,
    config: { smtpUrl: mailServer.url, mailFrom: 'Assay <assay@shop.example>', allowPrivateCallbacks: true },
  })
})
afterAll(async () => {
  await world?.close()
  await mailServer?.close()
})

type Got = { headers: Record<string, string>; text: string }
type Receiver = { url: string; got: Got[]; status: number; server: Server }
const receivers: Receiver[] = []
afterEach(() => {
  clock.ms = firstMs
  for (const { server } of receivers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Slack, or a customer's own server. */
async function openReceiver(status = 200): Promise<Receiver> {
  const receiver: Receiver = { url: '', got: [], status, server: createServer() }
  receiver.server.on('request', async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    receiver.got.push({ headers: Object(request.headers), text })
    response.writeHead(receiver.status).end('ok')
  })
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve))
  const address = receiver.server.address()
  receiver.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/services/T00/B00/secretpart`
  receivers.push(receiver)
  return receiver
}

let people = 0
/** So many visitors on the day, each with one page view, and a purchase of every other one. */
async function visit(shop: TestWorkspace, day: string, visitors: number): Promise<void> {
  // What lies in the future is not believed.
  at(day, '22:00')
  const events = Array.from({ length: visitors }, (_, nth) => {
    const shared = { anonymous_id: `visitor-${++people}`, session_id: `s-${people}`, historical: true }
    const ts = `${day}T10:${String(nth % 60).padStart(2, '0')}:00Z`
    const url = `https://shop.example/${nth % 3}`
    const view = { ...shared, event: '$pageview', ts, properties: { url, title: 'Page' } }
    const properties = { amount: nth, currency: 'EUR', order_id: `order-${people}` }
    return nth % 2 === 0 ? [view] : [view, { ...shared, event: '$purchase', ts, properties }]
  })
  await shop.send(events.flat(), { outcomes: ['accept', 'warn'] })
}

const check = () => checkDue(world.product.deps.alertWork.checking, raise)
const send = () => sendDue(world.product.deps.alertWork.sending, raise)
const at = (day: string, time = '10:00') => {
  clock.ms = Date.parse(`${day}T${time}:00Z`)
}

const few = {
  name: 'Few visitors',
  question: { metric: 'visitors' as const },
  interval: 'day' as const,
  condition: { type: 'below' as const, value: 10 },
}
const watch = async (shop: TestWorkspace, more: Partial<Input<typeof createAlert>['body']> = {}) => {
  const { status, body } = await shop.call(createAlert, { body: { siteId: shop.siteId, ...few, ...more } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const shown = async (shop: TestWorkspace, { id }: Pick<Alert, 'id'>) =>
  (await shop.call(getAlert, { params: { id } })).body
const firingsOf = async (shop: TestWorkspace, { id }: Pick<Alert, 'id'>) =>
  (await shop.call(listFirings, { params: { id }, query: {} })).body.data
const mailsTo = (email: string) =>
  mailServer.mails.filter(({ to }) => to?.some(({ address }) => address === email))

test('an alert that opens and closes is in the mail, in Slack and a signed notice, once each', async () => {
  const shop = await world.newWorkspace({ timezone: 'Europe/Berlin' })
  const [slack, receiver] = [await openReceiver(), await openReceiver()]
  const { body: destination } = await shop.call(createDestination, {
    body: { name: 'Ours', url: receiver.url, notices: ['alert.opened', 'alert.closed'] },
  })
  for (const [day, visitors] of [
    ['08', 14],
    ['09', 12],
    ['10', 4],
  ] as const)
    await visit(shop, `2026-11-${day}`, visitors)
  at('2026-11-11')
  const recipients = ['ada@example.com', 'Bob@example.com', 'bob@example.com']
  const alert = await watch(shop, { recipients, slackUrl: slack.url, notice: true })
  expect(alert).toMatchObject({ state: 'unknown', recipients: ['ada@example.com', 'bob@example.com'] })
  expect(alert.slackUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/…part$/)
  await check()
  expect(await shown(shop, alert)).toMatchObject({
    state: 'firing',
    lastValue: 4,
    lastIntervalStart: '2026-11-09T23:00:00.000Z',
    openedAt: '2026-11-11T10:00:00.000Z',
    lastError: null,
    nextCheckAt: '2026-11-11T23:10:00.000Z',
  })
  await send()
  const mail = await mailServer.newest('ada@example.com')
  expect(mail.subject).toBe('Visitors of Shop fell below 10: 4 on 10 Nov')
  expect(mail.text).toContain('The alert opens below 10.')
  expect(mail.text).toContain('9 Nov: 12')
  expect(mail.text).toContain(`/${shop.workspaceId}/${shop.siteId}/overview`)
  await untilTrue('Slack to hear of it', () => slack.got.length === 1)
  expect(JSON.parse(slack.got[0]?.text ?? '')).toMatchObject({
    text: 'Visitors of Shop fell below 10: 4 on 10 Nov',
    blocks: [{ type: 'section' }, { type: 'context' }],
  })
  await untilTrue('the notice', () => receiver.got.length === 1)
  const [notice] = receiver.got
  const { 'webhook-id': noticeId = '', 'webhook-signature': signature } = notice?.headers ?? {}
  expect(signature).toBe(
    new Webhook(destination.secret).sign(noticeId, new Date(clock.ms), notice?.text ?? ''),
  )
  expect(JSON.parse(notice?.text ?? '')).toMatchObject({
    type: 'alert.opened',
    data: { alert_id: alert.id, name: 'Few visitors', value: 4, low: 10, high: null },
  })

  await recover(shop, alert, { slack, receiver })
})

/** The day after lies between the limit and the margin, and the one after that is back. */
async function recover(
  shop: TestWorkspace,
  alert: Alert,
  { slack, receiver }: { slack: Receiver; receiver: Receiver },
): Promise<void> {
  await visit(shop, '2026-11-11', 10)
  at('2026-11-12')
  await check()
  expect(await shown(shop, alert)).toMatchObject({ state: 'firing', lastValue: 10 })
  await visit(shop, '2026-11-12', 11)
  at('2026-11-13')
  await check()
  await send()
  expect(await shown(shop, alert)).toMatchObject({ state: 'ok', lastValue: 11, openedAt: null })
  const closing = await mailServer.newest('ada@example.com', 2)
  expect(closing.subject).toBe('Visitors of Shop no longer below 10: 11 on 12 Nov')
  await untilTrue('the second notice', () => receiver.got.length === 2)
  expect(JSON.parse(receiver.got[1]?.text ?? '')).toMatchObject({
    type: 'alert.closed',
    data: { value: 4, closed_value: 11, closed_by: 'recovered' },
  })
  const [firing, ...others] = await firingsOf(shop, alert)
  expect(others).toEqual([])
  expect(firing).toMatchObject({ value: 4, closedValue: 11, closedBy: 'recovered' })
  expect(firing?.messages.map(({ status }) => status)).toEqual(Array(6).fill('sent'))
  expect([mailsTo('ada@example.com').length, mailsTo('bob@example.com').length, slack.got.length]).toEqual([
    2, 2, 2,
  ])
  const { body: preview } = await shop.call(getAlertPreview, { params: { id: alert.id } })
  // Once before, while the site had no visitors yet.
  expect(preview.firings).toBe(2)
  expect(preview.points.slice(-5).map(({ value, state }) => [value, state])).toEqual([
    [14, 'ok'],
    [12, 'ok'],
    [4, 'firing'],
    [10, 'firing'],
    [11, 'ok'],
  ])
}

test('a mail is sent again after pauses, and given up after a day; its state is shown', async () => {
  const shop = await world.newWorkspace()
  const slack = await openReceiver(500)
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const alert = await watch(shop, { recipients: ['late@example.com'], slackUrl: slack.url })
  await check()
  mailServer.refuseNext(2)
  for (const minutes of [0, 1, 5]) {
    clock.ms += minutes * minuteMs
    await send()
  }
  await mailServer.newest('late@example.com')
  const messages = async () => (await firingsOf(shop, alert))[0]?.messages ?? []
  const of = async (channel: string) => (await messages()).find((one) => one.channel === channel)
  await untilTrue('the mail to be noted as sent', async () => (await of('mail'))?.status === 'sent')
  expect(await of('mail')).toMatchObject({ attempts: 3, error: null })
  expect(await of('slack')).toMatchObject({ status: 'pending', error: 'The receiver responded with 500.' })
  for (let hours = 0; hours < 30; hours++) {
    clock.ms += hourMs + minuteMs
    await send()
  }
  expect(await of('slack')).toMatchObject({ status: 'failed' })
  expect(mailsTo('late@example.com')).toHaveLength(1)
})

test('an address that leads inside is not called, unless the operator allows it', async () => {
  const closed = await startWorld({ now: () => clock.ms })
  try {
    const shop = await closed.newWorkspace()
    const slack = await openReceiver()
    await visit(shop, '2026-11-10', 2)
    at('2026-11-11')
    const alert = await watch(shop, { slackUrl: slack.url })
    const { checking, sending } = closed.product.deps.alertWork
    await checkDue(checking, raise)
    await sendDue(sending, raise)
    expect(slack.got).toEqual([])
    const [firing] = (await shop.call(listFirings, { params: { id: alert.id }, query: {} })).body.data
    expect(firing?.messages).toMatchObject([
      { status: 'pending', error: 'The URL points to a private network, which the operator does not allow.' },
    ])
  } finally {
    await closed.close()
  }
})

const metrics: [Metric, Metric[]][] = [
  ['visitors', []],
  ['bounceRate', []],
  ['revenue', []],
  [{ as: 'spent', event: '$purchase', math: 'p90', property: 'amount' }, []],
  [
    { as: 'rate', formula: 'bought / visitors' },
    ['visitors', { as: 'bought', event: '$purchase', math: 'people' }],
  ],
]

test.each(metrics)('the value is what the query answers: %j', async (metric, parts) => {
  const shop = await world.newWorkspace({ timezone: 'America/New_York' })
  await visit(shop, '2026-11-09', 7)
  await visit(shop, '2026-11-10', 9)
  at('2026-11-11')
  const filters = [['startsWith', 'page', ['/']] as const]
  const question = { metric, ...(parts.length > 0 && { parts }), filters }
  const condition = { type: 'changedBy', share: 0.5, direction: 'either' } as const
  const alert = await watch(shop, { question, condition })
  await check()
  const asked = { siteId: shop.siteId, metrics: [...parts, metric], filters }
  const { body } = await shop.call(runQuery, { body: { ...asked, window: '7d', dimensions: ['time:day'] } })
  const name = typeof metric === 'string' ? metric : metric.as
  const row = body.rows.find(({ dimensions }) => dimensions[0] === '2026-11-10T05:00:00.000Z')
  expect(row?.metrics[name]).toBeGreaterThan(0)
  expect((await shown(shop, alert)).lastValue).toBe(row?.metrics[name])
  const judged = { siteId: shop.siteId, question, condition, interval: 'day' as const }
  const { body: preview } = await shop.call(previewAlert, { body: judged })
  const same = body.rows.filter(({ isComplete }) => isComplete).map(({ metrics: figures }) => figures[name])
  expect(preview.points.slice(-same.length).map(({ value }) => value)).toEqual(same)
})

test('a paused alert is not judged, and a pause ends its firing without a mail', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const alert = await watch(shop, { recipients: ['pause@example.com'] })
  await check()
  await send()
  await mailServer.newest('pause@example.com')
  const { body: paused } = await shop.call(updateAlert, {
    params: { id: alert.id },
    body: { isPaused: true },
  })
  expect(paused).toMatchObject({ state: 'unknown', openedAt: null, nextCheckAt: null })
  clock.ms += 3 * dayMs
  await check()
  await send()
  expect(await shown(shop, alert)).toMatchObject({ state: 'unknown', lastValue: null })
  expect(await firingsOf(shop, alert)).toMatchObject([{ closedBy: 'changed' }])
  expect(mailsTo('pause@example.com')).toHaveLength(1)
  // Without visitors on three days: it opens again, with another firing.
  await shop.call(updateAlert, { params: { id: alert.id }, body: { isPaused: false } })
  await check()
  expect((await firingsOf(shop, alert)).map(({ closedBy }) => closedBy)).toEqual([null, 'changed'])
})

test('a product that stood still judges what it missed, in order', async () => {
  const shop = await world.newWorkspace()
  for (const [day, visitors] of [
    ['10', 20],
    ['11', 3],
    ['12', 20],
    ['13', 4],
  ] as const) {
    await visit(shop, `2026-11-${day}`, visitors)
  }
  at('2026-11-11')
  const alert = await watch(shop)
  await check()
  expect(await shown(shop, alert)).toMatchObject({ state: 'ok' })
  at('2026-11-14')
  await check()
  expect(await firingsOf(shop, alert)).toMatchObject([
    { value: 4, closedBy: null },
    { value: 3, closedBy: 'recovered' },
  ])
})

test('a check that fails is shown, tried again later, and does not stop the others', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const [broken, sound] = [await watch(shop), await watch(shop)]
  await world.product.deps.control.query(
    `UPDATE alerts SET question = NULL, report_id = 'rep_gone' WHERE workspace_id = $1 AND id = $2`,
    [shop.workspaceId, broken.id],
  )
  await check()
  expect(await shown(shop, sound)).toMatchObject({ state: 'firing' })
  expect(await shown(shop, broken)).toMatchObject({
    state: 'unknown',
    lastError: 'There is no such report.',
    nextCheckAt: '2026-11-11T10:05:00.000Z',
  })
  clock.ms += 6 * minuteMs
  await check()
  expect((await shown(shop, broken)).nextCheckAt).toBe('2026-11-11T10:16:00.000Z')
  const body = { question: { metric: 'visitors' as const } }
  await shop.call(updateAlert, { params: { id: broken.id }, body })
  await check()
  expect(await shown(shop, broken)).toMatchObject({ state: 'firing', lastError: null })
})

test('the question of a report is followed, until the report is gone', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 4)
  at('2026-11-11')
  const metrics = ['visitors', 'pageviews', { as: 'rate', formula: 'pageviews / visitors + 6' }] as const
  const question = { window: '30d', metrics, dimensions: ['country'], limit: 3 }
  const report = { siteId: shop.siteId, kind: 'query' as const, name: 'Rate', question }
  const { body: saved } = await shop.call(createReport, { body: report })
  const { question: _, ...judged } = few
  const body = { siteId: shop.siteId, ...judged, reportId: saved.id }
  const { status, problem } = await shop.call(createAlert, { body: { ...body, reportMetric: 'sessions' } })
  expect([status, problem.errors?.[0]?.field]).toEqual([422, 'reportMetric'])
  const { body: first } = await shop.call(createAlert, { body })
  const { body: named } = await shop.call(createAlert, { body: { ...body, reportMetric: 'rate' } })
  expect(named).toMatchObject({ question: null, reportId: saved.id, reportMetric: 'rate' })
  await check()
  expect([(await shown(shop, first)).lastValue, (await shown(shop, named)).lastValue]).toEqual([4, 7])
  const changed = { question: { ...question, filters: [['is', 'page', ['/0']]] } }
  await shop.call(updateReport, { params: { id: saved.id }, body: changed })
  await visit(shop, '2026-11-11', 4)
  at('2026-11-12')
  await check()
  expect((await shown(shop, first)).lastValue).toBe(2)
  await shop.call(deleteReport, { params: { id: saved.id } })
  at('2026-11-13')
  await check()
  expect(await shown(shop, first)).toMatchObject({ state: 'firing', lastError: 'There is no such report.' })
  expect((await shop.call(getAlertPreview, { params: { id: first.id } })).status).toBe(404)
})

test('nothing is judged while events of the interval wait to be loaded', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const alert = await watch(shop)
  const { checking } = world.product.deps.alertWork
  const dataUntilMs = Date.UTC(2026, 10, 10, 23)
  const freshness = { ...checking.freshness, of: () => ({ dataUntilMs, pendingEvents: 1 }) }
  await checkDue({ ...checking, freshness }, raise)
  expect(await shown(shop, alert)).toMatchObject({
    state: 'unknown',
    nextCheckAt: '2026-11-11T10:01:00.000Z',
  })
  clock.ms += minuteMs
  await check()
  expect(await shown(shop, alert)).toMatchObject({ state: 'firing' })
})

test('many workers at once judge an alert once', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const alerts = [await watch(shop, { recipients: ['once@example.com'] }), await watch(shop)]
  await Promise.all(Array.from({ length: 5 }, check))
  await Promise.all(Array.from({ length: 5 }, send))
  for (const alert of alerts) expect(await firingsOf(shop, alert)).toHaveLength(1)
  await mailServer.newest('once@example.com')
  expect(mailsTo('once@example.com')).toHaveLength(1)
})

test('a recipient leaves by the button of a page or one click of the mail program, and never by a scanner', async () => {
  const shop = await world.newWorkspace()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const recipients = ['leaver@example.com', 'stayer@example.com', 'mid@example.com']
  const alert = await watch(shop, { recipients })
  await check()
  await send()
  const linkOf = async (email: string) => {
    const { headers } = await mailServer.newest(email)
    const header = (name: string) => headers.find(({ key }) => key === name)?.value
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    return /^<(.+)>$/.exec(header('list-unsubscribe') ?? '')?.[1] ?? ''
  }
  const link = await linkOf('leaver@example.com')
  const opened = await fetch(link)
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(opened.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await opened.text()).toContain('<form method="post">')
  await fetch(link, { method: 'HEAD' })
  expect((await shown(shop, alert)).recipients).toEqual(recipients)
  const form = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  expect((await fetch(link, form)).status).toBe(200)
  expect((await fetch(link, form)).status).toBe(200)
  const parts = new FormData()
  parts.set('List-Unsubscribe', 'One-Click')
  expect((await fetch(await linkOf('mid@example.com'), { method: 'POST', body: parts })).status).toBe(200)
  expect((await shown(shop, alert)).recipients).toEqual(['stayer@example.com'])
  const wrong = link.slice(0, -4)
  for (const method of ['GET', 'POST']) expect((await fetch(wrong, { method })).status).toBe(404)
  const long = await fetch(link, { method: 'POST', body: 'x'.repeat(10_000) })
  expect(long.status).toBe(413)
  await shop.call(deleteAlert, { params: { id: alert.id } })
  expect((await fetch(link, form)).status).toBe(200)
})

test('names cannot break out of a mail or a message', async () => {
  const shop = await world.newWorkspace()
  const slack = await openReceiver()
  await visit(shop, '2026-11-10', 2)
  at('2026-11-11')
  const name = '<script>alert(1)</script> <!channel> "q" & co'
  const question = { metric: { as: 'A', event: '<b>x</b>\r\nBcc: eve@example.com', math: 'count' as const } }
  const condition = { type: 'below' as const, value: 5 }
  await watch(shop, { name, question, condition, recipients: ['safe@example.com'], slackUrl: slack.url })
  await check()
  await send()
  const mail = await mailServer.newest('safe@example.com')
  expect(mail.html).not.toContain('<script>')
  expect(mail.html).toContain('&lt;script&gt;')
  expect(mail.html).not.toContain('<b>x')
  expect(mail.subject).toContain('<b>x</b> Bcc: eve@example.com of Shop')
  expect(mail.bcc).toBeUndefined()
  await untilTrue('Slack to hear of it', () => slack.got.length === 1)
  expect(slack.got[0]?.text).not.toContain('<!channel>')
})
