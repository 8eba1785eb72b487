import { createBoard, deleteBoard, getOverview, testDigest, updateDigest, updateSite } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../platform/units.ts'
import { raise, type TestWorkspace } from '../../testing/harness.ts'
import {
  type DigestWorld,
  headerOf,
  hostileSource,
  makeDigest,
  mondayMs,
  readDigest,
  sendVisits,
  startDigestWorld,
} from '../testing/digest-world.ts'
import { createSending } from './sender.ts'

let at: DigestWorld
let shop: TestWorkspace

beforeAll(async () => {
  at = await startDigestWorld()
  shop = await at.world.newWorkspace({ timezone: 'UTC' })
  await sendVisits(shop)
})
afterAll(() => at?.close())

/** The next Monday at eight, from wherever the clock is; each test starts in a week of its own. */
const toNextMonday = () => {
  at.clock.ms = mondayMs + Math.ceil((at.clock.ms - mondayMs + 1) / (7 * dayMs)) * 7 * dayMs
}
const toDueTime = () => {
  at.clock.ms += 2 * hourMs
}

describe('a digest of the overview', () => {
  test('arrives when it is due, with the figures of the route, the change and one click to unsubscribe', async () => {
    at.clock.ms = mondayMs
    const digest = await makeDigest(shop, { recipients: [' Ada@Example.com ', 'grace@example.com'] })
    expect(digest).toMatchObject({
      nextAt: '2026-11-09T08:00:00.000Z',
      frequency: 'weekly',
      recipients: [{ email: 'ada@example.com', state: 'active' }, { email: 'grace@example.com' }],
    })
    await at.work()
    expect(at.mailsTo('ada@example.com')).toHaveLength(0)
    toDueTime()
    await at.work()
    await at.work()
    const [mail] = at.mailsTo('ada@example.com')
    if (mail === undefined) throw new Error('no mail came')
    expect(at.mailsTo('ada@example.com')).toHaveLength(1)
    expect(at.mailsTo('grace@example.com')).toHaveLength(1)
    expect(mail.subject).toMatch(/: Overview, 2 – 8 November 2026$/)
    const url = headerOf(mail, 'list-unsubscribe').slice(1, -1)
    expect(url).toMatch(new RegExp(`^${at.world.product.url}/unsubscribe/dgr_`))
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(headerOf(mail, 'auto-submitted')).toBe('auto-generated')
    expect(mail.messageId).toMatch(/^<dgd_\w{26}@127\.0\.0\.1>$/)

    const query = { siteId: shop.siteId, from: '2026-11-02', to: '2026-11-08' }
    const { body } = await shop.call(getOverview, { query })
    expect(body.metrics.visitors).toBe(12)
    expect(body.previous.metrics.visitors).toBe(6)
    for (const form of [mail.text, mail.html]) {
      expect(form).toContain('12')
      expect(form).toContain('+100%')
      expect(form).toContain('/cart')
      expect(form).toContain(url)
      expect(form).toContain(`/${shop.workspaceId}/${shop.siteId}/overview?from=2026-11-02`)
      // Of one visitor alone.
      expect(form).not.toContain('invoice')
    }
    const read = await readDigest(shop, digest.id)
    expect(read).toMatchObject({ lastSentAt: new Date(at.clock.ms).toISOString(), lastError: null })
    expect(read.nextAt).toBe('2026-11-16T08:00:00.000Z')
    await shop.call(updateDigest, { params: { id: digest.id }, body: { isPaused: true } })
  })

  test('shows a source that tries to be HTML as text, and loads nothing', async () => {
    const mail = at.mailsTo('ada@example.com').at(-1)
    expect(mail?.html).not.toMatch(/<script|<img|<link|url\(|@import/)
    expect(mail?.html).toContain('&lt;script&gt;')
    expect(mail?.text).toContain(hostileSource)
  })
})

describe('what is sent', () => {
  test('is one mail to each, also when the node dies between two of them', async () => {
    toNextMonday()
    const recipients = ['one@crash.example', 'two@crash.example', 'three@crash.example']
    const { id } = await makeDigest(shop, { recipients })
    toDueTime()
    const { sendingNeeds } = at.world.product.deps.digests
    const { mailer } = sendingNeeds
    let sent = 0
    const dying = createSending({
      ...sendingNeeds,
      mailer: {
        deliver: async (mail) => {
          if (sent === 1) throw new Error('the process was killed')
          sent += 1
          return mailer.deliver(mail)
        },
      },
    })
    const failures: unknown[] = []
    await dying.work((error) => void failures.push(error))
    expect(failures).toHaveLength(1)
    const received = () => recipients.map((email) => at.mailsTo(email).length)
    expect(received().toSorted()).toEqual([0, 0, 1])
    // The lease of the dead node still runs.
    await at.work()
    expect(received().toSorted()).toEqual([0, 0, 1])
    at.clock.ms += 16 * minuteMs
    await at.work()
    await at.work()
    expect(received()).toEqual([1, 1, 1])
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
  })

  test('is sent once when jobs run at the same time', async () => {
    toNextMonday()
    const recipients = ['one@nodes.example', 'two@nodes.example']
    const { id } = await makeDigest(shop, { recipients })
    toDueTime()
    const { sendingNeeds } = at.world.product.deps.digests
    const nodes = Array.from({ length: 4 }, () => createSending(sendingNeeds))
    await Promise.all(nodes.map((node) => node.work(raise)))
    for (const email of recipients) expect(at.mailsTo(email)).toHaveLength(1)
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
  })

  test('is tried again when the mail server refuses at first, and says so meanwhile', async () => {
    toNextMonday()
    const { id } = await makeDigest(shop, { recipients: ['grey@list.example'] })
    toDueTime()
    at.mails.refuseNext(2)
    await at.work()
    expect((await readDigest(shop, id)).lastError).toContain('Not delivered yet')
    expect((await readDigest(shop, id)).lastSentAt).toBeNull()
    await at.work()
    expect(at.mailsTo('grey@list.example')).toHaveLength(0)
    at.clock.ms += minuteMs
    await at.work()
    at.clock.ms += 2 * minuteMs
    await at.work()
    expect(at.mailsTo('grey@list.example')).toHaveLength(1)
    expect(await readDigest(shop, id)).toMatchObject({ lastError: null })
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
  })

  test('is given up after a day', async () => {
    toNextMonday()
    const { id } = await makeDigest(shop, { recipients: ['never@list.example'] })
    toDueTime()
    at.mails.refuseNext(1_000)
    for (let hours = 0; hours < 26; hours++) {
      await at.work()
      at.clock.ms += hourMs
    }
    at.mails.refuseNext(0)
    at.clock.ms += 4 * hourMs
    await at.work()
    expect(at.mailsTo('never@list.example')).toHaveLength(0)
    expect((await readDigest(shop, id)).lastError).toContain('Given up')
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
  })

  test('is only the latest after a long stop', async () => {
    toNextMonday()
    const { id } = await makeDigest(shop, { recipients: ['late@stop.example'] })
    at.clock.ms += 5 * 7 * dayMs + 3 * dayMs
    await at.work()
    await at.work()
    expect(at.mailsTo('late@stop.example')).toHaveLength(1)
    const { nextAt } = await readDigest(shop, id)
    expect(Date.parse(nextAt ?? '')).toBeGreaterThan(at.clock.ms)
    await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
  })
})

test('a digest whose board is gone sends nothing and says why', async () => {
  toNextMonday()
  const { body: board } = await shop.call(createBoard, { body: { siteId: shop.siteId, name: 'Ours' } })
  const wanted = { type: 'board' as const, targetId: board.id, recipients: ['gone@board.example'] }
  const { id } = await makeDigest(shop, wanted)
  await shop.call(deleteBoard, { params: { id: board.id } })
  toDueTime()
  await at.work()
  expect(at.mailsTo('gone@board.example')).toHaveLength(0)
  expect((await readDigest(shop, id)).lastError).toBe('Given up: There is no such board.')
  await shop.call(updateDigest, { params: { id }, body: { isPaused: true } })
})

test('a ready board has a section for each tile', async () => {
  for (const name of ['traffic', 'product', 'revenue']) {
    const wanted = { type: 'board' as const, targetId: `${name}.${shop.siteId}`, isPaused: true }
    const { id } = await makeDigest(shop, { ...wanted, recipients: [`${name}@board.example`] })
    at.clock.ms = mondayMs + 3 * hourMs
    const email = `${name}@board.example`
    const { status, body } = await shop.call(testDigest, { params: { id }, body: { email } })
    expect([status, body.error]).toEqual([200, null])
  }
  const textOf = (name: string) => at.mailsTo(`${name}@board.example`)[0]?.text ?? ''
  expect(textOf('traffic')).toMatch(/Overview[\s\S]*First steps[\s\S]*Flow/)
  expect(textOf('product')).toMatch(/Retention[\s\S]*Flow[\s\S]*Errors/)
  expect(textOf('revenue')).toMatch(
    /Sessions with a purchase[\s\S]*1\. \$pageview: 12, 100%[\s\S]*Repeat buyers/,
  )
  expect(at.mailsTo('traffic@board.example')[0]?.subject).toMatch(/^Test: /)
})

test('the time moves with the time zone of the site', async () => {
  const moved = await at.world.newWorkspace({ timezone: 'UTC' })
  at.clock.ms = mondayMs - dayMs
  const { id } = await makeDigest(moved, { recipients: ['zone@move.example'] })
  await moved.call(updateSite, { params: { id: moved.siteId }, body: { timezone: 'America/New_York' } })
  await at.work()
  expect((await readDigest(moved, id)).nextAt).toBe('2026-11-09T13:00:00.000Z')
  expect(at.mailsTo('zone@move.example')).toHaveLength(0)
})
