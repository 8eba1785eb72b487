import type { SignedIn } from '../../http/access/principal.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import type { AccessClaims } from './access-tokens.ts'
import { selectLiveSession, updateSessionUse } from './store.ts'

/**
 * The active sessions of this node, and the memberships of their people. An access token alone would be valid
 * for its 15 minutes; because its session is checked too, ending that one takes effect at once.
 */
type SessionMemory = {
  find: (claims: AccessClaims) => Promise<SignedIn | null>
  /** Forgets a session, or all sessions of a user, here at once and on every other node a moment later. */
  changed: (userOrSessionId: string) => Promise<void>
  saveUse: () => Promise<void>
}

type Known = { signedIn: SignedIn; expiresAtMs: number }

const channel = 'assay_sessions'
/** Some 300 bytes each; what is pushed out is looked up again. */
const knownMax = 20_000

export async function createSessionMemory(control: Control, now: Clock): Promise<SessionMemory> {
  // bounded: by knownMax.
  const known = new Map<string, Known>()
  // bounded: by the sessions that are used until the next `saveUse`.
  const used = new Set<string>()
  let forgotten = 0
  const forget = (userOrSessionId: string) => {
    forgotten++
    known.delete(userOrSessionId)
    for (const [sessionId, { signedIn }] of known) {
      if (signedIn.userId === userOrSessionId) known.delete(sessionId)
    }
  }
  await control.listen(channel, forget, () => {
    forgotten++
    known.clear()
  })

  async function look(sessionId: string): Promise<Known | null> {
    const forgottenBefore = forgotten
    const row = await selectLiveSession(control, sessionId)
    // What changed while we read may not be in what we read, so it is read again.
    if (forgotten !== forgottenBefore) return look(sessionId)
    if (row === null) return null
    const { user_id: userId, memberships, expires_at } = row
    const entry: Known = {
      signedIn: { kind: 'signedIn', userId, sessionId, memberships },
      expiresAtMs: expires_at.getTime(),
    }
    if (known.size >= knownMax) known.clear()
    known.set(sessionId, entry)
    return entry
  }

  /** One that seems to have ended may have been prolonged on another node. */
  async function live(sessionId: string): Promise<Known | null> {
    const remembered = known.get(sessionId)
    if (remembered !== undefined && remembered.expiresAtMs > now()) return remembered
    const session = await look(sessionId)
    return session === null || session.expiresAtMs <= now() ? null : session
  }

  return {
    async find({ userId, sessionId }) {
      const session = await live(sessionId)
      if (session === null || session.signedIn.userId !== userId) return null
      used.add(sessionId)
      return session.signedIn
    },
    async changed(userOrSessionId) {
      forget(userOrSessionId)
      await control.notify(channel, userOrSessionId)
    },
    async saveUse() {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await updateSessionUse(control, ids, new Date(now()))
    },
  }
}
