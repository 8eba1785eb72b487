import type { Job } from '../platform/scheduler.ts'
import type { Auth } from './auth.ts'

const saveUseMs = 30_000
/** A key signs for a month; this is how long a node may be behind another that made a new one. */
const rotateKeysMs = 3_600_000

export function authJobs({ keyRing, sessions, accessTokens, signIn }: Auth): Job[] {
  return [
    [saveUseMs, 'use of keys', () => keyRing.saveUse(), 'each node'],
    [saveUseMs, 'use of sessions', () => sessions.saveUse(), 'each node'],
    [rotateKeysMs, 'signing keys', () => accessTokens.rotate(), 'each node'],
    [rotateKeysMs, 'old sign-ins', () => signIn.forgetOld()],
  ]
}
