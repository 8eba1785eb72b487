import {
  createDigest,
  deleteDigest,
  digestLimits,
  getDigest,
  getSubscription,
  listAuditLog,
  listDigests,
  testDigest,
  unsubscribe,
  updateDigest,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace } from '../testing/harness.ts'
import {
  type DigestWorld,
  headerOf,
  makeDigest,
  mondayMs,
  readDigest,
  startDigestWorld,
} from './testing/digest-world.ts'

let at: DigestWorld
let shop: TestWorkspace

beforeAll(async () => {
  at = await startDigestWorld()
  shop = await at.world.newWorkspace({ timezone: 'Europe/Berlin' })
})
afterAll(() => at?.close())

const create = (body: object) =>
  shop.call(createDigest, {
    body: { siteId: shop.siteId, type: 'overview', recipients: ['ada@example.com'], ...body },
  })

describe('a digest', () => {
  test('is made with the usual time, listed, changed and deleted, all in the audit log', async () => {
    const made = await makeDigest(shop, { recipients: ['a@example.com', 'A@example.com', 'b@example.com'] })
    expect(made).toMatchObject({ weekday: 1, hour: 8, nextAt: '2026-11-09T07:00:00.000Z', isPaused: false })
    expect(made.recipients.map(({ email }) => email)).toEqual(['a@example.com', 'b@example.com'])
    const { body: listed } = await shop.call(listDigests, { query: { siteId: shop.siteId } })
    expect(listed.data).toContainEqual(made)
    const params = { id: made.id }
    const { body: changed } = await shop.call(updateDigest, {
      params,
      body: { frequency: 'monthly', hour: 6, recipients: ['b@example.com', 'c@example.com'] },
    })
    expect(changed).toMatchObject({ frequency: 'monthly', nextAt: '2026-12-01T05:00:00.000Z' })
    expect(changed.recipients.map(({ email }) => email)).toEqual(['b@example.com', 'c@example.com'])
    expect((await shop.call(deleteDigest, { params })).status).toBe(204)
    expect((await shop.call(getDigest, { params })).status).toBe(404)
    const { body: log } = await shop.call(listAuditLog, { query: {} })
    const about = log.data.filter(({ object }) => object.id === made.id)
    expect(about.map(({ action }) => action).toSorted()).toEqual([
      'digest.created',
      'digest.deleted',
      'digest.updated',
    ])
    expect(JSON.stringify(about)).not.toContain('@example.com')
  })

  test('refuses wrong addresses, times, boards, filters and periods', async () => {
    const other = await at.world.newWorkspace()
    const refusals: [object, number, string][] = [
      [{ recipients: [] }, 422, 'recipients'],
      [{ recipients: ['not an address'] }, 422, 'recipients[0]'],
      [{ recipients: ['a@b.example\r\nbcc: c@d.example'] }, 422, 'recipients[0]'],
      [{ recipients: Array.from({ length: 21 }, (_, nth) => `a${nth}@example.com`) }, 422, 'recipients'],
      [{ weekday: 0 }, 422, 'weekday'],
      [{ hour: 24 }, 422, 'hour'],
      [{ frequency: 'daily' }, 422, 'frequency'],
      [{ narrowing: { window: '7d' } }, 422, 'narrowing'],
      [{ narrowing: { filters: '[["is"' } }, 422, 'filters'],
      [{ type: 'board' }, 404, ''],
      [{ type: 'board', targetId: `traffic.${other.siteId}` }, 404, ''],
      [{ siteId: other.siteId }, 404, ''],
    ]
    for (const [body, status, field] of refusals) {
      const answer = await create(body)
      expect([answer.status, JSON.stringify(body)]).toEqual([status, JSON.stringify(body)])
      if (field !== '') expect(JSON.stringify(answer.problem)).toContain(field)
    }
  })

  test('there are so many of a site at most', async () => {
    const full = await at.world.newWorkspace()
    const recipients = ['ada@example.com']
    const body = { siteId: full.siteId, type: 'overview' as const, recipients, isPaused: true }
    for (let count = 0; count < digestLimits.digestsMax; count++) await full.call(createDigest, { body })
    expect((await full.call(createDigest, { body })).status).toBe(409)
  })

  test('that is resumed sends the next one and none that it missed', async () => {
    at.clock.ms = mondayMs
    const { id } = await makeDigest(shop, { recipients: ['resumed@example.com'], isPaused: true })
    expect((await readDigest(shop, id)).nextAt).toBeNull()
    at.clock.ms += 3 * 7 * dayMs + hourMs * 5
    await at.work()
    await shop.call(updateDigest, { params: { id }, body: { isPaused: false } })
    await at.work()
    expect(at.mailsTo('resumed@example.com')).toHaveLength(0)
    expect(Date.parse((await readDigest(shop, id)).nextAt ?? '')).toBeGreaterThan(at.clock.ms)
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
    at.clock.ms = mondayMs
  })
})

describe('a test', () => {
  test('goes to the caller or to a recipient, and to no one else', async () => {
    const { id } = await makeDigest(shop, { recipients: ['tested@example.com'] })
    const params = { id }
    expect((await shop.call(testDigest, { params, body: {} })).status).toBe(422)
    const { status } = await shop.call(testDigest, { params, body: { email: 'stranger@example.com' } })
    expect(status).toBe(422)
    const sent = await shop.call(testDigest, { params, body: { email: 'Tested@example.com' } })
    expect(sent.body).toEqual({ email: 'tested@example.com', isDelivered: true, error: null })
    const member = await at.world.signIn('analyst', shop)
    expect((await member.call(testDigest, { params, body: {} })).body.email).toBe(member.email)
    const [own] = at.mailsTo(member.email)
    if (own === undefined) throw new Error('no mail came')
    expect(own.subject).toMatch(/^Test: /)
    // There is nothing that they could unsubscribe from.
    expect(headerOf(own, 'list-unsubscribe')).toBe('')
  })

  test('arrives so many times an hour at most', async () => {
    const { id } = await makeDigest(shop, { recipients: ['many@tests.example'], isPaused: true })
    const again = async () =>
      (await shop.call(testDigest, { params: { id }, body: { email: 'many@tests.example' } })).status
    for (let count = 0; count < digestLimits.testsPerHour; count++) expect(await again()).toBe(200)
    expect(await again()).toBe(429)
    at.clock.ms += hourMs
    expect(await again()).toBe(200)
    at.clock.ms = mondayMs
  })

  test('says so where there is no mail server', async () => {
    const without = await startWorld({ now: () => mondayMs })
    const workspace = await without.newWorkspace()
    const { id } = await makeDigest(workspace, {})
    const body = { email: 'ada@example.com' }
    const { body: said } = await workspace.call(testDigest, { params: { id }, body })
    expect(said).toMatchObject({ isDelivered: false, error: expect.stringContaining('ASSAY_SMTP_URL') })
    await without.close()
  })
})

describe('who unsubscribes', () => {
  const oneClick = (url: string, type = 'application/x-www-form-urlencoded') =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': type },
      body:
        type === 'application/x-www-form-urlencoded'
          ? 'List-Unsubscribe=One-Click'
          : '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    })

  test('does so by one POST to the address in the header, and gets no further mail', async () => {
    at.clock.ms = mondayMs
    const [leaving, staying] = ['leaving@example.com', 'staying@example.com']
    const { id } = await makeDigest(shop, { recipients: [leaving, staying] })
    at.clock.ms += 2 * hourMs
    await at.work()
    const [mail] = at.mailsTo(leaving)
    if (mail === undefined) throw new Error('no mail came')
    const url = headerOf(mail, 'list-unsubscribe').slice(1, -1)

    // Programs that look into mails open links.
    const opened = await fetch(url)
    expect(opened.status).toBe(200)
    const page = await opened.text()
    expect(page).toContain('<button>Unsubscribe</button>')
    expect(page).not.toContain('<script')
    const state = async () =>
      (await readDigest(shop, id)).recipients.find(({ email }) => email === leaving)?.state
    expect(await state()).toBe('active')

    const answer = await oneClick(url)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('You are unsubscribed')
    expect((await oneClick(url, 'multipart/form-data; boundary=b')).status).toBe(200)
    expect(await state()).toBe('unsubscribed')

    // No one subscribes them again by mistake.
    await shop.call(updateDigest, { params: { id }, body: { recipients: [staying] } })
    await shop.call(updateDigest, { params: { id }, body: { recipients: [leaving, staying] } })
    expect(await state()).toBe('unsubscribed')
    const tested = await shop.call(testDigest, { params: { id }, body: { email: leaving } })
    expect(tested.status).toBe(409)
    at.clock.ms += 7 * dayMs
    await at.work()
    expect(at.mailsTo(leaving)).toHaveLength(1)
    expect(at.mailsTo(staying)).toHaveLength(2)

    expect((await fetch(`${url}?again=yes`, { method: 'POST' })).status).toBe(200)
    expect(await state()).toBe('active')
    await shop.call(deleteDigest, { params: { id } })
    expect((await oneClick(url)).status).toBe(404)
  })

  test('and another cannot do it for them: the link is a secret of each', async () => {
    const { id } = await makeDigest(shop, { recipients: ['one@secret.example', 'two@secret.example'] })
    for (const email of ['one@secret.example', 'two@secret.example']) {
      await shop.call(testDigest, { params: { id }, body: { email } })
    }
    const [mail] = at.mailsTo('one@secret.example')
    if (mail === undefined) throw new Error('no mail came')
    const token = headerOf(mail, 'list-unsubscribe').slice(1, -1).split('/').at(-1) ?? ''
    const read = (wanted: string) => shop.call(getSubscription, { params: { token: wanted } }, { key: null })
    expect((await read(token)).body).toMatchObject({ frequency: 'weekly', state: 'active' })
    expect(JSON.stringify((await read(token)).body)).not.toContain('@')
    const [recipient = '', secret = ''] = token.split('.')
    for (const wrong of [
      recipient,
      `${recipient}.`,
      `${recipient}.${'A'.repeat(43)}`,
      `.${secret}`,
      `${token}.x`,
    ]) {
      expect((await read(wrong)).status).toBe(404)
      expect((await shop.call(unsubscribe, { params: { token: wrong } }, { key: null })).status).toBe(404)
    }
    const { body } = await shop.call(unsubscribe, { params: { token } }, { key: null })
    expect(body.state).toBe('unsubscribed')
    const states = (await readDigest(shop, id)).recipients.map(({ state }) => state)
    expect(states).toEqual(['unsubscribed', 'active'])
  })
})
