import { randomBytes } from 'node:crypto'
import {
  type CryptoKey,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { Clock } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import { locks } from '../../store/locks.ts'
import { deleteSigningKeys, insertSigningKey, type SigningKeyRow, selectSigningKeys } from './store.ts'

/** Decisions §2. Short, since other services may take a token at its word; here an ended session ends it at once. */
export const accessTokenSeconds = 15 * 60
/** A key that leaks unnoticed is of use for a month at most. */
const keyDaysMax = 30
/** Longer than any node signs with a key after another node retired it, and any token lives after that. */
const retiredHoursKept = 24
/** A made-up key id must not make us ask the store each time. */
const reloadMsMin = 5_000

const algorithm = 'ES256'
const audience = 'assay'
const tokenType = 'at+jwt'

export type AccessClaims = { userId: string; sessionId: string }

export type AccessTokens = {
  issue: (claims: AccessClaims) => Promise<string>
  /** Whose it is; null unless every part of it holds. */
  read: (token: string) => Promise<AccessClaims | null>
  /** The public keys, to verify tokens elsewhere. */
  published: () => JSONWebKeySet
  /** Makes a new key when the present one is old enough, and lets go of those that nothing needs any more. */
  rotate: () => Promise<void>
}

type Key = { kid: string; retired: boolean; publicJwk: JWK; publicKey: CryptoKey; privateKey: CryptoKey }

/** `issuer` names this installation; nodes that share a control store must agree on it. */
export async function createAccessTokens(
  control: Control,
  now: Clock,
  issuer: string,
): Promise<AccessTokens> {
  let keys: readonly Key[] = []
  let loadedAtMs = 0
  const load = async () => {
    loadedAtMs = now()
    keys = await Promise.all((await selectSigningKeys(control)).map(toKey))
  }
  const rotate = async () => {
    await control.exclusively(locks.rotationOfTokenKeys, () => rotateKeys(control, now()))
    await load()
  }
  await rotate()

  async function keyFor(kid: string | undefined): Promise<CryptoKey> {
    if (!keys.some((key) => key.kid === kid) && now() - loadedAtMs >= reloadMsMin) await load()
    const key = keys.find((known) => known.kid === kid)
    if (key === undefined) throw new errors.JWKSNoMatchingKey()
    return key.publicKey
  }

  return {
    rotate,
    published: () => ({ keys: keys.map(({ publicJwk }) => publicJwk) }),
    async issue({ userId, sessionId }) {
      const key = keys.find(({ retired }) => !retired)
      if (key === undefined) throw new Error('there is always a key to sign with: rotate makes one')
      const issuedAt = Math.floor(now() / 1000)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: tokenType })
        .setSubject(userId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + accessTokenSeconds)
        .sign(key.privateKey)
    },
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, ({ kid }) => keyFor(kid), {
          algorithms: [algorithm],
          audience,
          issuer,
          typ: tokenType,
          requiredClaims: ['exp', 'sub', 'sid'],
          currentDate: new Date(now()),
        })
        const { sub, sid } = payload
        return typeof sub === 'string' && typeof sid === 'string' ? { userId: sub, sessionId: sid } : null
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

async function toKey({ kid, private_jwk, retired_at }: SigningKeyRow): Promise<Key> {
  const { d: _private, ...publicPart } = private_jwk
  const publicJwk = { ...publicPart, kid, alg: algorithm, use: 'sig' }
  return {
    kid,
    retired: retired_at !== null,
    publicJwk,
    publicKey: await importPart(publicJwk),
    privateKey: await importPart(private_jwk),
  }
}

async function importPart(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm)
  if (key instanceof Uint8Array) throw new Error('a key of an elliptic curve is never plain bytes')
  return key
}

async function rotateKeys(control: Control, nowMs: number): Promise<void> {
  await deleteSigningKeys(control, new Date(nowMs - retiredHoursKept * 3_600_000))
  const current = (await selectSigningKeys(control)).find(({ retired_at }) => retired_at === null)
  if (current !== undefined && nowMs - current.created_at.getTime() < keyDaysMax * dayMs) return
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const private_jwk = await exportJWK(privateKey)
  const kid = randomBytes(8).toString('hex')
  await control.transaction((sql) => insertSigningKey(sql, { kid, private_jwk, created_at: new Date(nowMs) }))
}
