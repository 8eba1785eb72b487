import { type AuditEntry, listAuditLog, Problem, readTime } from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import { type AuditRow, selectEntries } from './store.ts'

type Needs = Pick<Platform, 'control'>

export function auditRoutes(plane: Plane, { control }: Needs): void {
  serve(plane, listAuditLog, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectEntries(control, {
      workspaceId: caller.workspaceId,
      actor: query.actor ?? null,
      action: query.action ?? null,
      objectType: query.object_type ?? null,
      objectId: query.object_id ?? null,
      from: requireTime('from', query.from),
      to: requireTime('to', query.to),
      before: query.cursor ?? null,
      limit: limit + 1,
    })
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toEntry), next_cursor: next }
  })
}

function requireTime(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = readTime(text)
  // Nothing was written down before 1970, and Postgres knows no times before 4713 BC.
  if (time !== undefined) return new Date(Math.max(0, time.ms))
  const message = 'must be an RFC 3339 time'
  throw new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, label: row.actor_label },
    action: row.action,
    object: { type: row.object_type, id: row.object_id },
    details: row.details,
    outcome: row.outcome,
    request_id: row.request_id,
    country: row.country,
  }
}
