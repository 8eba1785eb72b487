import { systemClock } from '../clock.ts'
import { eventsToChoose } from './event-choice.ts'
import { type Folded, factKey, foldFact, type Memory } from './facts.ts'
import type { Fact, Normalised, NormalisedEvent, Payment, UnmappedReason } from './normal-form.ts'
import { foldPayment, type PaymentMemory } from './payment.ts'
import { type TrackEvent, toTrackEvent as toTrack } from './track-event.ts'
import type { Vendor, VendorEvent } from './vendor.ts'
import { adyen } from './vendors/adyen.ts'
import { auth0 } from './vendors/auth0.ts'
import { calcom } from './vendors/calcom.ts'
import { calendly } from './vendors/calendly.ts'
import { chargebee } from './vendors/chargebee.ts'
import { clerk } from './vendors/clerk.ts'
import { github } from './vendors/github.ts'
import { hubspot } from './vendors/hubspot.ts'
import { intercom } from './vendors/intercom.ts'
import { lemonsqueezy } from './vendors/lemonsqueezy.ts'
import { paddle } from './vendors/paddle.ts'
import { polar } from './vendors/polar.ts'
import { razorpay } from './vendors/razorpay.ts'
import { resend } from './vendors/resend.ts'
import { revenuecat } from './vendors/revenuecat.ts'
import { segment } from './vendors/segment.ts'
import { sendgrid } from './vendors/sendgrid.ts'
import { shopify } from './vendors/shopify.ts'
import { square } from './vendors/square.ts'
import { standard } from './vendors/standard.ts'
import { stripe } from './vendors/stripe.ts'
import { typeform } from './vendors/typeform.ts'
import { woocommerce } from './vendors/woocommerce.ts'
import { workos } from './vendors/workos.ts'
import {
  type HeadersLike,
  isProvider,
  type Provider,
  providers,
  type RefusalReason,
  type Refused,
  readHeader,
  refusalBeforeScheme,
  type Signed,
  type Verified,
  type VerifyOptions,
} from './verification.ts'

export {
  eventsToChoose,
  type Fact,
  type Folded,
  factKey,
  foldFact,
  foldPayment,
  type HeadersLike,
  isProvider,
  type Memory,
  type Normalised,
  type NormalisedEvent,
  type Payment,
  type PaymentMemory,
  type Provider,
  providers,
  type RefusalReason,
  type Refused,
  type TrackEvent,
  type UnmappedReason,
  type VendorEvent,
  type Verified,
  type VerifyOptions,
}

const vendors: Readonly<Record<Provider, Vendor>> = {
  stripe,
  shopify,
  paddle,
  lemonsqueezy,
  square,
  adyen,
  razorpay,
  polar,
  woocommerce,
  revenuecat,
  chargebee,
  clerk,
  workos,
  auth0,
  standard,
  sendgrid,
  resend,
  hubspot,
  intercom,
  typeform,
  calendly,
  calcom,
  github,
  segment,
}

/**
 * Verifies, on the raw bytes, that a delivery comes from the vendor. Never throws for input: the result is
 * yes, with the vendor's id and time, or no, with the reason.
 */
export async function verifyWebhook(
  provider: Provider,
  rawBody: Uint8Array,
  headers: HeadersLike,
  options: VerifyOptions,
): Promise<Verified | Refused> {
  const vendor = vendors[provider]
  const signed = toSigned(rawBody, headers, options)
  const verification = refusalBeforeScheme(signed) ?? (await vendor.verify(signed))
  if (!verification.ok) return verification
  const events = vendor.read(rawBody, signed.header)
  const first = 'ok' in events ? undefined : events[0]
  return { ...verification, eventId: first?.id ?? null, occurredAt: first?.occurredAt ?? null }
}

/** The events of a delivery. Call it only for verified deliveries. */
export function readWebhook(
  provider: Provider,
  rawBody: Uint8Array,
  headers: HeadersLike,
): readonly VendorEvent[] | Refused {
  return vendors[provider].read(rawBody, (name) => readHeader(headers, name))
}

/** The standard events for one of them. */
export function normaliseWebhook(provider: Provider, event: VendorEvent): Normalised {
  return vendors[provider].normalise(event)
}

/** The event as `/v1/track` accepts it. `account` distinguishes several accounts with the same vendor. */
export function toTrackEvent(
  provider: Provider,
  source: Pick<VendorEvent, 'id' | 'type'>,
  event: NormalisedEvent,
  account = '',
): Promise<TrackEvent> {
  return toTrack(vendors[provider], source, event, account)
}

export type Received =
  | Refused
  | {
      ok: true
      /** Ready for `track` or `batch`; sending them twice counts once. */
      events: readonly TrackEvent[]
      /** Deliveries that gave no event, and why. */
      left: readonly { id: string | null; type: string; reason: UnmappedReason | 'test' | 'handshake' }[]
    }

/**
 * All in one, for your own endpoint: verifies, reads and derives events. It has no memory, so a change of
 * plan is only found if the vendor names both plans; the product's own endpoint has one.
 */
export async function receiveWebhook(
  provider: Provider,
  rawBody: Uint8Array,
  headers: HeadersLike,
  options: VerifyOptions & { account?: string; withTests?: boolean },
): Promise<Received> {
  if (isHandshake(provider, rawBody, headers)) return { ok: true, events: [], left: [] }
  const verification = await verifyWebhook(provider, rawBody, headers, options)
  if (!verification.ok) return verification
  const received = readWebhook(provider, rawBody, headers)
  if ('ok' in received) return received
  const events: TrackEvent[] = []
  const left: { id: string | null; type: string; reason: UnmappedReason | 'test' | 'handshake' }[] = []
  for (const event of received) {
    const { id, type } = event
    const leaving = event.isHandshake
      ? 'handshake'
      : event.isTest && options.withTests !== true
        ? 'test'
        : null
    const normalised = leaving === null ? normaliseWebhook(provider, event) : nothing
    const { events: made, facts, unmapped } = withoutMemory(normalised)
    const known = [...made, ...facts.flatMap((fact) => foldFact(null, fact).events)]
    const reason = leaving ?? unmapped ?? (known.length === 0 ? 'incomplete' : null)
    if (reason !== null) left.push({ id, type, reason })
    for (const one of known) events.push(await toTrackEvent(provider, event, one, options.account))
  }
  return { ok: true, events, left }
}

/** Whether another delivery reports the same payment, or the same refund, is not known here. */
function withoutMemory(normalised: Normalised): Normalised {
  const { payment } = normalised
  const isUnsure = payment?.role === 'fallback' || payment?.refund?.id === null
  return isUnsure ? { ...nothing, unmapped: 'told_elsewhere' } : normalised
}

const nothing: Normalised = { events: [], facts: [], unmapped: null, orderToWaitFor: null }

/** An unsigned call that only tests the endpoint; answer it with 200 and do nothing. */
export function isHandshake(provider: Provider, rawBody: Uint8Array, headers: HeadersLike): boolean {
  return vendors[provider].isHandshake?.(rawBody, (name) => readHeader(headers, name)) ?? false
}

/** Why a text cannot be a secret of this vendor, to be checked when it is configured; null when it can. */
export async function secretRefusal(provider: Provider, secret: string): Promise<string | null> {
  if (secret.trim() === '') return 'The secret is empty: anyone could sign with it.'
  return (await vendors[provider].secretRefusal?.(secret)) ?? null
}

/** Whether this vendor signs the registered URL, so that it is needed for verification. */
export function signsAddress(provider: Provider): boolean {
  return provider === 'square' || provider === 'hubspot'
}

function toSigned(body: Uint8Array, headers: HeadersLike, options: VerifyOptions): Signed {
  return {
    body,
    header: (name) => readHeader(headers, name),
    secrets: options.secrets,
    nowMs: (options.now ?? systemClock)(),
    toleranceS: options.toleranceS,
    url: options.url,
  }
}
