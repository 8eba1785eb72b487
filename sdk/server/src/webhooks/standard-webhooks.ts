import { type Bytes, concat, readBase64, utf8 } from './bytes.ts'
import { findSigner, isStamp, type KeysOf, readStampMs, withTime } from './schemes.ts'
import { verifyEd25519 } from './signature.ts'
import {
  malformedHeader,
  mismatch,
  missingHeader,
  type Refused,
  refuse,
  type Signed,
  type Verify,
} from './verification.ts'

const secretPrefix = 'whsec_'
const publicKeyPrefix = 'whpk_'
/** The specification's tolerance, in both directions. */
const toleranceS = 300

type StandardScheme = {
  /** `webhook` is the specification's own, `svix` the one of its first implementation. */
  brands: readonly ('webhook' | 'svix')[]
  keysOf?: KeysOf
}

/** Standard Webhooks: id, time and body are signed, and the header has one signature for each active key. */
export function standardWebhooks({ brands, keysOf = decodedKey }: StandardScheme): Verify {
  return async (signed) => {
    const stamp = readStamp(signed, brands)
    if ('ok' in stamp) return stamp
    const message = concat(stamp.id, '.', stamp.time, '.', signed.body)
    const isReadable = signed.secrets.some((secret) => isPublicKey(secret) || keysOf(secret).length > 0)
    if (!isReadable) return refuse('secret_unreadable', notBase64)
    const secretIndex =
      (await findSigner(signed.secrets, withoutPublicKeys(keysOf), 'SHA-256', message, stamp.hmacs)) ??
      (await findPublicKey(signed.secrets, message, stamp.ed25519s))
    if (secretIndex === null) return mismatch
    return withTime(signed, secretIndex, readStampMs(stamp.time, 's'), toleranceS)
  }
}

const notBase64 = 'The secret should be whsec_ and base64, as the vendor shows it.'

export function standardSecretRefusal(secret: string): string | null {
  const isPublic = isPublicKey(secret) && readBase64(secret.slice(publicKeyPrefix.length)) !== null
  return isPublic || (!isPublicKey(secret) && decodedKey(secret).length > 0) ? null : notBase64
}

/** The usual key: base64 after the prefix. Empty when it is missing or not base64. */
const decodedKey: KeysOf = (secret) => {
  const key = readBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret)
  return key === null ? [] : [key]
}

/**
 * Polar's secrets look like those of the specification, but its server uses all characters, prefix included,
 * as the key; a change is announced, so both are tried.
 */
export const literalOrDecodedKey: KeysOf = (secret) => [utf8(secret), ...decodedKey(secret)]

const isPublicKey = (secret: string) => secret.startsWith(publicKeyPrefix)

/** A public key is not secret, so it must not be accepted as an HMAC key. */
function withoutPublicKeys(keysOf: KeysOf): KeysOf {
  return (secret) => (isPublicKey(secret) ? [] : keysOf(secret))
}

async function findPublicKey(
  secrets: readonly string[],
  message: Bytes,
  signatures: readonly Bytes[],
): Promise<number | null> {
  for (const [index, secret] of secrets.entries()) {
    const key = isPublicKey(secret) ? readBase64(secret.slice(publicKeyPrefix.length)) : null
    if (key === null) continue
    for (const signature of signatures) {
      if ((await verifyEd25519(key, signature, message)) === 'signed') return index
    }
  }
  return null
}

type Stamp = { id: string; time: string; hmacs: Bytes[]; ed25519s: Bytes[] }

/** All three headers of one brand: mixing them would let a sender choose. */
function readStamp(signed: Signed, brands: StandardScheme['brands']): Stamp | Refused {
  const [first = 'webhook'] = brands
  const brand = brands.find((name) => signed.header(`${name}-signature`) !== undefined) ?? first
  const [id, time, list] = ['id', 'timestamp', 'signature'].map((part) => signed.header(`${brand}-${part}`))
  if (id === undefined) return missingHeader(`${brand}-id`)
  if (time === undefined) return missingHeader(`${brand}-timestamp`)
  if (list === undefined) return missingHeader(`${brand}-signature`)
  // The dot joins the signed parts: inside one of them it could move the border between them.
  if (id.includes('.')) return malformedHeader(`${brand}-id`)
  if (!isStamp(time)) return malformedHeader(`${brand}-timestamp`)
  const ofVersion = (version: string) =>
    list
      .split(' ')
      .flatMap((part) =>
        part.startsWith(`${version},`) ? (readBase64(part.slice(version.length + 1)) ?? []) : [],
      )
  const stamp = { id, time, hmacs: ofVersion('v1'), ed25519s: ofVersion('v1a') }
  const isEmpty = stamp.hmacs.length + stamp.ed25519s.length === 0
  return isEmpty ? malformedHeader(`${brand}-signature`) : stamp
}
