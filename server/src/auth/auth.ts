import type { Platform } from '../platform/platform.ts'
import { sharedSecret } from '../store/installation.ts'
import { createKeyRing, type KeyRing } from './keys/keys.ts'
import { type AccessTokens, createAccessTokens } from './sessions/access-tokens.ts'
import { createSessions, type Sessions } from './sessions/sessions.ts'
import { createSignIn, type SignIn } from './sign-in/sign-in.ts'

/** Keys, people and their sessions: all that it takes to know who calls. */
export type Auth = {
  keyRing: KeyRing
  accessTokens: AccessTokens
  sessions: Sessions
  signIn: SignIn
}

export async function openAuth(
  platform: Platform,
  isClosed: (workspaceId: string) => boolean,
): Promise<Auth> {
  const { control, config, now, newId } = platform
  // Nodes behind one public address agree on it; without one they agree on what they share.
  const issuer = config.publicUrl ?? `urn:assay:${(await sharedSecret(control, 'installation')).slice(0, 16)}`
  const accessTokens = await createAccessTokens(control, now, issuer)
  const refreshSecret = await sharedSecret(control, 'refresh-tokens')
  const sessions = await createSessions({ control, tokens: accessTokens, refreshSecret, now, newId })
  return {
    keyRing: await createKeyRing(control, now, isClosed),
    accessTokens,
    sessions,
    signIn: createSignIn({
      ...platform,
      userChanged: sessions.userChanged,
      endSessions: (userId) => sessions.revoke(userId, null),
    }),
  }
}
