import { createHmac, randomBytes } from 'node:crypto'

/** A secret and, once it was replaced, until when it still signs. */
export type SigningSecret = { secret: string; untilMs: number | null }

const prefix = 'whsec_'
/** Standard Webhooks ask for 24 to 64 bytes. */
const secretBytes = 32

export const makeSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

export function validAt(secrets: readonly SigningSecret[], atMs: number): readonly SigningSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs)
}

/** The new one first; those before as long as they are kept, and never longer than they were to be kept already. */
export function rotated(
  secrets: readonly SigningSecret[],
  secret: string,
  nowMs: number,
  keepMs: number,
): readonly SigningSecret[] {
  const untilMs = nowMs + keepMs
  const previous = validAt(secrets, nowMs)
    .map((one) => ({ ...one, untilMs: Math.min(one.untilMs ?? untilMs, untilMs) }))
    .filter((one) => one.untilMs > nowMs)
  return [{ secret, untilMs: null }, ...previous]
}

/**
 * The headers of Standard Webhooks, with a signature for each active secret: receivers accept any one of
 * them.
 */
export function signedHeaders(
  secrets: readonly SigningSecret[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signatures = validAt(secrets, nowMs).map(({ secret }) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
