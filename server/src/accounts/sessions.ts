import { createHash, randomBytes } from 'node:crypto'
import type { Clock, NewId } from '../clock.ts'
import type { SignedIn } from '../http/principal.ts'
import type { Control } from '../store/control.ts'
import { type AccessTokens, accessTokenSeconds } from './access-tokens.ts'
import {
  insertRefreshToken,
  insertSession,
  type SignInMethod,
  selectLiveSession,
  updateSessionUse,
} from './session-store.ts'

/** Decisions §2: 30 days since it was last refreshed. */
export const sessionDaysMax = 30
const dayMs = 86_400_000

/** From where somebody signs in, in words; their address is looked at and not kept. */
export type Device = { device: string; country: string }

export type SessionTokens = {
  sessionId: string
  accessToken: string
  accessSeconds: number
  refreshToken: string
}

export type Sessions = {
  /** Whose access token this is: from memory, save for the first time that a session is seen here. */
  find: (accessToken: string) => Promise<SignedIn | null>
  open: (userId: string, method: SignInMethod, device: Device) => Promise<SessionTokens>
  /** To be told after a person's memberships changed: they count anew, here at once and on every other node. */
  userChanged: (userId: string) => Promise<void>
  /** Writes down which sessions were used since the last time. */
  saveUse: () => Promise<void>
}

export type SessionsOptions = { control: Control; tokens: AccessTokens; now: Clock; newId: NewId }

type Known = { signedIn: SignedIn; expiresAtMs: number }

const channel = 'assay_sessions'
/** Some 300 bytes each; what is pushed out is looked up again. */
const knownMax = 20_000

export async function createSessions({ control, tokens, now, newId }: SessionsOptions): Promise<Sessions> {
  const known = new Map<string, Known>()
  const used = new Set<string>()
  let forgotten = 0
  const forget = (userOrSessionId: string) => {
    forgotten++
    known.delete(userOrSessionId)
    for (const [sessionId, { signedIn }] of known) {
      if (signedIn.userId === userOrSessionId) known.delete(sessionId)
    }
  }
  const forgetAll = () => {
    forgotten++
    known.clear()
  }
  await control.listen(channel, forget, forgetAll)

  async function look(sessionId: string): Promise<Known | null> {
    const forgottenBefore = forgotten
    const row = await selectLiveSession(control, sessionId)
    if (row === null) return null
    const { user_id: userId, memberships, expires_at } = row
    const entry: Known = {
      signedIn: { kind: 'signedIn', userId, sessionId, memberships },
      expiresAtMs: expires_at.getTime(),
    }
    // What was said to have changed while we read may not be in what we read.
    if (forgotten !== forgottenBefore) return entry
    if (known.size >= knownMax) known.clear()
    known.set(sessionId, entry)
    return entry
  }

  return {
    async find(accessToken) {
      const claims = await tokens.read(accessToken)
      if (claims === null) return null
      const session = known.get(claims.sessionId) ?? (await look(claims.sessionId))
      if (session === null || session.expiresAtMs <= now()) return null
      if (session.signedIn.userId !== claims.userId) return null
      used.add(claims.sessionId)
      return session.signedIn
    },
    async open(userId, method, device) {
      const sessionId = newId('ses')
      const refreshToken = `rt_${randomBytes(32).toString('base64url')}`
      const at = new Date(now())
      await control.transaction(async (sql) => {
        const expires_at = new Date(at.getTime() + sessionDaysMax * dayMs)
        const times = { created_at: at, last_used_at: at, expires_at }
        await insertSession(sql, { id: sessionId, user_id: userId, method, ...device, ...times })
        await insertRefreshToken(sql, hashToken(refreshToken), sessionId, at)
      })
      const accessToken = await tokens.issue({ userId, sessionId })
      return { sessionId, accessToken, accessSeconds: accessTokenSeconds, refreshToken }
    },
    async userChanged(userId) {
      forget(userId)
      await control.notify(channel, userId)
    },
    async saveUse() {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await updateSessionUse(control, ids, new Date(now()))
    },
  }
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
