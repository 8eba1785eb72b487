import type { SignInMethod } from '@assay/contract'
import type { SignedIn } from '../../http/access/principal.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/secrets/tokens.ts'
import type { Control } from '../../store/control.ts'
import { type AccessTokens, accessTokenSeconds } from './access-tokens.ts'
import type { Device } from './devices.ts'
import { type Refreshed, refreshSession } from './refresh.ts'
import { createSessionMemory } from './session-cache.ts'
import { insertRefreshToken, insertSession, revokeSessions } from './store.ts'

/** Decisions §2: 30 days since it was last refreshed. */
export const sessionSeconds = 30 * 86_400

export type SessionTokens = {
  sessionId: string
  userId: string
  accessToken: string
  accessSeconds: number
  refreshToken: string
}

export type Sessions = {
  /** Whose access token this is: from memory, save for the first time that a session is seen here. */
  find: (accessToken: string) => Promise<SignedIn | null>
  open: (userId: string, method: SignInMethod, device: Device) => Promise<SessionTokens>
  /** The next pair of tokens; null when the token is not good, or was used before, which also ends the session. */
  refresh: (refreshToken: string) => Promise<SessionTokens | null>
  /** Ends one session of a person, or all; here at once and on every other node. Answers those that had not ended. */
  revoke: (userId: string, sessionId: string | null) => Promise<string[]>
  /** Call after a person's memberships changed: they are read again, here at once and on every other node. */
  userChanged: (userId: string) => Promise<void>
  /** Writes down which sessions were used since the last time. */
  saveUse: () => Promise<void>
}

type SessionsOptions = {
  control: Control
  tokens: AccessTokens
  /** Shared by all nodes. */
  refreshSecret: string
  now: Clock
  newId: NewId
}

export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const { control, tokens, refreshSecret: secret, now, newId } = options
  const memory = await createSessionMemory(control, now)
  const lifeMs = sessionSeconds * 1000

  async function withAccess(userId: string, sessionId: string, refreshToken: string): Promise<SessionTokens> {
    const accessToken = await tokens.issue({ userId, sessionId })
    return { sessionId, userId, accessToken, accessSeconds: accessTokenSeconds, refreshToken }
  }

  return {
    async find(accessToken) {
      const claims = await tokens.read(accessToken)
      return claims === null ? null : memory.find(claims)
    },
    async open(userId, method, device) {
      const sessionId = newId('ses')
      const refreshToken = newToken('rt')
      const at = new Date(now())
      await control.transaction(async (sql) => {
        const times = { created_at: at, last_used_at: at, expires_at: new Date(at.getTime() + lifeMs) }
        await insertSession(sql, { id: sessionId, user_id: userId, method, ...device, ...times })
        await insertRefreshToken(sql, hashToken(refreshToken), sessionId, at)
      })
      return withAccess(userId, sessionId, refreshToken)
    },
    async refresh(refreshToken) {
      const done: Refreshed = await refreshSession({ control, now, newId, secret, lifeMs }, refreshToken)
      if (done.outcome === 'refreshed') return withAccess(done.userId, done.sessionId, done.refreshToken)
      if (done.outcome === 'reused') await memory.changed(done.sessionId)
      return null
    },
    async revoke(userId, sessionId) {
      const ended = await revokeSessions(control, userId, sessionId, new Date(now()))
      await memory.changed(sessionId ?? userId)
      return ended
    },
    userChanged: memory.changed,
    saveUse: memory.saveUse,
  }
}
