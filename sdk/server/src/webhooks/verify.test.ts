import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { anyBody, type Delivery, signers } from './testing/signers.ts'
import {
  isHandshake,
  type Provider,
  providers,
  readWebhook,
  type VerifyOptions,
  verifyWebhook,
} from './webhooks.ts'

const utf8 = new TextEncoder()
const nowMs = Date.UTC(2026, 7, 1)
const each = providers.map((provider) => ({ provider, signer: signers[provider] }))
const signed = each.filter(({ signer }) => signer.isStatic !== true)
const stamped = each.flatMap(({ provider, signer }) =>
  signer.toleranceS === null ? [] : [{ provider, signer, toleranceS: signer.toleranceS }],
)

async function verify(provider: Provider, delivery: Delivery, options: Partial<VerifyOptions> = {}) {
  const { url } = delivery
  const answer = await verifyWebhook(provider, utf8.encode(delivery.body), delivery.headers, {
    secrets: [signers[provider].secret],
    now: () => nowMs,
    ...(url !== undefined && { url }),
    ...options,
  })
  return answer.ok ? 'accept' : answer.reason
}

/** Changes a letter in the middle of what is signed, so that it stays well formed. */
function altered(text: string): string {
  const at = text.lastIndexOf('=') === text.length - 1 ? text.length - 8 : text.length - 4
  const other = text[at] === 'a' ? 'b' : 'a'
  return text.slice(0, at) + other + text.slice(at + 1)
}

describe.each(each)('a delivery of $provider', ({ provider, signer }) => {
  const good = signer.sign(anyBody(provider), signer.secret, nowMs)

  test('that is signed with the secret is accepted', async () => {
    expect(await verify(provider, good)).toBe('accept')
  })

  test('signed with the second of two secrets is accepted, and the answer says which', async () => {
    const secrets = [signer.otherSecret, signer.secret]
    const answer = await verifyWebhook(provider, utf8.encode(good.body), good.headers, {
      secrets,
      now: () => nowMs,
      ...(good.url !== undefined && { url: good.url }),
    })
    expect(answer).toMatchObject({ ok: true, secretIndex: 1 })
  })

  test('signed with another secret is refused', async () => {
    expect(await verify(provider, good, { secrets: [signer.otherSecret] })).toBe('signature_mismatch')
  })

  test.each([[[]], [['']], [['  ']], [[signer.secret, '']]])(
    'is refused when the configured secrets are %j',
    async (secrets) => {
      expect(await verify(provider, good, { secrets })).toBe('secret_missing')
    },
  )

  test('without its header, or with an empty one, is refused', async () => {
    for (const name of signer.needs) {
      const { [name]: _, ...rest } = good.headers
      expect(await verify(provider, { ...good, headers: rest })).toBe('header_missing')
      expect(await verify(provider, { ...good, headers: { ...good.headers, [name]: ' ' } })).toBe(
        'header_missing',
      )
    }
  })

  test('with nonsense instead of a signature is refused and nothing throws', async () => {
    const [name = 'additionalData'] = signer.needs.toReversed()
    const without = { ...good, body: good.body.replace('hmacSignature', 'x') }
    for (const nonsense of [
      'x',
      '=',
      '\u{1F4A5}',
      'v1,',
      't=,v1=',
      'sha256=',
      'A'.repeat(44),
      '0'.repeat(63),
      ',;. ',
    ]) {
      const answer = await verify(provider, { ...without, headers: { ...good.headers, [name]: nonsense } })
      expect(['header_malformed', 'signature_mismatch', 'header_missing']).toContain(answer)
    }
  })

  test('without a body, or with a parsed one, is refused', async () => {
    expect(await verify(provider, { ...good, body: '' })).toBe('body_empty')
    const parsed = JSON.parse(good.body)
    const answer = await verifyWebhook(provider, parsed, good.headers, { secrets: [signer.secret] })
    expect(answer).toMatchObject({ ok: false, reason: 'body_not_bytes' })
  })

  test('is accepted whichever way the headers are given', async () => {
    const options = {
      secrets: [signer.secret],
      now: () => nowMs,
      ...(good.url !== undefined && { url: good.url }),
    }
    const spelled = Object.fromEntries(
      Object.entries(good.headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const listed = Object.fromEntries(Object.entries(good.headers).map(([name, value]) => [name, [value]]))
    for (const headers of [spelled, listed, new Headers(good.headers)]) {
      expect(await verifyWebhook(provider, utf8.encode(good.body), headers, options)).toMatchObject({
        ok: true,
      })
    }
  })
})

describe.each(signed)('a signed delivery of $provider', ({ provider, signer }) => {
  const good = signer.sign(anyBody(provider), signer.secret, nowMs)

  test('with an altered body is refused', async () => {
    const body = provider === 'adyen' ? good.body.replace('1000', '1') : good.body.replace('evt_1', 'evt_2')
    expect(body).not.toBe(good.body)
    expect(await verify(provider, { ...good, body })).toBe('signature_mismatch')
  })

  test('with the same JSON written differently is refused, save Adyen’s, who signs fields and not bytes', async () => {
    const body = JSON.stringify(JSON.parse(good.body), null, 1)
    const expected = provider === 'adyen' ? 'accept' : 'signature_mismatch'
    expect(await verify(provider, { ...good, body })).toBe(expected)
  })

  test('with an altered signature is refused', async () => {
    if (provider === 'adyen') {
      const body = good.body.replace(
        /"hmacSignature":"([^"]+)"/,
        (_, text) => `"hmacSignature":"${altered(text)}"`,
      )
      expect(await verify(provider, { ...good, body })).toBe('signature_mismatch')
      return
    }
    const name = signer.needs.find((header) => header.includes('signature') || header.includes('hmac')) ?? ''
    const headers = { ...good.headers, [name]: altered(good.headers[name] ?? '') }
    expect(await verify(provider, { ...good, headers })).toBe('signature_mismatch')
  })
})

describe.each(stamped)('the time of $provider', ({ provider, signer, toleranceS }) => {
  const signedAt = (offsetS: number) => signer.sign(anyBody(provider), signer.secret, nowMs + offsetS * 1000)

  test('is accepted up to the tolerance on both sides', async () => {
    expect(await verify(provider, signedAt(-toleranceS))).toBe('accept')
    expect(await verify(provider, signedAt(toleranceS))).toBe('accept')
  })

  test('is refused when it lies further back or ahead', async () => {
    expect(await verify(provider, signedAt(-toleranceS - 1))).toBe('timestamp_too_old')
    expect(await verify(provider, signedAt(toleranceS + 1))).toBe('timestamp_in_future')
    expect(await verify(provider, signedAt(3 * 365 * 86_400))).toBe('timestamp_in_future')
  })

  test('may be given another tolerance', async () => {
    expect(await verify(provider, signedAt(-20), { toleranceS: 10 })).toBe('timestamp_too_old')
    expect(await verify(provider, signedAt(-20), { toleranceS: 30 })).toBe('accept')
  })
})

describe('what the vendors’ own libraries sign is accepted', () => {
  test('Stripe', async () => {
    const payload = '{"id":"evt_9","object":"event"}'
    const signature = new Stripe('sk_test_x').webhooks.generateTestHeaderString({
      payload,
      secret: 'whsec_abc',
      timestamp: nowMs / 1000,
    })
    const delivery = { body: payload, headers: { 'stripe-signature': signature } }
    expect(await verify('stripe', delivery, { secrets: ['whsec_abc'] })).toBe('accept')
  })

  test.each(['standard', 'clerk', 'resend'] as const)('Standard Webhooks, as %s', async (provider) => {
    const { secret } = signers.standard
    const brand = provider === 'standard' ? 'webhook' : 'svix'
    const headers = {
      [`${brand}-id`]: 'msg_1',
      [`${brand}-timestamp`]: String(nowMs / 1000),
      [`${brand}-signature`]: new Webhook(secret).sign('msg_1', new Date(nowMs), '{"a":1}'),
    }
    expect(await verify(provider, { body: '{"a":1}', headers }, { secrets: [secret] })).toBe('accept')
  })
})

describe('traps of single vendors', () => {
  const of = (provider: Provider, body = anyBody(provider)) =>
    signers[provider].sign(body, signers[provider].secret, nowMs)

  test('Stripe: any of several v1 counts, v0 does not', async () => {
    const good = of('stripe')
    const value = good.headers['stripe-signature'] ?? ''
    const [time, v1] = value.split(',')
    const wrong = `v1=${'0'.repeat(64)}`
    const send = (header: string) => verify('stripe', { ...good, headers: { 'stripe-signature': header } })
    expect(await send(`${time},${wrong},${v1}`)).toBe('accept')
    expect(await send(`${time},${v1?.replace('v1', 'v0')}`)).toBe('header_malformed')
    expect(await send(`${time},${time},${v1}`)).toBe('header_malformed')
    expect(await send(value.replace(/v1=(.*)/, (_, hex) => `v1=${hex.toUpperCase()}`))).toBe('accept')
  })

  test('Shopify: the newer header decides where both are sent', async () => {
    const good = of('shopify')
    const right = good.headers['x-shopify-hmac-sha256'] ?? ''
    const both = { 'x-shopify-hmac-sha256': right, 'shopify-hmac-sha256': altered(right) }
    expect(await verify('shopify', { ...good, headers: both })).toBe('signature_mismatch')
  })

  test.each(['square', 'hubspot'] as const)(
    '%s: the registered address decides, byte for byte',
    async (provider) => {
      const good = of(provider)
      for (const url of [`${good.url}/`, 'https://INGEST.example.com/', good.url?.split('?')[0] ?? '']) {
        expect(await verify(provider, { ...good, url })).toBe('signature_mismatch')
      }
      const { url: _, ...without } = good
      expect(await verify(provider, without)).toBe('url_missing')
    },
  )

  test('Adyen: every item has to be signed, and the key has to be hexadecimal', async () => {
    const one = JSON.parse(of('adyen').body)
    const [item] = one.notificationItems
    const unsigned = structuredClone(item)
    unsigned.NotificationRequestItem.additionalData = {}
    const body = JSON.stringify({ ...one, notificationItems: [item, unsigned] })
    expect(await verify('adyen', { body, headers: {} })).toBe('header_missing')
    expect(await verify('adyen', of('adyen'), { secrets: ['not hexadecimal'] })).toBe('secret_unreadable')
    expect(await verify('adyen', { body: '{"notificationItems":[]}', headers: {} })).toBe('body_unreadable')
  })

  test('WooCommerce: a secret may be given as it was typed or as WordPress keeps it', async () => {
    const delivery = signers.woocommerce.sign('{"id":1}', `a&b<"'`, nowMs)
    expect(await verify('woocommerce', delivery, { secrets: [`a&b<"'`] })).toBe('accept')
    expect(await verify('woocommerce', delivery, { secrets: ['a&amp;b&lt;&quot;&#039;'] })).toBe('accept')
  })

  test('WooCommerce: the unsigned ping is a handshake, anything else without signature is not', () => {
    const ask = (body: string, headers = {}) => isHandshake('woocommerce', utf8.encode(body), headers)
    expect(ask('webhook_id=7')).toBe(true)
    expect(ask('webhook_id=7&id=1')).toBe(false)
    expect(ask('{"id":1}')).toBe(false)
    expect(ask('webhook_id=7', { 'x-wc-webhook-signature': 'x' })).toBe(false)
    for (const provider of providers.filter((name) => name !== 'woocommerce')) {
      expect(isHandshake(provider, utf8.encode('webhook_id=7'), {})).toBe(false)
    }
  })

  test('RevenueCat: without a signature the Authorization value counts, with a wrong one it does not', async () => {
    const secrets = ['Bearer my own value']
    const delivery = { body: '{"event":{}}', headers: { authorization: 'Bearer my own value' } }
    expect(await verify('revenuecat', delivery, { secrets })).toBe('accept')
    const signature = `t=${nowMs / 1000},v1=${'0'.repeat(64)}`
    const both = { ...delivery.headers, 'x-revenuecat-webhook-signature': signature }
    expect(await verify('revenuecat', { ...delivery, headers: both }, { secrets })).toBe('signature_mismatch')
    const shorter = { ...delivery, headers: { authorization: 'Bearer my own valu' } }
    expect(await verify('revenuecat', shorter, { secrets })).toBe('signature_mismatch')
  })

  test('Chargebee: the login is split at the first colon, and both halves have to fit', async () => {
    const login = (text: string) => ({
      body: '{}',
      headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
    })
    expect(await verify('chargebee', login('ci:pass:word'))).toBe('accept')
    for (const text of ['ci:pass', 'ci:pass:word2', 'cj:pass:word', 'ci:pass:wor']) {
      expect(await verify('chargebee', login(text))).toBe('signature_mismatch')
    }
    expect(await verify('chargebee', login('ci'))).toBe('header_malformed')
    expect(await verify('chargebee', { body: '{}', headers: { authorization: 'Bearer ci:pass:word' } })).toBe(
      'header_malformed',
    )
    expect(await verify('chargebee', login('ci:'), { secrets: ['ci:'] })).toBe('secret_unreadable')
  })

  test('Auth0: the token is taken as typed, with or without Bearer', async () => {
    const send = (authorization: string) => verify('auth0', { body: '{}', headers: { authorization } })
    expect(await send('token-one')).toBe('accept')
    expect(await send('Bearer token-one')).toBe('accept')
    expect(await send('Bearer token-on')).toBe('signature_mismatch')
  })

  test('Standard Webhooks: ids with a dot, empty keys and mixed brands are refused', async () => {
    const good = of('standard')
    const withId = { ...good.headers, 'webhook-id': 'msg.1' }
    expect(await verify('standard', { ...good, headers: withId })).toBe('header_malformed')
    expect(await verify('standard', good, { secrets: ['whsec_'] })).toBe('secret_unreadable')
    expect(await verify('clerk', of('clerk'), { secrets: ['whsec_'] })).toBe('secret_unreadable')
    const { 'webhook-id': id = '', ...rest } = good.headers
    expect(await verify('standard', { ...good, headers: { ...rest, 'svix-id': id } })).toBe('header_missing')
    expect(await verify('clerk', good)).toBe('header_missing')
  })

  test('Standard Webhooks: no one can sign with an empty key, not even Polar’s', async () => {
    const time = String(nowMs / 1000)
    const signature = createHmac('sha256', '').update(`msg_1.${time}.{}`).digest('base64')
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    }
    expect(await verify('polar', { body: '{}', headers }, { secrets: ['whsec_'] })).toBe('signature_mismatch')
  })

  test('Standard Webhooks: an Ed25519 signature is verified with the public key, which signs nothing itself', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const secret = `whpk_${raw.toString('base64')}`
    const time = String(nowMs / 1000)
    const message = `msg_1.${time}.{}`
    const headers = (signature: string) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': time,
      'webhook-signature': signature,
    })
    const right = `v1a,${signWith(null, Buffer.from(message), privateKey).toString('base64')}`
    expect(await verify('standard', { body: '{}', headers: headers(right) }, { secrets: [secret] })).toBe(
      'accept',
    )
    expect(await verify('standard', { body: '{ }', headers: headers(right) }, { secrets: [secret] })).toBe(
      'signature_mismatch',
    )
    const forged = `v1,${createHmac('sha256', raw).update(message).digest('base64')}`
    expect(await verify('standard', { body: '{}', headers: headers(forged) }, { secrets: [secret] })).toBe(
      'signature_mismatch',
    )
  })

  test('SendGrid: an invalid key is reported as such, and broken DER does not throw', async () => {
    const good = of('sendgrid', '[]')
    expect(await verify('sendgrid', good, { secrets: ['not a key'] })).toBe('secret_unreadable')
    for (const der of ['MAA=', 'MEUCIQ==', 'MAYCAQECAQE=', `MIGI${'A'.repeat(180)}`]) {
      const headers = { ...good.headers, 'x-twilio-email-event-webhook-signature': der }
      expect(await verify('sendgrid', { ...good, headers })).toBe('signature_mismatch')
    }
  })

  test('Segment: a batch is refused, since only its first event is signed', async () => {
    const first = '{"messageId":"m1"}'
    const { headers } = of('segment', first)
    expect(await verify('segment', { body: `[${first},{"messageId":"forged"}]`, headers })).toBe(
      'batch_not_signed',
    )
    expect(await verify('segment', of('segment', `[${first}]`))).toBe('batch_not_signed')
  })

  test('Auth0: lines, an array and a wrapped list are all read, each log with its own id', () => {
    const logs = [1, 2].map((count) => ({
      log_id: `log_${count}`,
      data: { type: 's', date: '2026-08-01T00:00:00Z' },
    }))
    const forms = [
      logs.map((log) => JSON.stringify(log)).join('\n'),
      JSON.stringify(logs),
      JSON.stringify({ logs }),
    ]
    for (const form of forms) {
      expect(readWebhook('auth0', utf8.encode(form), {})).toMatchObject([
        { id: 'log_1', type: 's', occurredAt: nowMs },
        { id: 'log_2' },
      ])
    }
    expect(readWebhook('auth0', utf8.encode('{"log_id":'), {})).toMatchObject({ reason: 'body_unreadable' })
  })
})
