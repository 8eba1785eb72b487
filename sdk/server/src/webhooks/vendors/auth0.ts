import { readUtf8 } from '../bytes.ts'
import { at, type Payload, readJson, textAt, timeAt } from '../payload.ts'
import { authorizationSecret } from '../schemes.ts'
import { readObjects, unreadable, type Vendor, type VendorEventParts } from '../vendor.ts'

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
  // The vendor sends what was typed as the token; some type "Bearer" in front of it and some do not.
  verify: authorizationSecret((secret) => [secret, `Bearer ${secret}`]),
  read: (body) => {
    const logs = readLogs(body)
    return logs === undefined ? unreadable : readObjects(logs, describe)
  },
}
