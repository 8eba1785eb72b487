/**
 * Every guarantee of the server SDK, written without anything specific to one run time: it is bundled once,
 * together with the published SDK, and run by each of them against a live product.
 */
import { ApiProblem, createClient, everyItem, type Loss } from '@assay/server'
import { createTestClient } from '@assay/server/testing'
import { isProvider, receiveWebhook, verifyWebhook } from '@assay/server/webhooks'
import vectors from '../../src/webhooks/vectors/vectors.json' with { type: 'json' }

type Settings = { url: string; faultsUrl: string; secretKey: string; siteId: string; runTime: string }

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not so: ${what}`)
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  check(a === b, `${what}: ${a} instead of ${b}`)
}

async function refusal(work: () => Promise<unknown>): Promise<ApiProblem> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ApiProblem) return error
    throw error
  }
  throw new Error('it was not refused')
}

type Case = (settings: Settings) => Promise<void>

const login = { event: '$login', properties: { method: 'password' } } as const

const cases: Record<string, Case> = {
  'every kind of call is taken': async ({ url, secretKey, runTime }) => {
    const client = createClient({ key: secretKey, url })
    const id = (what: string) => `${runTime}-${what}`
    const userId = id('user')
    client.track({ ...login, userId, eventId: id('track') })
    client.identify({ userId, anonymousId: id('device'), traits: { plan: 'pro' }, eventId: id('identify') })
    client.page({ userId, name: 'Home', properties: { url: 'https://shop.example/' }, eventId: id('page') })
    client.screen({ userId, name: 'Cart', eventId: id('screen') })
    client.group({ userId, groupId: 'acme', traits: { seats: 3 }, eventId: id('group') })
    client.alias({ previousId: id('old-device'), userId })
    same(await client.flush(), { sent: 6, dropped: 0, pending: 0 }, 'flush')
    await client.close()
  },

  'time, person and context stand as they were given': async ({ url, secretKey, runTime }) => {
    const client = createClient({ key: secretKey, url, context: { app: { version: '1.2.3' } } })
    const ts = new Date(Date.now() - 3_600_000)
    const eventId = `${runTime}-timed`
    client.with({ userId: `${runTime}-someone` }).track({ ...login, ts, eventId })
    await client.flush()
    const { time, person } = await client.api.getReceipt({ params: { event_id: eventId } })
    same(time.ts, ts.toISOString(), 'the time')
    same(person.resolved_by, 'user_id', 'the person')
    await client.close()
  },

  'a batch answers every verdict, and strictly all or nothing': async ({ url, secretKey, runTime }) => {
    const client = createClient({ key: secretKey, url })
    const userId = `${runTime}-batch`
    const mixed = [
      { ...login, userId, eventId: `${runTime}-b1` },
      { event: '$purchase', userId, properties: { currency: 'EUR' }, eventId: `${runTime}-b2` },
    ]
    const answer = await client.batch(mixed)
    same(
      answer.results.map(({ outcome }) => outcome),
      ['accept', 'reject'],
      'outcomes',
    )
    const problem = await refusal(() => client.batch(mixed, { strict: true }))
    same([problem.slug, problem.status], ['contract-violation', 422], 'the refusal')
    await client.close()
  },

  'consent is recorded and read again': async ({ url, secretKey, runTime }) => {
    const client = createClient({ key: secretKey, url })
    const categories = { analytics_storage: 'granted', ad_storage: 'denied' } as const
    const record = await client.consent({ userId: `${runTime}-consenting`, categories, source: 'test' })
    const { ad_storage, analytics_storage } = record.stated
    same({ analytics_storage, ad_storage }, categories, 'what was said')
    const current = await client.api.getConsent({ params: { personId: record.person_id }, query: {} })
    same(current.record?.id, record.id, 'the record')
    await client.close()
  },

  'every route can be called, lists page by page, and refusals are typed': async ({
    url,
    secretKey,
    siteId,
  }) => {
    const client = createClient({ key: secretKey, url })
    const ids: string[] = []
    for await (const site of everyItem(client.api.listSites, { query: { limit: 1 } })) ids.push(site.id)
    check(ids.includes(siteId) && new Set(ids).size === ids.length, 'all sites are listed once')
    const missing = await refusal(() => client.api.getSite({ params: { id: 'site_none' } }))
    same([missing.slug, missing.status], ['not-found', 404], 'not found')
    check(missing.instance !== '' && missing.detail !== '', 'it says what and in which request')
    const stranger = createClient({ key: 'sk_live_wrong', url })
    same(
      (await refusal(() => stranger.api.listSites({ query: {} }))).slug,
      'unauthenticated',
      'the wrong key',
    )
    const invalid = await refusal(() => client.api.createSite({ body: { name: '', domain: 'x' } }))
    check(invalid.errors.length > 0, 'which field is wrong')
    await client.close()
  },

  'what the gate rejects is reported with its reasons': async ({ url, secretKey, runTime }) => {
    const losses: Loss[] = []
    const client = createClient({ key: secretKey, url, onError: (loss) => losses.push(loss) })
    client.track({
      event: '$purchase',
      userId: 'u',
      properties: { currency: 'EUR' },
      eventId: `${runTime}-bad`,
    })
    client.track({ ...login, userId: 'u' })
    same(await client.flush(), { sent: 1, dropped: 1, pending: 0 }, 'flush')
    same(
      losses.map(({ reason, eventId }) => [reason, eventId]),
      [['rejected', `${runTime}-bad`]],
      'losses',
    )
    same(
      losses[0]?.issues?.map(({ code, field }) => [code, field]),
      [['required_missing', 'amount']],
      'issues',
    )
    await client.close()
  },

  'nothing that is tracked throws': async ({ url, secretKey }) => {
    const losses: Loss[] = []
    const onError = (loss: Loss) => {
      losses.push(loss)
      throw new Error('a broken listener')
    }
    const client = createClient({ key: secretKey, url, flushIntervalMs: 0, onError })
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    client.track({ event: 'x', userId: 'u', properties: circle })
    client.track({ event: 'x', userId: 'u', properties: { big: BigInt(1) } })
    client.track({ event: 'x', userId: 'u', ts: new Date(Number.NaN) })
    client.track(Object(undefined))
    // boundary: what a caller without types may do.
    client.track(undefined as never)
    client.track({ event: 'x', userId: 'u', properties: { text: 'x'.repeat(40_000) } })
    same(client.losses.unserialisable, 4, 'what could not be written')
    same(client.losses.too_large, 1, 'what is too large')
    check(losses.length === 5, 'all of it was reported')
    await client.close({ timeoutMs: 1 })
  },

  'the queue is bounded, and the oldest go first': async ({ faultsUrl, runTime }) => {
    const client = createClient({
      key: 'k',
      url: `${faultsUrl}/${runTime}-bounded`,
      flushIntervalMs: 0,
      queueEventsMax: 3,
    })
    for (let count = 1; count <= 5; count++) client.track({ ...login, userId: 'u', eventId: `q${count}` })
    same([client.pending, client.losses.queue_full], [3, 2], 'what waits and what is lost')
    await client.flush()
    const [call] = await seen(faultsUrl, `${runTime}-bounded`)
    same(call?.ids, ['q3', 'q4', 'q5'], 'what was sent')
    await client.close()
  },

  'trouble is tried again with the same ids and a new time of sending': async ({ faultsUrl, runTime }) => {
    const scenario = `${runTime}-trouble`
    let clock = Date.UTC(2026, 7, 1)
    const options = { key: 'k', url: `${faultsUrl}/${scenario}`, now: () => (clock += 1000), random: () => 0 }
    const client = createClient(options)
    client.track({ ...login, userId: 'u', eventId: 'one' })
    client.track({ ...login, userId: 'u', eventId: 'two' })
    same(await client.flush(), { sent: 2, dropped: 0, pending: 0 }, 'flush')
    const calls = await seen(faultsUrl, scenario)
    same(
      calls.map(({ status }) => status),
      [503, 429, 0, 200, 200],
      'what happened',
    )
    same(
      calls.map(({ ids }) => ids),
      [['one', 'two'], ['one', 'two'], ['one', 'two'], ['one', 'two'], ['two']],
      'ids',
    )
    check(new Set(calls.map(({ sentAt }) => sentAt)).size === calls.length, 'each attempt has its own time')
    await client.close()
  },

  'a refused key ends all requests, and is reported once': async ({ faultsUrl, runTime }) => {
    const losses: Loss[] = []
    const scenario = `${runTime}-refused`
    const client = createClient({
      key: 'k',
      url: `${faultsUrl}/${scenario}`,
      onError: (loss) => losses.push(loss),
    })
    client.track({ ...login, userId: 'u' })
    client.track({ ...login, userId: 'u' })
    same(await client.flush(), { sent: 0, dropped: 2, pending: 0 }, 'flush')
    for (let count = 0; count < 300; count++) client.track({ ...login, userId: 'u' })
    same(await client.flush(), { sent: 0, dropped: 0, pending: 0 }, 'a later flush')
    same((await seen(faultsUrl, scenario)).length, 1, 'calls')
    same(
      losses.map(({ reason, count, problem }) => [reason, count, problem?.status]),
      [['refused', 2, 403]],
      'what was reported',
    )
    same(client.losses.refused, 302, 'what was counted')
    await client.close()
  },

  'a call that cannot succeed is not tried again': async ({ faultsUrl, runTime }) => {
    const scenario = `${runTime}-invalid`
    const client = createClient({ key: 'k', url: `${faultsUrl}/${scenario}` })
    client.track({ ...login, userId: 'u' })
    same(await client.flush(), { sent: 0, dropped: 1, pending: 0 }, 'flush')
    same([client.losses.refused, (await seen(faultsUrl, scenario)).length], [1, 1], 'losses and calls')
    await client.close()
  },

  'a server that takes nothing of any size gets few calls, each after a pause': async ({
    faultsUrl,
    runTime,
  }) => {
    const scenario = `${runTime}-tiny`
    const options = { key: 'k', url: `${faultsUrl}/${scenario}`, attemptsMax: 3, random: () => 0 }
    const client = createClient({ ...options, flushAt: 1_000, flushIntervalMs: 0 })
    for (let count = 0; count < 400; count++) client.track({ ...login, userId: 'u' })
    const begun = Date.now()
    same(await client.flush(), { sent: 0, dropped: 400, pending: 0 }, 'flush')
    const calls = await seen(faultsUrl, scenario)
    same(
      calls.map(({ ids }) => ids.length),
      [400, 200, 100],
      'calls',
    )
    check(Date.now() - begun >= 700, 'there were pauses')
    await client.close()
  },

  'a batch that is too large is sent in parts': async ({ faultsUrl, runTime }) => {
    const scenario = `${runTime}-large`
    const client = createClient({ key: 'k', url: `${faultsUrl}/${scenario}`, flushIntervalMs: 0 })
    for (let count = 1; count <= 5; count++) client.track({ ...login, userId: 'u', eventId: `p${count}` })
    same(await client.flush(), { sent: 5, dropped: 0, pending: 0 }, 'flush')
    const taken = (await seen(faultsUrl, scenario)).filter(({ status }) => status === 200)
    same(
      taken.flatMap(({ ids }) => ids),
      ['p1', 'p2', 'p3', 'p4', 'p5'],
      'each once, in order',
    )
    await client.close()
  },

  'it gives up after so many attempts, and says so': async ({ faultsUrl, runTime }) => {
    const scenario = `${runTime}-down`
    const options = { key: 'k', url: `${faultsUrl}/${scenario}`, attemptsMax: 2, random: () => 0 }
    const client = createClient(options)
    client.track({ ...login, userId: 'u' })
    same(await client.flush(), { sent: 0, dropped: 1, pending: 0 }, 'flush')
    same([client.losses.gave_up, (await seen(faultsUrl, scenario)).length], [1, 2], 'losses and attempts')
    await client.close()
  },

  'closing takes no longer than it may, and nothing is taken afterwards': async ({ faultsUrl, runTime }) => {
    const client = createClient({ key: 'k', url: `${faultsUrl}/${runTime}-hang`, flushAt: 1 })
    client.track({ ...login, userId: 'u' })
    const early = await client.flush({ timeoutMs: 50 })
    same([early.sent, early.pending], [0, 1], 'an early flush')
    const begun = Date.now()
    same(await client.close({ timeoutMs: 300 }), { sent: 0, dropped: 1, pending: 0 }, 'close')
    check(Date.now() - begun < 5_000, 'it ended in time')
    client.track({ ...login, userId: 'u' })
    same([client.losses.closed, client.pending], [2, 0], 'what came too late')
  },

  'webhooks of all vendors are verified': async () => {
    for (const { id, provider, secrets, url, nowMs, headers, body, expect } of vectors) {
      if (!isProvider(provider)) throw new Error(provider)
      const options = { secrets, now: () => nowMs, ...(url !== undefined && { url }) }
      const given = JSON.parse(JSON.stringify(headers))
      const answer = await verifyWebhook(provider, new TextEncoder().encode(body), given, options)
      same(answer.ok ? 'accept' : answer.reason, expect, id)
    }
  },

  'a webhook becomes events that the product takes': async ({ url, secretKey, runTime }) => {
    const body = {
      id: `evt_${runTime}`,
      type: 'checkout.session.completed',
      created: Date.now() / 1000,
      livemode: true,
    }
    const object = {
      id: `cs_${runTime}`,
      mode: 'payment',
      payment_status: 'paid',
      amount_total: 1999,
      currency: 'eur',
      client_reference_id: 'u',
    }
    const text = JSON.stringify({ ...body, created: Math.floor(body.created), data: { object } })
    const time = Math.floor(Date.now() / 1000)
    const headers = { 'stripe-signature': `t=${time},v1=${await hmacHex('whsec_x', `${time}.${text}`)}` }
    const received = await receiveWebhook('stripe', new TextEncoder().encode(text), headers, {
      secrets: ['whsec_x'],
    })
    if (!received.ok) throw new Error(received.detail)
    const client = createClient({ key: secretKey, url })
    const answer = await client.api.batch({ body: { batch: [...received.events] } })
    same(
      answer.results.map(({ outcome }) => outcome),
      ['accept'],
      'the verdict',
    )
    await client.close()
  },

  'tests of a customer are judged by the real gate': async () => {
    const { client, captured, expectAllAccepted, clear } = createTestClient()
    client.track({ event: 'Order Completed', userId: 'u', properties: { revenue: 5, currency: 'EUR' } })
    same(
      (await captured()).map(({ name, outcome }) => [name, outcome]),
      [['$purchase', 'accept']],
      'a good one',
    )
    await expectAllAccepted()
    clear()
    client.track({ event: '$purchase', userId: 'u', properties: { amount: 'a lot', currency: 'EUR' } })
    const message = await expectAllAccepted().then(
      () => '',
      (error) => String(error),
    )
    check(message.includes('$purchase → reject') && message.includes('type_mismatch amount'), message)
  },
}

type Seen = { status: number; ids: string[]; sentAt: string }

/** Requests that the faulty server received. */
async function seen(faultsUrl: string, scenario: string): Promise<Seen[]> {
  return JSON.parse(await (await fetch(`${faultsUrl}/${scenario}/seen`)).text())
}

async function hmacHex(secret: string, text: string): Promise<string> {
  const bytes = (value: string) => new TextEncoder().encode(value)
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Runs everything and returns failures by name; an empty text is a success. */
export async function everything(settings: Settings): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {}
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run(settings)
      outcomes[name] = ''
    } catch (error) {
      outcomes[name] = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error)
    }
  }
  return outcomes
}
