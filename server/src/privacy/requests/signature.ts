import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign,
  timingSafeEqual,
} from 'node:crypto'

/** A key of this installation, whose public half anyone may have. */
export type SigningKey = {
  id: string
  /** The public half, as in a JSON Web Key. */
  x: string
  sign: (text: string) => string
  privateKey: KeyObject
}

/** RFC 8410: what stands before the 32 bytes of an Ed25519 private key in PKCS #8. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const keyIdHexDigits = 16

/** All nodes make the same key of the secret that they share. */
export function signingKeyOf(secretHex: string): SigningKey {
  const der = Buffer.concat([pkcs8Prefix, Buffer.from(secretHex, 'hex')])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    id: hash('sha256', x, 'hex').slice(0, keyIdHexDigits),
    x,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
    privateKey,
  }
}

/** The headers of Standard Webhooks, signed by key pair (v1a), so that no shared secret is needed. */
export function webhookHeaders(
  key: SigningKey,
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1a,${key.sign(`${id}.${timestampSeconds}.${body}`)}`,
  }
}

/** How Standard Webhooks write a public key. */
export function webhookKeyOf({ x }: SigningKey): string {
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

/** Links that work for a while without a key, and digests that only this installation can make. */
export type Links = {
  /** Of what was asked: keyed, since whom it is about could be found out from a plain one by trying. */
  digestOf: (text: string) => string
  signatureOf: (id: string, expiresMs: number) => string
  isValid: (id: string, expiresMs: number, signature: string) => boolean
}

export function linksOf(secretHex: string): Links {
  const digest = (id: string, expiresMs: number) =>
    createHmac('sha256', secretHex).update(`${id}.${expiresMs}`).digest()
  return {
    digestOf: (text) => createHmac('sha256', secretHex).update(`asked ${text}`).digest('hex'),
    signatureOf: (id, expiresMs) => digest(id, expiresMs).toString('base64url'),
    isValid(id, expiresMs, signature) {
      const given = Buffer.from(signature, 'base64url')
      const right = digest(id, expiresMs)
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
