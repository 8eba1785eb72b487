import { readUtf8 } from '../bytes.ts'
import { identify, known, mapped, type Normalised, unmapped, type Who } from '../normal-form.ts'
import { at, firstText, listAt, type Payload, readJson, textAt, timeAt } from '../payload.ts'
import { authorizationSecret } from '../schemes.ts'
import { readObjects, unreadable, type Vendor, type VendorEvent, type VendorEventParts } from '../vendor.ts'

/** JSON Lines by default; the customer may choose an array or an object instead. */
function readLogs(body: Uint8Array): unknown {
  const whole = readJson(body)
  if (Array.isArray(whole)) return whole
  if (whole !== undefined) return at(whole, 'logs') ?? [whole]
  const lines = (readUtf8(body) ?? '').split('\n').filter((line) => line.trim() !== '')
  try {
    return lines.map((line): unknown => JSON.parse(line))
  } catch {
    return undefined
  }
}

function describe(log: Payload): VendorEventParts | null {
  const type = textAt(log, 'data.type') ?? textAt(log, 'type')
  if (type === undefined) return null
  return {
    id: textAt(log, 'log_id') ?? textAt(log, 'id') ?? null,
    type,
    occurredAt: timeAt(log, 'data.date', 'iso') ?? timeAt(log, 'time', 'iso') ?? null,
  }
}

export const auth0: Vendor = {
  provider: 'auth0',
  normalise,
  // The vendor sends the token as entered, with or without "Bearer".
  verify: authorizationSecret((secret) => [secret, `Bearer ${secret}`]),
  read: (body) => {
    const logs = readLogs(body)
    return logs === undefined ? unreadable : readObjects(logs, describe)
  },
}

/** Logs of exchanged tokens (`seacft`, `sertft`, `ssa`) follow every login many times and add nothing. */
function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  const who: Who = { userId: textAt(data, 'user_id'), email: emailOf(data) }
  const method = firstText(data, 'connection', 'strategy') ?? 'auth0'
  const context = known({ ip: textAt(data, 'ip'), userAgent: textAt(data, 'user_agent') })
  switch (type) {
    case 'ss':
      return mapped({ event: '$signup', key: `log:${id}`, who, occurredAt, properties: { method }, context })
    case 's': {
      const hadSecondFactor = listAt(data, 'details.prompts').some(
        (prompt) => textAt(prompt, 'name') === 'mfa',
      )
      const properties = { method, two_factor: hadSecondFactor }
      return mapped({ event: '$login', key: `log:${id}`, who, occurredAt, properties, context })
    }
    case 'sdu':
      return mapped({
        event: '$churn',
        key: `log:${id}`,
        who,
        occurredAt,
        properties: { reason: 'account_deleted' },
      })
    // The duration of the session is not sent.
    case 'slo':
      return unmapped('incomplete')
    case 'user.created':
    case 'user.updated':
      return person(at(data, 'object'), id, occurredAt, type === 'user.created')
    default:
      return unmapped('no_rule')
  }
}

function emailOf(data: unknown): string | undefined {
  const name = firstText(data, 'details.request.auth.user.email', 'details.response.body.email', 'user_name')
  return name?.includes('@') ? name : undefined
}

/** Event Streams, the newer alternative to log streams, report people but not logins. */
function person(user: unknown, id: string | null, occurredAt: number | null, isNew: boolean): Normalised {
  const email = textAt(user, 'email')
  const who: Who = { userId: textAt(user, 'user_id'), email }
  const content = identify(`identify:${id}`, who, occurredAt, { email, name: textAt(user, 'name') })
  if (!isNew) return mapped(content)
  const properties = { method: textAt(user, 'identities.0.connection') ?? 'auth0' }
  return mapped({ event: '$signup', key: `user:${who.userId}:signup`, who, occurredAt, properties }, content)
}
