import {
  alias,
  batch,
  getPerson,
  getReceipt,
  identify,
  listLedger,
  recordConsent,
  releaseQuarantined,
  requestForget,
  resolveIdentity,
  updateSite,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identifyPerson } from '../identity/commands/identify.ts'
import { newId } from '../platform/clock.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace
/** Its site asks for consent before anything. */
let asking: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
  asking = await world.newWorkspace()
  await asking.call(updateSite, { params: { id: asking.siteId }, body: { consentRegime: 'gdpr' } })
})
afterAll(() => world?.close())

type Who = { anonymous_id: string; user_id: string }
const stranger = (): Who => ({ anonymous_id: newId('anon'), user_id: newId('user') })

/** Every way by which something about a person comes in: its path, and the body that it takes. */
const ways: readonly [path: string, body: (who: Who, workspace: TestWorkspace) => unknown][] = [
  ['/v1/track', (who) => ({ event: '$login', properties: { method: 'x' }, ...who })],
  ['/v1/page', (who) => ({ properties: { url: 'https://shop.example/', title: 'x' }, ...who })],
  ['/v1/screen', (who) => ({ name: 'Home', ...who })],
  ['/v1/group', (who) => ({ group_id: 'g1', traits: { plan: 'pro' }, ...who })],
  ['/v1/identify', (who) => ({ traits: { plan: 'pro' }, ...who })],
  ['/v1/alias', ({ anonymous_id, user_id }) => ({ from: anonymous_id, to: user_id })],
  ['/v1/t', (who) => ({ event: '$login', properties: { method: 'x' }, ...who })],
  [
    '/v1/i',
    ({ anonymous_id, user_id }) => ({ anonymousId: anonymous_id, userId: user_id, traits: { plan: 'x' } }),
  ],
  ['/v1/a', ({ anonymous_id, user_id }) => ({ previousId: anonymous_id, userId: user_id })],
  ['/v1/batch', (who) => ({ batch: [{ event: '$login', properties: { method: 'x' }, ...who }] })],
  ['/v1/batch', (who) => ({ batch: [{ type: 'identify', traits: { plan: 'pro' }, ...who }] })],
  [
    '/v1/batch',
    ({ anonymous_id, user_id }) => ({ batch: [{ type: 'alias', from: anonymous_id, to: user_id }] }),
  ],
  ['/v1/import', (who) => ({ batch: [{ type: 'identify', traits: { plan: 'pro' }, ...who }] })],
  [
    '/v1/import',
    ({ anonymous_id, user_id }) => ({ batch: [{ type: 'alias', from: anonymous_id, to: user_id }] }),
  ],
  [
    '/api/ingest',
    ({ anonymous_id, user_id }, { siteId, siteToken }) => ({
      siteId,
      token: siteToken,
      events: [{ type: 'login', method: 'x', anonymousId: anonymous_id, userId: user_id }],
    }),
  ],
]

/** What the gate said, however the endpoint words it. */
async function verdictOf(
  workspace: TestWorkspace,
  path: string,
  body: unknown,
): Promise<{ outcome: string; codes: string[] }> {
  const response = await fetch(world.product.dataUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${workspace.keys.secret}` },
    body: JSON.stringify(body),
  })
  const answer = JSON.parse(await response.text())
  const result = answer.results?.[0] ?? answer
  expect([200, 202, 422]).toContain(response.status)
  if (response.status === 422) expect(answer.type).toContain('/contract-violation')
  const issues: { code: string }[] = result.issues ?? result.errors ?? []
  return { outcome: result.outcome ?? 'reject', codes: issues.map(({ code }) => code) }
}

async function personOf({ call }: TestWorkspace, type: string, value: string): Promise<string | null> {
  const body = { identifiers: [{ type, value }], read_only: true }
  return (await call(resolveIdentity, { body })).body.person_id
}

/** No link, no trait, no event: nothing can be read of them. */
async function expectUnknown(workspace: TestWorkspace, ...everybody: Who[]): Promise<void> {
  await workspace.settle()
  const { people } = world.product.deps
  for (const { user_id, anonymous_id } of everybody) {
    for (const [type, value] of Object.entries({ user_id, anonymous_id })) {
      expect(await personOf(workspace, type, value)).toBeNull()
      const id = people.originalId(workspace.workspaceId, { type, value })
      expect((await workspace.call(getPerson, { params: { id } })).status).toBe(404)
    }
  }
}

describe('every endpoint gives the same verdict', () => {
  test('on a person who granted nothing where consent is needed: refused, and nothing is stored', async () => {
    const everybody: Who[] = []
    for (const [path, body] of ways) {
      const who = stranger()
      everybody.push(who)
      const verdict = await verdictOf(asking, path, body(who, asking))
      expect({ path, ...verdict }).toEqual({ path, outcome: 'reject', codes: ['consent_denied'] })
    }
    await expectUnknown(asking, ...everybody)
  })

  test('on a person who denied: refused, and nothing is stored', async () => {
    for (const member of ['user_id', 'anonymous_id'] as const) {
      for (const [path, body] of ways) {
        const who = stranger()
        const categories = { analytics_storage: 'denied' } as const
        await shop.call(recordConsent, { body: { [member]: who[member], categories } })
        const verdict = await verdictOf(shop, path, body(who, shop))
        expect({ path, ...verdict }).toEqual({ path, outcome: 'reject', codes: ['consent_denied'] })
        const other = member === 'user_id' ? 'anonymous_id' : 'user_id'
        expect(await personOf(shop, other, who[other])).toBeNull()
      }
    }
  })

  test('on a person who was erased: refused, and nothing is stored', async () => {
    const who = stranger()
    await shop.call(identify, { body: { ...who, traits: { plan: 'pro' } } })
    const identifiers = [{ type: 'user_id', value: who.user_id }]
    await shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })
    const [, track] = ways[0] ?? []
    await untilTrue('the person is forgotten', async () =>
      (await verdictOf(shop, '/v1/track', track?.(who, shop))).codes.includes('suppressed'),
    )
    for (const [path, body] of ways) {
      const verdict = await verdictOf(shop, path, body(who, shop))
      expect({ path, ...verdict }).toEqual({ path, outcome: 'reject', codes: ['suppressed'] })
      const anew = { ...who, anonymous_id: newId('anon') }
      const verdictAnew = await verdictOf(shop, path, body(anew, shop))
      expect({ path, ...verdictAnew }).toEqual({ path, outcome: 'reject', codes: ['suppressed'] })
      expect(await personOf(shop, 'anonymous_id', anew.anonymous_id)).toBeNull()
    }
  })

  test('on a person who granted: all pass, and what they sent is readable', async () => {
    for (const [path, body] of ways) {
      const who = stranger()
      const categories = { analytics_storage: 'granted' } as const
      await asking.call(recordConsent, { body: { anonymous_id: who.anonymous_id, categories } })
      const { outcome } = await verdictOf(asking, path, body(who, asking))
      expect({ path, outcome }).toEqual({ path, outcome: expect.stringMatching(/^(accept|warn)$/) })
    }
  })
})

describe('identify', () => {
  const person = async (id: string) => (await shop.call(getPerson, { params: { id } })).body

  test('is stored as an event that can be asked for, and binds once', async () => {
    const who = stranger()
    const sent = await shop.call(identify, {
      body: { ...who, traits: { plan: 'pro' }, event_id: newId('evt') },
    })
    expect(sent.status).toBe(200)
    const { event_id, person_id } = sent.body
    expect(sent.body).toMatchObject({ outcome: 'accept', duplicate: false, issues: [] })
    const before = await person(person_id)
    expect(before.traits).toEqual({ plan: 'pro' })
    const receipt = await shop.call(getReceipt, { params: { event_id } })
    expect(receipt.body).toMatchObject({
      state: 'stored',
      name: { stored: '$identify' },
      person: { person_id },
    })
    await shop.settle()
    const after = await person(person_id)
    // Known once the event is stored.
    const seen = { events: 0, last_seen_at: null, site_ids: [] }
    expect({ ...after, ...seen }).toEqual({ ...before, ...seen })
    const ledger = await shop.call(listLedger, { query: { person_id } })
    expect(ledger.body.data.map(({ type, triggering_event_id }) => [type, triggering_event_id])).toEqual([
      ['link', event_id],
    ])
  })

  test('with a known event id is a duplicate that binds and says nothing new', async () => {
    const who = stranger()
    const body = { ...who, traits: { plan: 'pro' }, event_id: newId('evt') }
    const first = await shop.call(identify, { body })
    const again = await shop.call(identify, { body: { ...body, traits: { plan: 'free' } } })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({
      person_id: first.body.person_id,
      merged: false,
      duplicate: true,
      outcome: 'accept',
    })
    await shop.settle()
    expect((await person(first.body.person_id)).traits).toEqual({ plan: 'pro' })
  })

  test('that is too large is refused alone as in a batch', async () => {
    const who = stranger()
    const traits = { note: 'x'.repeat(33_000) }
    const alone = await shop.call(identify, { body: { ...who, traits } })
    expect(alone.status).toBe(422)
    expect(alone.problem.errors?.map(({ code }) => code)).toEqual(['event_too_large'])
    const [result] = (await shop.call(batch, { body: { batch: [{ type: 'identify', ...who, traits }] } }))
      .body.results
    expect(result?.issues.map(({ code }) => code)).toEqual(['event_too_large'])
    await expectUnknown(shop, who)
  })

  test('that is quarantined binds nothing and keeps no trait until it is released', async () => {
    const who = stranger()
    const traits = { plan: 'pro', note: 'card 4111 1111 1111 1111' }
    const sent = await shop.call(identify, { body: { ...who, traits } })
    expect(sent.body).toMatchObject({
      outcome: 'quarantine',
      merged: false,
      issues: [{ code: 'pii_detected' }],
    })
    await expectUnknown(shop, who)
    const released = await shop.call(releaseQuarantined, {
      body: { ids: [`qtn_${sent.body.event_id}`], patch: { note: null } },
    })
    expect(released.status).toBe(200)
    await shop.settle()
    const found = await personOf(shop, 'anonymous_id', who.anonymous_id)
    expect(found).toBe(await personOf(shop, 'user_id', who.user_id))
    expect((await person(String(found))).traits).toEqual({ plan: 'pro' })
  })

  test('by person_id alone passes, alone and in a batch', async () => {
    const person_id = newId('customer')
    expect((await shop.call(identify, { body: { person_id, traits: { plan: 'pro' } } })).body.outcome).toBe(
      'accept',
    )
    const call = { type: 'identify', person_id, traits: { plan: 'free' } }
    const [result] = (await shop.call(batch, { body: { batch: [call] } })).body.results
    expect(result?.outcome).toBe('accept')
  })

  test('with a test key answers as if, and stores and binds nothing', async () => {
    const who = stranger()
    const options = { key: shop.keys.test }
    const body = { ...who, traits: { plan: 'pro' }, event_id: newId('evt') }
    expect((await shop.call(identify, { body }, options)).body).toMatchObject({
      outcome: 'accept',
      event_id: body.event_id,
    })
    expect(
      (await shop.call(alias, { body: { from: who.anonymous_id, to: who.user_id } }, options)).status,
    ).toBe(200)
    await expectUnknown(shop, who)
    expect((await shop.call(getReceipt, { params: { event_id: body.event_id } })).status).toBe(404)
  })

  test('that conflicts is 409 each time: its event is stored, no one is identified and no trait is stored', async () => {
    const [device, first, second] = [newId('anon'), newId('user'), newId('user')]
    const event_id = newId('evt')
    await shop.call(identify, { body: { anonymous_id: device, user_id: first } })
    const body = { anonymous_id: device, user_id: second, traits: { plan: 'pro' }, event_id }
    const refused = await shop.call(identify, { body })
    expect(refused.status).toBe(409)
    expect(refused.problem).toMatchObject({ event_id, outcome: 'accept' })
    expect((await shop.call(identify, { body })).status).toBe(409)
    await shop.settle()
    expect((await shop.call(getReceipt, { params: { event_id } })).body.state).toBe('stored')
    const found = await person(String(await personOf(shop, 'user_id', second)))
    expect(found).toMatchObject({ traits: {}, events: 1 })
    expect(found.identifiers.map(({ type }) => type)).toEqual(['user_id'])
  })

  test('that was bound before a crash and never stored is stored when it is sent again, with one link', async () => {
    const who = stranger()
    const event_id = newId('evt')
    const { people, now } = world.product.deps
    const sender = {
      workspaceId: shop.workspaceId,
      keyId: 'key_1',
      keyClass: 'secret',
      storesNothing: false,
    } as const
    await identifyPerson(people, sender, {
      known: [{ type: 'user_id', value: who.user_id }],
      anonymous: { type: 'anonymous_id', value: who.anonymous_id },
      traits: { plan: 'pro' },
      setMs: now(),
      eventId: event_id,
    })
    const again = await shop.call(identify, { body: { ...who, traits: { plan: 'pro' }, event_id } })
    expect(again.body).toMatchObject({ outcome: 'accept', duplicate: false, merged: false })
    const ledger = await shop.call(listLedger, { query: { person_id: again.body.person_id } })
    expect(ledger.body.data).toHaveLength(1)
    expect((await shop.call(getReceipt, { params: { event_id } })).status).toBe(200)
  })
})

describe('alias', () => {
  test('answers its verdict and its effect, alone as in a batch', async () => {
    const [one, two] = [stranger(), stranger()]
    const alone = await shop.call(alias, {
      body: { from: one.anonymous_id, to: one.user_id, event_id: 'al-1' },
    })
    expect(alone.body).toMatchObject({
      event_id: 'al-1',
      outcome: 'accept',
      duplicate: false,
      issues: [],
      merged: false,
    })
    const item = { type: 'alias', from: two.anonymous_id, to: two.user_id, messageId: 'al-2' }
    const [result] = (await shop.call(batch, { body: { batch: [item] } })).body.results
    expect(result).toMatchObject({ event_id: 'al-2', outcome: 'accept' })
    for (const who of [one, two]) {
      expect(await personOf(shop, 'anonymous_id', who.anonymous_id)).toBe(
        await personOf(shop, 'user_id', who.user_id),
      )
    }
  })

  test('that the gate refuses refuses a strict batch whole', async () => {
    const who = stranger()
    const denied = { type: 'alias', from: who.anonymous_id, to: who.user_id }
    const fine = {
      event: '$login',
      user_id: newId('user'),
      properties: { method: 'x' },
      event_id: newId('evt'),
    }
    const strict = { headers: { prefer: 'handling=strict' } }
    const granted = { ...fine, context: { consent: { analytics_storage: 'granted' } } }
    const answer = await asking.call(batch, { body: { batch: [granted, denied] } }, strict)
    expect(answer.status).toBe(422)
    expect((await asking.call(getReceipt, { params: { event_id: fine.event_id } })).status).toBe(404)
    await expectUnknown(asking, who)
  })
})
