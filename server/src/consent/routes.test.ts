import {
  batch,
  createContract,
  createSite,
  getConsent,
  getOverview,
  getPerson,
  getReceipt,
  identify,
  listConsents,
  listRecentEvents,
  recordConsent,
  releaseQuarantined,
  reverseMerge,
  siteIngest,
  track,
  updateSite,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  world = await startWorld({ control: 'embedded', now: () => Date.now() + aheadMs })
  shop = await world.newWorkspace({ preset: 'strict' })
  await regime(shop, 'gdpr')
  const ad = { key: 'ad_seen', properties: {}, purpose: 'ad_storage', status: 'published' } as const
  expect((await shop.call(createContract, { body: ad })).status).toBe(201)
})
afterAll(() => world?.close())

async function regime(
  at: TestWorkspace,
  consentRegime: 'gdpr' | 'kvkk' | 'ccpa' | null,
  onDenied: 'reject' | 'anonymous' = 'reject',
): Promise<void> {
  const changed = await at.call(updateSite, { params: { id: at.siteId }, body: { consentRegime, onDenied } })
  expect(changed.body).toMatchObject({ consentRegime, onDenied })
}

type Sent = { outcome: string; codes: string[]; eventId: string }

async function send(at: TestWorkspace, event: object, headers: Record<string, string> = {}): Promise<Sent> {
  const body = { event: '$pageview', properties: { title: 'Home', url: '/' }, ...event }
  const answer = await at.call(batch, { body: { batch: [body] } }, { headers })
  const [result] = answer.body.results
  return {
    outcome: result?.outcome ?? '',
    codes: result?.issues.map(({ code }) => code) ?? [],
    eventId: result?.event_id ?? '',
  }
}

const denied = { outcome: 'reject', codes: ['consent_denied'] }
const granted = { outcome: 'accept', codes: [] }
type Body = Parameters<typeof record>[1]

async function record(at: TestWorkspace, body: Record<string, unknown>, key = at.keys.secret) {
  return at.call(recordConsent, { body }, { key })
}

async function recorded(at: TestWorkspace, body: Body) {
  const answer = await record(at, body)
  expect(answer.status).toBe(201)
  return answer.body
}

describe('a record of consent', () => {
  test('holds what was said, keeps the last state of what was not, and names the record that it followed', async () => {
    const anonymous_id = newId('visitor')
    const first = await recorded(shop, {
      anonymous_id,
      categories: { analytics_storage: 'granted', ad_storage: 'granted' },
      source: 'banner',
      policy_version: '7',
      proof: { text: 'May we?' },
    })
    expect(first).toMatchObject({
      id: expect.stringMatching(/^con_/),
      person_id: expect.stringMatching(/^per_/),
      anonymous_id,
      regime: 'gdpr',
      stated: { analytics_storage: 'granted', ad_storage: 'granted' },
      source: 'banner',
      policy_version: '7',
      gpc: false,
      proof: { text: 'May we?' },
      expires_at: null,
      supersedes: null,
    })
    expect(first.categories).toMatchObject({ ad_user_data: 'denied', security_storage: 'granted' })
    const second = await recorded(shop, { anonymous_id, categories: { ad_storage: 'denied' } })
    expect(second).toMatchObject({
      supersedes: first.id,
      categories: { analytics_storage: 'granted', ad_storage: 'denied' },
    })
    const params = { personId: first.person_id }
    const { body: now } = await shop.call(getConsent, { params, query: {} })
    expect(now).toMatchObject({
      regime: 'gdpr',
      expired: false,
      record: second,
      categories: second.categories,
    })
    const { body: page } = await shop.call(listConsents, { params, query: { limit: 1 } })
    expect(page.data).toEqual([second])
    const cursor = page.next_cursor ?? ''
    expect((await shop.call(listConsents, { params, query: { cursor } })).body.data).toEqual([first])
  })

  test('of the past is read as it was, and what comes later acts later', async () => {
    const anonymous_id = newId('visitor')
    const at = (hours: number) => new Date(Date.now() + aheadMs + hours * hourMs).toISOString()
    const grant = { analytics_storage: 'granted' }
    const old = await recorded(shop, { anonymous_id, categories: grant, effective_at: at(-48) })
    await recorded(shop, { anonymous_id, categories: { analytics_storage: 'denied' }, effective_at: at(-24) })
    const coming = await recorded(shop, { anonymous_id, categories: grant, effective_at: at(1) })
    const read = async (query: object) =>
      (await shop.call(getConsent, { params: { personId: old.person_id }, query })).body
    expect((await read({ at: at(-72) })).record).toBe(null)
    expect((await read({ at: at(-36) })).record).toEqual(old)
    expect((await read({})).categories.analytics_storage).toBe('denied')
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
    aheadMs += hourMs + 1
    expect((await read({})).record).toEqual(coming)
    expect(await send(shop, { anonymous_id })).toMatchObject(granted)
  })

  test('runs out, and then the regime decides again', async () => {
    const anonymous_id = newId('visitor')
    const expires_at = new Date(Date.now() + aheadMs + hourMs).toISOString()
    const { person_id } = await recorded(shop, {
      anonymous_id,
      categories: { analytics_storage: 'granted' },
      expires_at,
    })
    expect(await send(shop, { anonymous_id })).toMatchObject(granted)
    aheadMs += hourMs
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
    const { body } = await shop.call(getConsent, { params: { personId: person_id }, query: {} })
    expect(body).toMatchObject({ expired: true, categories: { analytics_storage: 'denied' } })
    // What ran out is not taken up again by a record that does not speak of it.
    const next = await recorded(shop, { anonymous_id, categories: { ad_storage: 'granted' } })
    expect(next.categories.analytics_storage).toBe('denied')
  })

  test('that was to follow another than the latest is refused', async () => {
    const anonymous_id = newId('visitor')
    const first = await recorded(shop, { anonymous_id, categories: {} })
    await recorded(shop, { anonymous_id, categories: {}, supersedes: first.id })
    expect((await record(shop, { anonymous_id, categories: {}, supersedes: first.id })).status).toBe(409)
  })

  test('of many at once follows one another without a gap', async () => {
    const anonymous_id = newId('visitor')
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        recorded(shop, { anonymous_id, categories: { ad_storage: 'granted' } }),
      ),
    )
    expect(new Set(all.map(({ supersedes }) => supersedes)).size).toBe(8)
  })

  test.each([
    { body: {}, status: 422 },
    { body: { anonymous_id: 'a', user_id: 'b' }, status: 422 },
    { body: { anonymous_id: 'undefined' }, status: 422 },
    { body: { anonymous_id: 'x', categories: { marketing: 'granted' } }, status: 422 },
    { body: { anonymous_id: 'x', categories: { ad_storage: 'maybe' } }, status: 422 },
    { body: { anonymous_id: 'x', regime: 'lgpd' }, status: 422 },
    { body: { anonymous_id: 'x', effective_at: 'yesterday' }, status: 422 },
    { body: { anonymous_id: 'x', expires_at: '2001-01-01T00:00:00Z' }, status: 422 },
    { body: { anonymous_id: 'x', proof: 'p'.repeat(4_096) }, status: 422 },
    { body: { person_id: 'per_00000000000000000000000000' }, status: 404 },
    { body: { anonymous_id: 'x', site_id: 'site_none' }, status: 404 },
  ])('with $body is refused', async ({ body, status }) => {
    expect((await record(shop, body)).status).toBe(status)
  })

  test.each([253_402_300_799_999, 8.64e15, '9999-12-31T23:59:59Z', 0, '0000-01-01T00:00:00Z', -1e15])(
    'is recorded whatever the clock of the sender says, such as %s',
    async (sent_at) => {
      const body = { anonymous_id: newId('visitor'), categories: {}, effective_at: '2026-01-01T00:00:00Z' }
      const { status, body: made } = await record(shop, { ...body, sent_at })
      expect(status).toBe(201)
      expect(Date.parse(made.effective_at)).toBeGreaterThan(0)
    },
  )

  test('is taken of a public key for an anonymous id only, also with the key in the body', async () => {
    const { public: key } = shop.keys
    const anonymous_id = newId('visitor')
    const sent = {
      write_key: key,
      sent_at: Date.now() + aheadMs,
      anonymous_id,
      categories: {},
      source: 'browser_sdk',
    }
    expect((await shop.call(recordConsent, { body: sent }, { key: null })).status).toBe(201)
    for (const who of [{ person_id: 'p' }, { user_id: 'u' }, { user_id: 'u', anonymous_id }]) {
      expect((await record(shop, { ...who, categories: {} }, key)).status).toBe(403)
    }
    const later = new Date(Date.now() + aheadMs + 24 * hourMs).toISOString()
    await record(
      shop,
      { anonymous_id, categories: { analytics_storage: 'granted' }, effective_at: later },
      key,
    )
    expect(await send(shop, { anonymous_id })).toMatchObject(granted)
  })

  test('is not kept for a test key', async () => {
    const anonymous_id = newId('visitor')
    const would = await record(shop, { anonymous_id, categories: { ad_storage: 'granted' } }, shop.keys.test)
    expect(would.body.categories.ad_storage).toBe('granted')
    const params = { personId: would.body.person_id }
    expect((await shop.call(getConsent, { params, query: {} })).status).toBe(404)
  })

  test('cannot be changed in the store, and is unknown to other workspaces', async () => {
    const { id, person_id } = await recorded(shop, { anonymous_id: newId('visitor'), categories: {} })
    const { control } = world.product.deps
    await expect(control.query('UPDATE consents SET gpc = true WHERE id = $1', [id])).rejects.toThrow(
      'append-only',
    )
    const theirs = await world.newWorkspace({ preset: 'strict' })
    const asked = { params: { personId: person_id }, query: {} }
    expect((await theirs.call(getConsent, asked)).status).toBe(404)
    expect((await theirs.call(listConsents, asked)).status).toBe(404)
  })
})

describe('the gate', () => {
  test('goes by the regime for strangers, by the purpose of the contract, and by a withdrawal on the very next event', async () => {
    const anonymous_id = newId('visitor')
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
    const yes = await recorded(shop, { anonymous_id, categories: { analytics_storage: 'granted' } })
    const first = await send(shop, { anonymous_id })
    expect(first).toMatchObject(granted)
    expect(await send(shop, { anonymous_id, event: 'ad_seen', properties: {} })).toMatchObject(denied)
    await recorded(shop, { anonymous_id, categories: { ad_storage: 'granted' } })
    expect(await send(shop, { anonymous_id, event: 'ad_seen', properties: {} })).toMatchObject(granted)
    for (let round = 0; round < 5; round += 1) {
      await recorded(shop, { anonymous_id, categories: { analytics_storage: 'denied' } })
      expect(await send(shop, { anonymous_id })).toMatchObject(denied)
      await recorded(shop, { anonymous_id, categories: { analytics_storage: 'granted' } })
      expect(await send(shop, { anonymous_id })).toMatchObject(granted)
    }
    const receipt = await shop.call(getReceipt, { params: { event_id: first.eventId } })
    expect(receipt.body.consent_record_id).toBe(yes.id)
  })

  test('refuses a single event with 422 and stores nothing of it', async () => {
    const event_id = newId('evt')
    const body = {
      event: '$pageview',
      event_id,
      anonymous_id: newId('visitor'),
      properties: { title: 'x', url: '/' },
    }
    const answer = await shop.call(track, { body })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors).toMatchObject([{ code: 'consent_denied' }])
    expect((await shop.call(getReceipt, { params: { event_id } })).status).toBe(404)
    const { body: judged } = await shop.call(validateEvents, { body: { event: body } })
    expect(judged.outcome).toBe('reject')
  })

  test('honours what the event and the browser say', async () => {
    const anonymous_id = newId('visitor')
    const yes = { consent: { analytics_storage: 'granted', ad_storage: 'granted' } }
    expect(await send(shop, { anonymous_id, context: yes })).toMatchObject(granted)
    const ad = { event: 'ad_seen', properties: {}, anonymous_id, context: yes }
    expect(await send(shop, ad)).toMatchObject(granted)
    expect(await send(shop, ad, { 'sec-gpc': '1' })).toMatchObject(denied)
    await recorded(shop, { anonymous_id, categories: { analytics_storage: 'denied' } })
    expect(await send(shop, { anonymous_id, context: yes })).toMatchObject(denied)
  })

  test('asks those who are one person together, from the moment they are until they are not', async () => {
    const anonymous_id = newId('visitor')
    const user_id = newId('user')
    await recorded(shop, { user_id, categories: { analytics_storage: 'granted' } })
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
    const bound = await shop.call(identify, { body: { anonymous_id, user_id } }, { key: shop.keys.secret })
    expect(await send(shop, { anonymous_id })).toMatchObject(granted)
    const { person_id, ledger_entry_id = '' } = bound.body
    const { body } = await shop.call(getConsent, { params: { personId: person_id }, query: {} })
    expect(body.categories.analytics_storage).toBe('granted')
    const { consent } = (await shop.call(getPerson, { params: { id: person_id } })).body
    expect(consent.record).toMatchObject({ id: body.record?.id, regime: 'gdpr', gpc: false })
    expect(consent.regimes).toMatchObject({
      gdpr: { analytics_storage: 'granted', ad_storage: 'denied' },
      ccpa: { analytics_storage: 'granted', ad_storage: 'granted' },
    })
    const params = { id: ledger_entry_id }
    await shop.call(reverseMerge, { params, body: { reason: 'test' } }, { key: shop.keys.secret })
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
    expect(await send(shop, { user_id })).toMatchObject(granted)
  })

  test('validates a quarantined event again when it is released', async () => {
    const anonymous_id = newId('visitor')
    await recorded(shop, { anonymous_id, categories: { analytics_storage: 'granted' } })
    const { eventId, outcome } = await send(shop, { anonymous_id, event: 'never_heard_of' })
    expect(outcome).toBe('quarantine')
    await recorded(shop, { anonymous_id, categories: { analytics_storage: 'denied' } })
    const contract = { key: 'never_heard_of', properties: {}, status: 'published' } as const
    await shop.call(createContract, { body: contract })
    const ids = [`qtn_${eventId}`]
    const { body } = await shop.call(releaseQuarantined, { body: { ids } })
    expect(body).toMatchObject({ released: 0, still_held: 1 })
    await recorded(shop, { anonymous_id, categories: { analytics_storage: 'granted' } })
    expect((await shop.call(releaseQuarantined, { body: { ids } })).body.released).toBe(1)
  })

  test.each([
    { law: 'kvkk', gpc: false, page: denied, ad: denied },
    { law: 'ccpa', gpc: false, page: granted, ad: granted },
    { law: 'ccpa', gpc: true, page: granted, ad: denied },
    { law: null, gpc: true, page: granted, ad: granted },
  ] as const)('of a site under $law with signal $gpc lets pass what that law lets pass', async (row) => {
    const other = await world.newWorkspace({ preset: 'strict' })
    await regime(other, row.law)
    const ad = { key: 'ad_seen', properties: {}, purpose: 'ad_storage', status: 'published' } as const
    await other.call(createContract, { body: ad })
    const anonymous_id = newId('visitor')
    const headers = row.gpc ? { 'sec-gpc': '1' } : {}
    expect(await send(other, { anonymous_id }, headers)).toMatchObject(row.page)
    const seen = { anonymous_id, event: 'ad_seen', properties: {} }
    expect(await send(other, seen, headers)).toMatchObject(row.ad)
  })

  test('of a site without a regime needs no consent, yet takes a no for a no', async () => {
    const other = await world.newWorkspace({ preset: 'strict' })
    const anonymous_id = newId('visitor')
    expect(await send(other, { anonymous_id })).toMatchObject(granted)
    await recorded(other, { anonymous_id, categories: { analytics_storage: 'denied' } })
    expect(await send(other, { anonymous_id })).toMatchObject(denied)
  })

  test('takes the signal of a browser for a refusal of ads and for nothing else', async () => {
    const anonymous_id = newId('visitor')
    const categories = { analytics_storage: 'granted', ad_storage: 'denied' }
    const told = await recorded(shop, { anonymous_id, categories, source: 'gpc', gpc: true })
    expect(told.stated).toEqual({
      ad_storage: 'denied',
      ad_user_data: 'denied',
      ad_personalization: 'denied',
    })
    expect(await send(shop, { anonymous_id })).toMatchObject(denied)
  })
})

describe('an event that is denied, on a site that counts such events', () => {
  test('is stored without anything that leads to its person, and counted', async () => {
    const quiet = await world.newWorkspace({ preset: 'strict' })
    await regime(quiet, 'gdpr', 'anonymous')
    const secret = newId('somebody')
    const event = {
      anonymous_id: secret,
      user_id: `u${secret}`,
      session_id: `s${secret}`,
      properties: { title: 'Home', url: '/', user_id: secret },
      context: {
        traits: { name: secret },
        location: { country: 'DE', region: 'BY', city: secret },
        page: {
          url: `https://shop.example/?ref=${secret}&gclid=${secret}`,
          referrer: `https://x.example/?q=${secret}`,
        },
        consent: { analytics_storage: 'denied' },
      },
    }
    const passed = await send(quiet, event)
    expect(passed).toMatchObject({ outcome: 'warn', codes: expect.arrayContaining(['consent_denied']) })
    const held = await send(quiet, { ...event, event: 'unheard_of' })
    expect(held.outcome).toBe('quarantine')
    await quiet.settle()
    const { events } = world.product.deps
    const stored = await events.query(
      `SELECT toString(tuple(*)) AS row FROM events WHERE workspace_id = {id:String}
       UNION ALL SELECT toString(tuple(*)) FROM quarantine WHERE workspace_id = {id:String}`,
      { id: quiet.workspaceId },
    )
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain(secret)
    const { data } = (await quiet.call(listRecentEvents, { query: { site_id: quiet.siteId } })).body
    expect(data.map(({ path, properties }) => [path, properties?.title])).toEqual([
      ['/', 'Home'],
      ['/', 'Home'],
    ])
    expect(JSON.stringify(data)).not.toContain(secret)
    const key = { key: 'unheard_of', properties: {}, status: 'published' } as const
    await quiet.call(createContract, { body: key })
    expect(
      (await quiet.call(releaseQuarantined, { body: { ids: [`qtn_${held.eventId}`] } })).body.released,
    ).toBe(1)
    const { body } = await quiet.call(getOverview, {
      query: { siteId: quiet.siteId, window: '7d', includeBots: true },
    })
    expect(body.metrics).toMatchObject({
      visitors: 0,
      sessions: 0,
      pageviews: 1,
      events: 2,
      avgSessionMs: null,
    })
  })

  test('of a site token is treated alike', async () => {
    const quiet = await world.newWorkspace({ preset: 'strict' })
    await regime(quiet, 'kvkk', 'anonymous')
    const { siteId, siteToken: token } = quiet
    const body = { siteId, token, events: [{ type: 'pageview', url: '/', title: 'x' }] }
    const answer = await quiet.call(siteIngest, { body }, { key: null })
    expect(answer.body).toMatchObject({ warned: 1, rejected: 0 })
  })
})

test('a site says by which law it is judged, from its making on', async () => {
  const body = {
    name: 'EU',
    domain: `${newId('d').replace('_', '')}.example`,
    consentRegime: 'gdpr',
  } as const
  const made = await shop.call(createSite, { body })
  expect(made.body).toMatchObject({ consentRegime: 'gdpr', onDenied: 'reject' })
  const wrong = { ...body, consentRegime: JSON.parse('"none"') }
  expect((await shop.call(createSite, { body: wrong })).status).toBe(422)
})
