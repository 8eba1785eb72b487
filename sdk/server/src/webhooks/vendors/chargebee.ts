import { readBase64, readUtf8 } from '../bytes.ts'
import { textAt, timeAt } from '../payload.ts'
import { findShared } from '../schemes.ts'
import { sameText } from '../signing.ts'
import { readObject, type Vendor } from '../vendor.ts'
import {
  malformedHeader,
  mismatch,
  missingHeader,
  refuse,
  type Signed,
  type Verification,
} from '../verification.ts'

type Login = { user: string; password: string }

/** A password may hold colons, a user name may not. */
function readLogin(text: string): Login | null {
  const colon = text.indexOf(':')
  return colon <= 0 || colon === text.length - 1
    ? null
    : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Chargebee does not sign: it sends the login of the endpoint, which is configured as `user:password`. */
async function verify({ header, secrets }: Signed): Promise<Verification> {
  if (secrets.some((secret) => readLogin(secret) === null)) {
    return refuse('secret_unreadable', 'Configure the Basic login of the webhook as user:password.')
  }
  const sent = header('authorization')
  if (sent === undefined) return missingHeader('Authorization')
  const bytes = /^basic /i.test(sent) ? readBase64(sent.slice('basic '.length).trim()) : null
  const login = readLogin((bytes && readUtf8(bytes)) ?? '')
  if (login === null) return malformedHeader('Authorization')
  const secretIndex = await findShared(secrets, async (secret) => {
    const known = readLogin(secret)
    const answers = await Promise.all([
      sameText(known?.user ?? '', login.user),
      sameText(known?.password ?? '', login.password),
    ])
    return !answers.includes(false)
  })
  return secretIndex === null ? mismatch : { ok: true, secretIndex, signedAt: null }
}

export const chargebee: Vendor = {
  provider: 'chargebee',
  verify,
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'occurred_at', 's') ?? null,
    })),
}
