import type { Config } from '../config.ts'
import { type AccessTokens, createAccessTokens } from './access-tokens.ts'
import { createKeyRing, type KeyRing } from './keys.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignIn, type SignIn, type SignInOptions } from './sign-in.ts'
import { sharedSecret } from './workspaces.ts'

/** Keys, people and their sessions: all that it takes to know who calls. */
export type Accounts = {
  keyRing: KeyRing
  accessTokens: AccessTokens
  sessions: Sessions
  signIn: SignIn
}

export type AccountsOptions = SignInOptions & { config: Config }

export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { control, config, now, newId } = options
  // Nodes behind one public address agree on it; without one they agree on what they share.
  const issuer = config.publicUrl ?? `urn:assay:${(await sharedSecret(control, 'installation')).slice(0, 16)}`
  const accessTokens = await createAccessTokens(control, now, issuer)
  const refreshSecret = await sharedSecret(control, 'refresh-tokens')
  return {
    keyRing: await createKeyRing(control, now),
    accessTokens,
    sessions: await createSessions({ control, tokens: accessTokens, refreshSecret, now, newId }),
    signIn: createSignIn(options),
  }
}
