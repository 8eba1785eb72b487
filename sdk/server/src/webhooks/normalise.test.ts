import { createHash } from 'node:crypto'
import { compileMapping, judgeReading, readTrack, standardEvents } from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { isStandardName, standardNames } from './standard-names.ts'
import type { Expectation } from './testing/expectation.ts'
import { signers } from './testing/signers.ts'
import { processorCases, shopCases, stripeCases } from './testing/vectors/payments.ts'
import { peopleCases } from './testing/vectors/people.ts'
import { subscriptionCases } from './testing/vectors/subscriptions.ts'
import { providers, receiveWebhook } from './webhooks.ts'

const nowMs = Date.UTC(2026, 7, 1, 1)
const cases: readonly Expectation[] = [
  ...stripeCases,
  ...shopCases,
  ...processorCases,
  ...subscriptionCases,
  ...peopleCases,
]

async function receive({ provider, body, headers = {} }: Expectation) {
  const { sign, secret } = signers[provider]
  const delivery = sign(JSON.stringify(body), secret, nowMs)
  const answer = await receiveWebhook(
    provider,
    new TextEncoder().encode(delivery.body),
    { ...headers, ...delivery.headers },
    {
      secrets: [secret],
      now: () => nowMs,
      account: 'con_1',
      ...(delivery.url !== undefined && { url: delivery.url }),
    },
  )
  if (!answer.ok) throw new Error(answer.detail)
  return answer
}

function judged(event: unknown) {
  const reading = readTrack(event)
  if (reading.kind === 'alias') throw new Error('no webhook becomes an alias')
  return judgeReading(reading, {
    contracts: new Map(),
    mapping: compileMapping([]),
    keyClass: 'secret',
    receivedAt: nowMs,
  })
}

describe.each(cases)('$provider: $about', (expectation) => {
  const { events = [], left } = expectation

  test('and it becomes what it means', async () => {
    const answer = await receive(expectation)
    expect(answer.events.map(({ event }) => event)).toEqual(events.map(({ event }) => event))
    for (const [index, { lacks = [], event_id, ...expected }] of events.entries()) {
      const made = answer.events[index]
      expect(made).toMatchObject(expected)
      if (event_id !== undefined) expect(made?.event_id).toBe(event_id)
      for (const name of lacks) expect({ ...made, ...made?.properties }).not.toHaveProperty(name)
    }
    expect(answer.left.map(({ reason }) => reason)).toEqual(
      left === undefined ? [] : answer.left.map(() => left),
    )
    expect(answer.left.length > 0).toBe(left !== undefined)
  })

  test('the same each time, under ids that are each its own', async () => {
    const [first, second] = [await receive(expectation), await receive(expectation)]
    expect(second).toEqual(first)
    const ids = first.events.map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).not.toMatch(/undefined|null|NaN|\[object/)
  })

  test('and the gate takes every standard event that it becomes', async () => {
    for (const event of (await receive(expectation)).events.filter((one) => isStandardName(one.event))) {
      expect(judged(event)).toMatchObject({ outcome: 'accept', issues: [] })
    }
  })
})

test('every provider is covered by a case that becomes an event', () => {
  const covered = new Set(cases.filter(({ events }) => events !== undefined).map(({ provider }) => provider))
  expect(providers.filter((provider) => !covered.has(provider))).toEqual([])
})

test('the names of the standard events are those of the catalog', () => {
  expect([...standardNames].sort()).toEqual(standardEvents.map(({ name }) => name).sort())
})

test('people known by their address only are identified by its hash, however it is spelled', async () => {
  const click = (email: string) => ({
    event: 'click',
    sg_event_id: email,
    timestamp: nowMs / 1000,
    email,
    url: 'https://a.example',
  })
  const body = [click('Ada@Example.com '), click('ada@example.com'), click('bob@example.com')]
  const { events } = await receive({ provider: 'sendgrid', about: '', body })
  const hash = createHash('sha256').update('ada@example.com').digest('hex').slice(0, 32)
  expect(events.map(({ anonymous_id }) => anonymous_id === `email:${hash}`)).toEqual([true, true, false])
  expect(
    JSON.stringify(events.map(({ anonymous_id, properties }) => [anonymous_id, properties])),
  ).not.toContain('@')
})

test('test mode is let in where it is asked for', async () => {
  const found = cases.find(({ provider, left }) => provider === 'stripe' && left === 'test')
  const { sign, secret } = signers.stripe
  const delivery = sign(JSON.stringify(found?.body), secret, nowMs)
  const answer = await receiveWebhook('stripe', new TextEncoder().encode(delivery.body), delivery.headers, {
    secrets: [secret],
    now: () => nowMs,
    withTests: true,
  })
  expect(answer).toMatchObject({ ok: true, events: [{ event: '$purchase' }], left: [] })
})
