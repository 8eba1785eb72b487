import { type Bytes, concat, readBase64, readHex, sameBytes, utf8 } from './bytes.ts'
import { type Digest, hmac, sameText } from './signature.ts'
import {
  malformedHeader,
  mismatch,
  missingHeader,
  type Refused,
  refusalByTime,
  refuse,
  type Signed,
  type Verification,
  type Verify,
} from './verification.ts'

type Encoding = 'hex' | 'base64'

function decode(encoding: Encoding, text: string): Bytes | null {
  return encoding === 'hex' ? readHex(text) : readBase64(text)
}

/** The keys that a configured secret may mean. Most vendors use its characters as they are. */
export type KeysOf = (secret: string) => readonly Bytes[]

export const literalKey: KeysOf = (secret) => [utf8(secret)]

/** Which secret made one of these signatures over this message; null when none did. */
export async function findSigner(
  secrets: readonly string[],
  keysOf: KeysOf,
  digest: Digest,
  message: Bytes,
  signatures: readonly Bytes[],
): Promise<number | null> {
  for (const [index, secret] of secrets.entries()) {
    for (const key of keysOf(secret)) {
      // Anyone can sign with an empty key.
      if (key.length === 0) continue
      const expected = await hmac(digest, key, message)
      if (signatures.some((signature) => sameBytes(signature, expected))) return index
    }
  }
  return null
}

type BodyHmac = {
  /** Header names, the preferred one first; the first that is present is used. */
  headers: readonly [string, ...string[]]
  prefix?: string
  encoding: Encoding
  digest: Digest
  keysOf?: KeysOf
  /** What is signed, if it is more than the body. */
  message?: (signed: Signed) => Bytes | Refused
}

/** One signature in a header over the body, without a time: a replay is recognised only by its body. */
export function bodyHmac(scheme: BodyHmac): Verify {
  return async (signed) => {
    const name = scheme.headers.find((header) => signed.header(header) !== undefined)
    const value = name === undefined ? undefined : signed.header(name)
    if (name === undefined || value === undefined) return missingHeader(scheme.headers[0])
    const prefix = scheme.prefix ?? ''
    const signature = value.startsWith(prefix) ? decode(scheme.encoding, value.slice(prefix.length)) : null
    if (signature === null) return malformedHeader(name)
    const message = scheme.message?.(signed) ?? concat(signed.body)
    if ('ok' in message) return message
    const keysOf = scheme.keysOf ?? literalKey
    const secretIndex = await findSigner(signed.secrets, keysOf, scheme.digest, message, [signature])
    return secretIndex === null ? mismatch : { ok: true, secretIndex, signedAt: null }
  }
}

type StampedHmac = {
  header: string
  /** Separator of the header's parts: `t=…,v1=…` or `ts=…;h1=…`. */
  separator: ',' | ';'
  timeName: string
  signatureName: string
  /** Separator of time and body in the signed text. */
  joint: '.' | ':'
  unit: 's' | 'ms'
  toleranceS: number
}

/** A time and one or more signatures in one header, over time and body. */
export function stampedHmac(scheme: StampedHmac): Verify {
  return async (signed) => {
    const value = signed.header(scheme.header)
    if (value === undefined) return missingHeader(scheme.header)
    const stamp = readStamp(value, scheme)
    if (stamp === null) return malformedHeader(scheme.header)
    const message = concat(stamp.time, scheme.joint, signed.body)
    const secretIndex = await findSigner(signed.secrets, literalKey, 'SHA-256', message, stamp.signatures)
    if (secretIndex === null) return mismatch
    return withTime(signed, secretIndex, readStampMs(stamp.time, scheme.unit), scheme.toleranceS)
  }
}

/** Checked after the signature, so that a wrong clock is not mistaken for a wrong secret. */
export function withTime(
  signed: Signed,
  secretIndex: number,
  signedAt: number,
  toleranceDefaultS: number,
): Verification {
  const refusal = refusalByTime(signedAt, signed.nowMs, signed.toleranceS ?? toleranceDefaultS)
  return refusal ?? { ok: true, secretIndex, signedAt }
}

type Stamp = { time: string; signatures: readonly Bytes[] }

function readStamp(value: string, { separator, timeName, signatureName }: StampedHmac): Stamp | null {
  const parts = value.split(separator).map((part): [string, string] => {
    const equals = part.indexOf('=')
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()]
  })
  const times = parts.filter(([name]) => name === timeName).map(([, text]) => text)
  // Other names are other versions of the scheme, or later additions of the vendor.
  const signatures = parts.flatMap(([name, text]) => (name === signatureName ? (readHex(text) ?? []) : []))
  const [time] = times
  if (times.length !== 1 || time === undefined || !isStamp(time) || signatures.length === 0) return null
  return { time, signatures }
}

/** Fifteen digits reach far beyond any date and are still exact as a number. */
export function isStamp(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}

export function readStampMs(text: string, unit: 's' | 'ms'): number {
  return Number(text) * (unit === 's' ? 1000 : 1)
}

/** The index of the matching secret; each is compared in constant time. */
export async function findShared(
  secrets: readonly string[],
  isKnown: (secret: string) => Promise<boolean>,
): Promise<number | null> {
  for (const [index, secret] of secrets.entries()) if (await isKnown(secret)) return index
  return null
}

/** A secret that the vendor sends in the header `Authorization`, as the customer entered it. */
export function authorizationSecret(accepts: (secret: string) => readonly string[]): Verify {
  return async ({ header, secrets }) => {
    const sent = header('authorization')
    if (sent === undefined) return missingHeader('Authorization')
    const secretIndex = await findShared(secrets, async (secret) => {
      const answers = await Promise.all(accepts(secret).map((value) => sameText(value, sent)))
      return answers.includes(true)
    })
    return secretIndex === null ? mismatch : { ok: true, secretIndex, signedAt: null }
  }
}

export function requireUrl({ url }: Signed): string | Refused {
  if (url !== undefined && url !== '') return url
  return refuse(
    'url_missing',
    'This vendor signs the address of the endpoint: give it as it is registered there.',
  )
}
