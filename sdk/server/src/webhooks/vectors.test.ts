import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { methodlessCopies } from '../../../../contract/src/testing/methodless.ts'
import { readHex } from './bytes.ts'
import { hmac } from './signature.ts'
import vectors from './vectors/vectors.json' with { type: 'json' }
import { isProvider, providers, readWebhook, verifyWebhook } from './webhooks.ts'

const utf8 = new TextEncoder()

describe('a published or recomputed vector', () => {
  test.each(vectors)('$id gives $expect', async (vector) => {
    const { provider, secrets, url, nowMs, headers, body, expect: expected } = vector
    if (!isProvider(provider)) throw new Error(`unknown provider ${provider}`)
    const options = { secrets, now: () => nowMs, ...(url !== undefined && { url }) }
    const answer = await verifyWebhook(
      provider,
      utf8.encode(body),
      JSON.parse(JSON.stringify(headers)),
      options,
    )
    expect(answer.ok ? 'accept' : answer.reason).toBe(expected)
    if ('eventId' in vector) expect(answer).toMatchObject({ eventId: vector.eventId })
  })

  test('exists for every provider that signs', () => {
    const covered = new Set(vectors.map(({ provider }) => provider))
    expect(providers.filter((provider) => !covered.has(provider))).toEqual(['chargebee', 'auth0'])
  })
})

const inJson = vectors.filter(({ body }) => body.startsWith('{'))
test.each(inJson)('$id with an object that has no methods at any place gets an answer', async (vector) => {
  const { provider, secrets, url, nowMs, headers, body } = vector
  if (!isProvider(provider)) throw new Error(`unknown provider ${provider}`)
  const options = { secrets, now: () => nowMs, ...(url !== undefined && { url }) }
  const given = JSON.parse(JSON.stringify(headers))
  for (const copy of methodlessCopies(JSON.parse(body))) {
    const bytes = utf8.encode(JSON.stringify(copy))
    expect(await verifyWebhook(provider, bytes, given, options)).toHaveProperty('ok')
    expect(readWebhook(provider, bytes, given)).toBeTypeOf('object')
  }
})

test('the HMAC is the one of the published message without a time', async () => {
  const mac = await hmac(
    'SHA-256',
    utf8.encode('test_secret'),
    utf8.encode('{"obj1":"hello","obj2":"world"}'),
  )
  expect(mac).toEqual(readHex('bebb1a643997f419b315ddba19e6f5411e1ce7f810ba6d3617ce72823092f363'))
})

test('the vectors that are refused for their scheme are right within it: not the vector is wrong, the scheme is weak', () => {
  const find = (id: string) => vectors.find((vector) => vector.id === id)
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const [v1, v2, empty] = [find('hubspot-v1'), find('hubspot-v2'), find('woo-1')]
  expect(sha256(`${v1?.secrets[0]}${v1?.body}`)).toBe(v1?.headers['X-HubSpot-Signature'])
  expect(sha256(`${v2?.secrets[0]}POST${v2?.url}${v2?.body}`)).toBe(v2?.headers['X-HubSpot-Signature'])
  const withoutSecret = createHmac('sha256', '')
    .update(empty?.body ?? '')
    .digest('base64')
  expect(withoutSecret).toBe(empty?.headers['X-WC-Webhook-Signature'])
})

test('a body that is signed but no JSON is verified, and reading it says so', async () => {
  const vector = vectors.find(({ id }) => id === 'github-1')
  const body = utf8.encode(vector?.body)
  expect(readWebhook('github', body, {})).toMatchObject({ ok: false, reason: 'body_unreadable' })
})
