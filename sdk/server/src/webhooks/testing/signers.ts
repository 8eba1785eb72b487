import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Provider } from '../verification.ts'

export type Delivery = { body: string; headers: Record<string, string>; url?: string }

/** Signs like the vendor, with Node's crypto: another implementation than the tested one. */
export type Signer = {
  secret: string
  otherSecret: string
  /** Null when the vendor signs no time. */
  toleranceS: number | null
  /** Which of its headers the signature depends on. */
  needs: readonly string[]
  /** The vendor sends a shared secret instead of a signature, so a changed body cannot be detected. */
  isStatic?: boolean
  sign: (body: string, secret: string, atMs: number) => Delivery
}

const address = 'https://ingest.example.com/v1/webhook/x?connection=con_1'
const mac = (digest: 'sha256' | 'sha1', key: string | Buffer, text: string) =>
  createHmac(digest, key).update(text)

function ofBody(header: string, encoding: 'hex' | 'base64', digest: 'sha256' | 'sha1', prefix = ''): Signer {
  return {
    secret: 'secret-number-one',
    otherSecret: 'secret-number-two',
    toleranceS: null,
    needs: [header],
    sign: (body, secret) => ({
      body,
      headers: { [header]: prefix + mac(digest, secret, body).digest(encoding) },
    }),
  }
}

function stamped(
  header: string,
  toleranceS: number,
  write: (time: string, signature: string) => string,
): Signer {
  const isMs = header === 'workos-signature'
  const joint = header === 'paddle-signature' ? ':' : '.'
  return {
    secret: 'whsec_number-one',
    otherSecret: 'whsec_number-two',
    toleranceS,
    needs: [header],
    sign: (body, secret, atMs) => {
      const time = String(isMs ? atMs : Math.floor(atMs / 1000))
      const signature = mac('sha256', secret, `${time}${joint}${body}`).digest('hex')
      return { body, headers: { [header]: write(time, signature) } }
    },
  }
}

function standard(brand: string, keyOf = decoded): Signer {
  return {
    secret: `whsec_${Buffer.from('key number one, 24 bytes').toString('base64')}`,
    otherSecret: `whsec_${Buffer.from('key number two, 24 bytes').toString('base64')}`,
    toleranceS: 300,
    needs: [`${brand}-id`, `${brand}-timestamp`, `${brand}-signature`],
    sign: (body, secret, atMs) => {
      const id = `msg_${mac('sha256', 'id', body).digest('hex').slice(0, 16)}`
      const time = String(Math.floor(atMs / 1000))
      const signature = mac('sha256', keyOf(secret), `${id}.${time}.${body}`).digest('base64')
      const headers = {
        [`${brand}-id`]: id,
        [`${brand}-timestamp`]: time,
        [`${brand}-signature`]: `v1,${signature}`,
      }
      return { body, headers }
    },
  }
}

function decoded(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}

const square: Signer = {
  ...ofBody('x-square-hmacsha256-signature', 'base64', 'sha256'),
  sign: (body, secret) => ({
    body,
    url: address,
    headers: { 'x-square-hmacsha256-signature': mac('sha256', secret, address + body).digest('base64') },
  }),
}

const hubspot: Signer = {
  ...ofBody('x-hubspot-signature-v3', 'base64', 'sha256'),
  toleranceS: 300,
  needs: ['x-hubspot-signature-v3', 'x-hubspot-request-timestamp'],
  sign: (body, secret, atMs) => ({
    body,
    url: address,
    headers: {
      'x-hubspot-signature-v3': mac('sha256', secret, `POST${address}${body}${atMs}`).digest('base64'),
      'x-hubspot-request-timestamp': String(atMs),
    },
  }),
}

const adyenFields = ['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference']

const adyen: Signer = {
  secret: 'aa'.repeat(32),
  otherSecret: 'bb'.repeat(32),
  toleranceS: null,
  needs: [],
  sign: (body, secret) => {
    const payload = JSON.parse(body)
    for (const { NotificationRequestItem: item } of payload.notificationItems) {
      const fields = [
        ...adyenFields.map((name) => item[name] ?? ''),
        item.amount.value,
        item.amount.currency,
        item.eventCode,
        item.success,
      ]
      const signature = mac('sha256', Buffer.from(secret, 'hex'), fields.join(':')).digest('base64')
      item.additionalData = { ...item.additionalData, hmacSignature: signature }
    }
    return { body: JSON.stringify(payload), headers: {} }
  },
}

const pairs = new Map<string, KeyObject>()

/** What is configured is the public key; the vendor keeps the private one. */
function newKeyPair(): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const configured = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  pairs.set(configured, privateKey)
  return configured
}

const sendgridHeader = 'x-twilio-email-event-webhook'
const sendgrid: Signer = {
  secret: newKeyPair(),
  otherSecret: newKeyPair(),
  toleranceS: 300,
  needs: [`${sendgridHeader}-signature`, `${sendgridHeader}-timestamp`],
  sign: (body, secret, atMs) => {
    const time = String(Math.floor(atMs / 1000))
    const key = pairs.get(secret)
    if (key === undefined) throw new Error('sign with a public key of this file')
    const signature = createSign('sha256')
      .update(time + body)
      .sign(key, 'base64')
    return {
      body,
      headers: { [`${sendgridHeader}-signature`]: signature, [`${sendgridHeader}-timestamp`]: time },
    }
  },
}

const shared = (secret: string, otherSecret: string, write: (secret: string) => string): Signer => ({
  secret,
  otherSecret,
  toleranceS: null,
  needs: ['authorization'],
  isStatic: true,
  sign: (body, used) => ({ body, headers: { authorization: write(used) } }),
})

const withV1 = (time: string, signature: string) => `t=${time},v1=${signature}`

export const signers: Readonly<Record<Provider, Signer>> = {
  stripe: stamped('stripe-signature', 300, withV1),
  shopify: ofBody('x-shopify-hmac-sha256', 'base64', 'sha256'),
  paddle: stamped('paddle-signature', 300, (time, signature) => `ts=${time};h1=${signature}`),
  lemonsqueezy: ofBody('x-signature', 'hex', 'sha256'),
  square,
  adyen,
  razorpay: ofBody('x-razorpay-signature', 'hex', 'sha256'),
  polar: standard('webhook', (secret) => Buffer.from(secret)),
  woocommerce: ofBody('x-wc-webhook-signature', 'base64', 'sha256'),
  revenuecat: stamped('x-revenuecat-webhook-signature', 300, withV1),
  chargebee: shared('ci:pass:word', 'ci:other', (login) => `Basic ${Buffer.from(login).toString('base64')}`),
  clerk: standard('svix'),
  workos: stamped('workos-signature', 180, (time, signature) => `t=${time}, v1=${signature}`),
  auth0: shared('token-one', 'token-two', (token) => token),
  standard: standard('webhook'),
  sendgrid,
  resend: standard('svix'),
  hubspot,
  intercom: ofBody('x-hub-signature', 'hex', 'sha1', 'sha1='),
  typeform: ofBody('typeform-signature', 'base64', 'sha256', 'sha256='),
  calendly: stamped('calendly-webhook-signature', 180, withV1),
  calcom: ofBody('x-cal-signature-256', 'hex', 'sha256'),
  github: ofBody('x-hub-signature-256', 'hex', 'sha256', 'sha256='),
  segment: ofBody('x-signature', 'hex', 'sha1'),
}

/** A body that the vendor could have sent, for tests that do not depend on its content. */
export function anyBody(provider: Provider): string {
  if (provider !== 'adyen') return '{"id":"evt_1","text":"wörld"}'
  const item = {
    pspReference: '8835',
    merchantAccountCode: 'Shop',
    merchantReference: 'order-1',
    amount: { value: 1000, currency: 'EUR' },
    eventCode: 'AUTHORISATION',
    success: 'true',
  }
  return JSON.stringify({ live: 'true', notificationItems: [{ NotificationRequestItem: item }] })
}
