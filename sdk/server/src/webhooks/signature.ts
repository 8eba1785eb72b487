import { type Bytes, readBase64, sameBytes, utf8 } from './bytes.ts'

export type Digest = 'SHA-256' | 'SHA-1'

export async function hmac(digest: Digest, key: Bytes, message: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: digest }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

export async function sha256(message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', message))
}

/** Hashing first makes the lengths equal, so that not even the length of the secret can be measured. */
export async function sameText(a: string, b: string): Promise<boolean> {
  return sameBytes(await sha256(utf8(a)), await sha256(utf8(b)))
}

/** An unreadable public key is distinguished from a wrong signature. */
type PublicKeyAnswer = 'signed' | 'not signed' | 'unreadable key'

/** Ed25519, the asymmetric signature (`v1a`) of Standard Webhooks. */
export async function verifyEd25519(
  publicKey: Bytes,
  signature: Bytes,
  message: Bytes,
): Promise<PublicKeyAnswer> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify'])
    return (await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message))
      ? 'signed'
      : 'not signed'
  } catch {
    return 'unreadable key'
  }
}

const p256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** ECDSA over P-256 with a key in SPKI, as base64 with or without PEM armour, and a signature in DER. */
export async function verifyP256(
  publicKey: string,
  derSignature: Bytes,
  message: Bytes,
): Promise<PublicKeyAnswer> {
  const key = await importP256(publicKey)
  if (key === null) return 'unreadable key'
  const signature = fromDer(derSignature)
  if (signature === null) return 'not signed'
  return (await crypto.subtle.verify(p256, key, signature, message)) ? 'signed' : 'not signed'
}

export async function isP256Key(publicKey: string): Promise<boolean> {
  return (await importP256(publicKey)) !== null
}

async function importP256(publicKey: string) {
  const spki = readBase64(publicKey.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, ''))
  return spki === null
    ? null
    : crypto.subtle.importKey('spki', spki, p256, false, ['verify']).catch(() => null)
}

const scalarBytes = 32

/** Web Crypto expects both numbers at full length, concatenated; DER writes each with its length and sign. */
function fromDer(der: Bytes): Bytes | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
  const r = readInteger(der, 2)
  const s = r === null ? null : readInteger(der, r.end)
  if (r === null || s === null || s.end !== der.length) return null
  const raw = new Uint8Array(scalarBytes * 2)
  raw.set(r.digits, scalarBytes - r.digits.length)
  raw.set(s.digits, scalarBytes * 2 - s.digits.length)
  return raw
}

function readInteger(der: Bytes, at: number): { digits: Bytes; end: number } | null {
  const length = der[at + 1]
  if (der[at] !== 0x02 || length === undefined || length === 0) return null
  const end = at + 2 + length
  if (end > der.length) return null
  const digits = der.slice(at + 2, end)
  const firstDigit = digits.findIndex((byte) => byte !== 0)
  const significant = firstDigit === -1 ? digits.slice(0, 0) : digits.slice(firstDigit)
  return significant.length > scalarBytes ? null : { digits: significant, end }
}
