import type { AuditEntry } from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { Act, AuditTrail } from '../http/access/audit-mark.ts'
import type { Principal } from '../http/access/principal.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Control, Sql } from '../store/control.ts'
import {
  type AuditRow,
  closePending,
  deletePending,
  insertEntry,
  insertPending,
  type PendingRow,
  selectKeyLabel,
  selectPersonLabel,
} from './store.ts'

export type Actor = AuditEntry['actor']

/** The product itself: a scheduled job, or an action by a link that was sent. */
export const systemActor: Actor = { kind: 'system', id: 'system', label: 'Assay' }

/** What happened, to be written down in the transaction that makes it happen. */
export type NewEntry = {
  workspaceId: string
  actor: Actor
  /** The type of the object, a dot, and what happened to it. */
  action: `${string}.${string}`
  objectId: string
  /** Never a secret. */
  details?: Record<string, unknown>
  requestId?: string
  country?: string
}

export async function recordAudit(sql: Sql, newId: NewId, now: Clock, entry: NewEntry): Promise<void> {
  await insertEntry(sql, {
    id: newId('act'),
    workspace_id: entry.workspaceId,
    at: new Date(now()),
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    actor_label: entry.actor.label,
    action: entry.action,
    object_type: typeOf(entry.action),
    object_id: entry.objectId,
    details: bounded(entry.details ?? {}),
    outcome: 'done',
    request_id: entry.requestId ?? '',
    country: entry.country ?? '',
  })
}

type AuditTrailOptions = {
  control: Control
  newId: NewId
  now: Clock
  countryOf: (request: FastifyRequest) => string
}

/**
 * The acts of callers. One is noted before it begins and becomes an entry when it ends, because a handler may change
 * more than one store and no transaction spans them.
 */
export function createAuditTrail({ control, newId, now, countryOf }: AuditTrailOptions): AuditTrail {
  return {
    async begin(act) {
      const actor = await actorOf(control, act.caller)
      const begun = { id: newId('act'), at: new Date(now()) }
      const row = (current: Act) => toRow(begun, current, actor, countryOf(act.request))
      await insertPending(control, row(act))
      return async (result, ended) => {
        if (result === 'refused') await deletePending(control, begun.id)
        else await insertEntry(control, { ...row(ended), outcome: result })
      }
    },
  }
}

/** A request is cut after 30 s, and nothing that it starts takes minutes: by then its process is gone. */
const endedMs = 10 * 60_000

/** Makes entries of what a process began and did not live to end. */
export function closeUnendedActs(control: Control, now: Clock): Promise<number> {
  return closePending(control, new Date(now() - endedMs))
}

export async function actorOf(sql: Sql, caller: Principal): Promise<Actor> {
  if (caller.kind === 'key') {
    return { kind: 'key', id: caller.keyId, label: await selectKeyLabel(sql, caller.keyId) }
  }
  return { kind: 'person', id: caller.userId, label: await selectPersonLabel(sql, caller.userId) }
}

function toRow(begun: Pick<AuditRow, 'id' | 'at'>, act: Act, actor: Actor, country: string): PendingRow {
  return {
    ...begun,
    workspace_id: act.workspaceId,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_label: actor.label,
    action: act.action,
    object_type: typeOf(act.action),
    // Postgres refuses a text with this character, and no object has it in its id.
    object_id: act.objectId.replaceAll('\0', ''),
    details: bounded(act.details),
    request_id: act.request.id,
    country,
  }
}

const typeOf = (action: string) => action.slice(0, action.indexOf('.'))

/** A log is read line by line: a member larger than this says only how large it was. */
const memberCharactersMax = 2_000

function bounded(details: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(details).map(([name, value]) => {
    const { length } = JSON.stringify(value) ?? ''
    return [name, length <= memberCharactersMax ? value : `(${length} characters, not kept)`]
  })
  return Object.fromEntries(members)
}
