import { fullName, identify, known, mapped, type Normalised, unmapped, type Who } from '../normal-form.ts'
import { at, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const workos: Vendor = {
  provider: 'workos',
  normalise,
  // Milliseconds, where nearly all others use seconds; the vendor's own tolerance is three minutes.
  verify: stampedHmac({
    header: 'workos-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 'ms',
    toleranceS: 180,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}

const signedIn = /^authentication\.(password|oauth|sso|magic_auth|passkey|email_verification)_succeeded$/

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  const who: Who = { userId: textAt(data, 'user_id'), email: textAt(data, 'email') }
  const method = signedIn.exec(type)?.[1]
  if (method !== undefined) {
    const properties = { method: textAt(data, 'type') ?? method }
    return mapped({ event: '$login', key: `login:${id}`, who, occurredAt, properties })
  }
  switch (type) {
    case 'user.created':
    case 'user.updated':
      return person(data, id, occurredAt, type === 'user.created')
    // The first factor was reported a moment before, and one login is counted.
    case 'authentication.mfa_succeeded':
      return unmapped('told_elsewhere')
    case 'session.created':
      return mapped({
        event: '$session_start',
        key: `session:${textAt(data, 'id')}:start`,
        who,
        occurredAt,
        properties: known({ session_id: textAt(data, 'id') }),
      })
    case 'session.revoked':
      return signOut(data, who, occurredAt)
    case 'invitation.created':
      return mapped({
        event: '$invite',
        key: `invitation:${textAt(data, 'id')}`,
        who: { userId: textAt(data, 'inviter_user_id') },
        occurredAt,
        properties: known({ channel: 'email', invite_code: textAt(data, 'id') }),
      })
    default:
      return unmapped('no_rule')
  }
}

function person(data: unknown, id: string | null, occurredAt: number | null, isNew: boolean): Normalised {
  const userId = textAt(data, 'external_id') ?? textAt(data, 'id')
  const email = textAt(data, 'email')
  const who: Who = { userId, email }
  const name = fullName(textAt(data, 'first_name'), textAt(data, 'last_name'))
  const known = identify(`identify:${id}`, who, occurredAt, { email, name })
  if (!isNew) return mapped(known)
  const properties = { method: 'workos' }
  return mapped({ event: '$signup', key: `user:${userId}:signup`, who, occurredAt, properties }, known)
}

function signOut(data: unknown, who: Who, occurredAt: number | null): Normalised {
  const startedAt = timeAt(data, 'created_at', 'iso')
  if (startedAt === undefined || occurredAt === null) return unmapped('incomplete')
  const properties = known({
    session_id: textAt(data, 'id'),
    duration_ms: Math.max(0, occurredAt - startedAt),
  })
  return mapped({
    event: '$session_end',
    key: `session:${textAt(data, 'id')}:end`,
    who,
    occurredAt,
    properties,
  })
}
