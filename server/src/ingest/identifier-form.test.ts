import { recordConsent, recordReplay, requestForget, resolveIdentity, track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

/** Each means the same visitor as the first; "é" is composed and decomposed. */
function spellingsOf(id: string): string[] {
  const value = `${id}-é`
  return [value, `${value} `, `\t${value}\n`, `\u00a0${value}\ufeff`, value.normalize('NFD')]
}

const click = (who: Record<string, unknown>) => ({ event: '$click', properties: { element: 'x' }, ...who })
const send = (body: Record<string, unknown>) => shop.call(track, { body })
const codesOf = (answer: Awaited<ReturnType<typeof send>>) =>
  answer.problem.errors?.map((error) => error.code) ?? []

function chunk(who: { anonymous_id: string; user_id?: string }) {
  const nowMs = Date.now()
  return {
    replay_id: newId('replay'),
    chunk_id: newId('chunk'),
    session_id: newId('session'),
    sent_at: nowMs,
    events: [{ type: 3, timestamp: nowMs, data: {} }],
    ...who,
  }
}

const record = (who: { anonymous_id: string; user_id?: string }) =>
  shop.call(recordReplay, { body: chunk(who) }, { key: shop.keys.public })

test.each(['user_id', 'anonymous_id', 'person_id'] as const)(
  'a denial holds for every spelling of a %s',
  async (member) => {
    const spellings = spellingsOf(newId('denied'))
    const categories = { analytics_storage: 'denied' } as const
    const denied = await shop.call(recordConsent, { body: { [member]: spellings[1], categories } })
    expect(denied.status).toBe(201)
    for (const spelling of spellings) {
      expect(codesOf(await send(click({ [member]: spelling })))).toContain('consent_denied')
    }
  },
)

test('a denial holds for the recordings of every spelling', async () => {
  const [user = '', ...others] = spellingsOf(newId('unrecorded'))
  const categories = { analytics_storage: 'denied' } as const
  await shop.call(recordConsent, { body: { user_id: user, categories } })
  for (const user_id of [user, ...others]) {
    const answer = await record({ anonymous_id: newId('visitor'), user_id })
    expect(answer.body).toEqual({ stored: false, reason: 'consent_denied' })
  }
})

test('who was forgotten stays forgotten under every spelling, in events, recordings and identity', async () => {
  const spellings = spellingsOf(newId('forgotten'))
  const [user_id = ''] = spellings
  await send(click({ user_id }))
  const body = { identifiers: [{ type: 'user_id', value: user_id }], regime: 'gdpr' as const }
  expect((await shop.call(requestForget, { body })).status).toBe(202)
  await untilTrue('the person is forgotten', async () =>
    codesOf(await send(click({ user_id }))).includes('suppressed'),
  )
  for (const value of spellings) {
    expect(codesOf(await send(click({ user_id: value })))).toContain('suppressed')
    const replay = await record({ anonymous_id: newId('visitor'), user_id: value })
    expect(replay.body).toEqual({ stored: false, reason: 'suppressed' })
    const resolved = await shop.call(resolveIdentity, {
      body: { identifiers: [{ type: 'user_id', value }], read_only: true },
    })
    expect(resolved.body.rejected).toEqual([{ type: 'user_id', value: user_id, reason: 'suppressed' }])
  }
})

test('an event id and an order id are counted once in every spelling', async () => {
  const user_id = newId('user')
  const [event_id = '', ...eventSpellings] = spellingsOf(newId('event'))
  const first = await send(click({ user_id, event_id }))
  expect(first.body).toMatchObject({ event_id, duplicate: false })
  for (const spelling of eventSpellings) {
    const again = await send(click({ user_id, event_id: spelling }))
    expect(again.body).toMatchObject({ event_id, duplicate: true })
  }
  const [order_id = '', ...orderSpellings] = spellingsOf(newId('order'))
  const purchase = (order: string) =>
    send({ event: '$purchase', user_id, properties: { order_id: order, amount: 10, currency: 'EUR' } })
  const bought = await purchase(order_id)
  expect(bought.body.duplicate).toBe(false)
  for (const spelling of orderSpellings) {
    expect((await purchase(spelling)).body).toMatchObject({
      duplicate: true,
      duplicate_of: bought.body.event_id,
    })
  }
})

test('an identifier of 3.9 MB is refused with a verdict that does not repeat it', async () => {
  const answer = await send(click({ anonymous_id: 'a'.repeat(3_900_000) }))
  expect(answer.status).toBe(422)
  expect(codesOf(answer)).toContain('malformed_event')
  expect(JSON.stringify(answer.problem).length).toBeLessThan(4_000)
})
