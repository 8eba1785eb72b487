import { type WebhookProvider, webhookProviders } from '../../../../contract/src/ingest/webhook-providers.ts'
import type { Clock } from '../clock.ts'

export const providers = webhookProviders
export type Provider = WebhookProvider

export function isProvider(text: string): text is Provider {
  return providers.some((provider) => provider === text)
}

/** Headers as fetch, Node or a plain object give them. */
export type HeadersLike =
  | { get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** All active secrets; during a rotation the new and the old one. */
  secrets: readonly string[]
  now?: Clock
  /**
   * Maximum difference between the vendor's signed time and ours, in both directions. Each vendor has a
   * default.
   */
  toleranceS?: number
  /** The URL exactly as registered at the vendor, for those who sign it. Never taken from the request. */
  url?: string
}

const refusalReasons = [
  'secret_missing',
  'secret_unreadable',
  'url_missing',
  'body_not_bytes',
  'body_empty',
  'body_unreadable',
  'batch_not_signed',
  'header_missing',
  'header_malformed',
  'signature_mismatch',
  'timestamp_too_old',
  'timestamp_in_future',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

export type Refused = { ok: false; reason: RefusalReason; detail: string }
type Accepted = {
  ok: true
  /** Which secret matched: if it is not the first, the vendor still uses an old one. */
  secretIndex: number
  /** The vendor's signed time of sending in ms, where there is one. */
  signedAt: number | null
}
export type Verification = Accepted | Refused

/** The verified delivery, with the vendor's own id and time if it has them. */
export type Verified = Accepted & { eventId: string | null; occurredAt: number | null }

export function refuse(reason: RefusalReason, detail: string): Refused {
  return { ok: false, reason, detail }
}

/** A delivery to verify, with all options. */
export type Signed = {
  body: Uint8Array
  /** The header's value, trimmed; undefined when it is absent or empty. */
  header: (name: string) => string | undefined
  secrets: readonly string[]
  nowMs: number
  toleranceS: number | undefined
  url: string | undefined
}

export type Verify = (signed: Signed) => Promise<Verification>

export function readHeader(headers: HeadersLike, name: string): string | undefined {
  const value = headerValue(headers, name)
  const text = typeof value === 'string' ? value : value?.join(',')
  const trimmed = text?.trim()
  return trimmed === undefined || trimmed === '' ? undefined : trimmed
}

function headerValue(headers: HeadersLike, name: string): string | readonly string[] | undefined {
  if (isGetter(headers)) return headers.get(name) ?? undefined
  const own = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (own !== undefined) return own
  const spelled = Object.keys(headers).find((key) => key.toLowerCase() === name)
  return spelled === undefined ? undefined : headers[spelled]
}

function isGetter(headers: HeadersLike): headers is { get: (name: string) => string | null } {
  return typeof headers.get === 'function'
}

/** Checks that apply to every scheme; null when they pass. */
export function refusalBeforeScheme({ body, secrets }: Signed): Refused | null {
  if (!(body instanceof Uint8Array)) {
    return refuse(
      'body_not_bytes',
      'Pass the bytes of the request as they came, not a parsed or decoded body.',
    )
  }
  if (secrets.length === 0 || secrets.some((secret) => secret.trim() === '')) {
    return refuse(
      'secret_missing',
      'Configure at least one secret, and none that is empty: anyone could sign with it.',
    )
  }
  return body.length === 0 ? refuse('body_empty', 'The delivery has no body.') : null
}

/** Both directions count: a time in the future would stay valid until it has passed. */
export function refusalByTime(signedAt: number, nowMs: number, toleranceS: number): Refused | null {
  const ageMs = nowMs - signedAt
  if (Math.abs(ageMs) <= toleranceS * 1000) return null
  const seconds = Math.round(Math.abs(ageMs) / 1000)
  return ageMs > 0
    ? refuse('timestamp_too_old', `It was signed ${seconds} s ago; at most ${toleranceS} s are allowed.`)
    : refuse(
        'timestamp_in_future',
        `It was signed ${seconds} s ahead of our clock; at most ${toleranceS} s are allowed.`,
      )
}

export function missingHeader(name: string): Refused {
  return refuse('header_missing', `The header ${name} is missing.`)
}

export function malformedHeader(name: string): Refused {
  return refuse('header_malformed', `The header ${name} cannot be read.`)
}

export const mismatch: Refused = refuse(
  'signature_mismatch',
  'No secret fits the signature: either the secret is another one, or the body was changed on its way.',
)
