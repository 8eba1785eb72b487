import { randomInt } from 'node:crypto'

/** A line as the log writes it, of a sound event. `more` may make it unsound. */
export function logLine(
  { workspaceId, siteId }: { workspaceId: string; siteId: string },
  eventId: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const now = Date.now()
  return `${JSON.stringify({
    workspace_id: workspaceId,
    site_id: siteId,
    event_id: eventId,
    id_hi: randomInt(1, 2 ** 32),
    id_lo: randomInt(2 ** 32),
    ts: now,
    received_at: now,
    outcome: 'accept',
    name: '$login',
    sent_name: '$login',
    person_id: `per_${eventId}`,
    resolved_by: 'user_id',
    user_id: `u-${eventId}`,
    properties: { method: 'x' },
    ...more,
  })}\n`
}

/** What really refuses a line, by the step that does. */
export const refusedBy = {
  staging: { ts: 'yesterday' },
  /** Postgres takes no NUL in a text, and the traits of an identify event are kept by their person. */
  identity: { name: '$identify', person_id: 'per_\u0000', properties: { plan: 'pro' } },
} as const
