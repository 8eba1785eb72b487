import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventsToChoose } from './event-choice.ts'
import { signers } from './testing/signers.ts'
import { processorCases, shopCases, stripeCases } from './testing/vectors/payments.ts'
import { peopleCases } from './testing/vectors/people.ts'
import { subscriptionCases } from './testing/vectors/subscriptions.ts'
import { isProvider, normaliseWebhook, readWebhook } from './webhooks.ts'

const cases = [...stripeCases, ...shopCases, ...processorCases, ...subscriptionCases, ...peopleCases]
const chosen = Object.entries(eventsToChoose)

test('each delivery that becomes an event is of a type to choose', () => {
  const missing = cases.flatMap(({ provider, body, headers = {}, events = [], needsMemory = false }) => {
    if ((events.length === 0 && !needsMemory) || provider === 'standard') return []
    const { sign, secret } = signers[provider]
    const delivery = sign(JSON.stringify(body), secret, Date.UTC(2026, 7, 1, 1))
    const read = readWebhook(provider, new TextEncoder().encode(delivery.body), {
      ...headers,
      ...delivery.headers,
    })
    if ('ok' in read) throw new Error(read.detail)
    const types = read.filter((event) => normaliseWebhook(provider, event).events.length > 0)
    return types.map(({ type }) => `${provider} ${type}`)
  })
  const known = new Set(chosen.flatMap(([provider, types]) => types.map((type) => `${provider} ${type}`)))
  expect([...new Set(missing)].filter((one) => !known.has(one))).toEqual([])
})

test('each type to choose has a rule', () => {
  const source = { id: 'x', occurredAt: 1, isTest: false, isHandshake: false }
  // As much as a rule asks before it looks at amounts and names.
  const data = {
    object: { mode: 'payment' },
    previous_attributes: { status: 'incomplete' },
    action: 'refund',
    item: {},
  }
  const payload = { data, payload: {}, event: {}, marketplace_purchase: {}, sponsorship: {} }
  const without = chosen.flatMap(([provider, types]) =>
    types
      .filter((type) => {
        if (!isProvider(provider)) throw new Error(provider)
        return normaliseWebhook(provider, { ...source, type, payload }).unmapped === 'no_rule'
      })
      .map((type) => `${provider} ${type}`),
  )
  expect(without).toEqual([])
})

test('the page on webhooks lists the same types for the same vendors', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
  const section = page.slice(page.indexOf('## Events to tick'), page.indexOf('## What happens to a delivery'))
  const rows = [...section.matchAll(/^\| `([a-z0-9]+)` \| ([^|]*) \|/gm)]
  const listed = rows.map(([, provider = '', cell = '']) => [
    provider,
    [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => type),
  ])
  expect(Object.fromEntries(listed)).toEqual(eventsToChoose)
})
