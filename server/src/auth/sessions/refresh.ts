import { createHmac } from 'node:crypto'
import { recordAudit, systemActor } from '../../audit/audit.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import type { Control } from '../../store/control.ts'
import { emailOf, workspacesOf } from '../../workspaces/members/users.ts'
import {
  insertRefreshToken,
  prolongSession,
  type RefreshTokenRow,
  revokeSessions,
  selectRefreshToken,
  selectSession,
  spendRefreshToken,
} from './store.ts'

/**
 * Two tabs of one browser, or a client whose answer got lost, send the same token twice within moments. That is
 * answered with the same successor, so that it neither ends the session nor makes a second chain.
 */
const repeatMsMax = 10_000

export type Refreshed =
  | { outcome: 'refreshed'; userId: string; sessionId: string; refreshToken: string }
  /** The token was stolen; since the thief cannot be identified, both sessions end. */
  | { outcome: 'reused'; userId: string; sessionId: string }
  | { outcome: 'unknown' }

type RefreshOptions = {
  control: Control
  now: Clock
  newId: NewId
  /** Shared by all nodes: a successor is derived from its predecessor, and only we can. */
  secret: string
  /** How long a session lives from now on. */
  lifeMs: number
}

export async function refreshSession(options: RefreshOptions, token: string): Promise<Refreshed> {
  const { control, now, secret } = options
  const at = new Date(now())
  const hash = hashToken(token)
  const found = await selectRefreshToken(control, hash, at)
  if (found === null) return { outcome: 'unknown' }
  const successor = `rt_${createHmac('sha256', secret).update(token).digest('base64url')}`
  const refreshed = {
    outcome: 'refreshed' as const,
    userId: found.user_id,
    sessionId: found.session_id,
    refreshToken: successor,
  }
  if (found.used_at === null && (await spend(options, hash, found.session_id, successor, at)))
    return refreshed
  // Unless it was used before, a concurrent request used it this very moment.
  const isRepeat = found.used_at === null || at.getTime() - found.used_at.getTime() <= repeatMsMax
  if (isRepeat && !found.successor_used) return refreshed
  await endReused(options, found, at)
  return { outcome: 'reused', userId: found.user_id, sessionId: found.session_id }
}

function spend(
  { control, lifeMs }: RefreshOptions,
  hash: Buffer,
  sessionId: string,
  successor: string,
  at: Date,
): Promise<boolean> {
  return control.transaction(async (sql) => {
    if (!(await spendRefreshToken(sql, hash, hashToken(successor), at))) return false
    await insertRefreshToken(sql, hashToken(successor), sessionId, at)
    await prolongSession(sql, sessionId, at, new Date(at.getTime() + lifeMs))
    return true
  })
}

/** The owners of each workspace that the person is in shall know that a token was stolen. */
async function endReused(
  { control, now, newId }: RefreshOptions,
  { user_id: userId, session_id: sessionId }: RefreshTokenRow,
  at: Date,
): Promise<void> {
  await control.transaction(async (sql) => {
    const ended = await revokeSessions(sql, userId, sessionId, at)
    if (ended.length === 0) return
    const session = await selectSession(sql, sessionId)
    const details = { user: await emailOf(sql, userId), device: session?.device ?? '' }
    for (const { id: workspaceId } of await workspacesOf(sql, userId)) {
      await recordAudit(sql, newId, now, {
        workspaceId,
        actor: systemActor,
        action: 'session.reuse_detected',
        objectId: sessionId,
        details,
      })
    }
  })
}
