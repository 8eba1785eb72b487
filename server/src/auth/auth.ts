import type { Config } from '../config.ts'
import { sharedSecret } from '../store/installation.ts'
import { createKeyRing, type KeyRing } from './keys/keys.ts'
import { type AccessTokens, createAccessTokens } from './sessions/access-tokens.ts'
import { createSessions, type Sessions } from './sessions/sessions.ts'
import { createSignIn, type SignIn, type SignInOptions } from './sign-in/sign-in.ts'
import { type ClosedWorkspaces, createClosedWorkspaces } from '../workspaces/closed-workspaces.ts'

/** Keys, people and their sessions: all that it takes to know who calls. */
export type Accounts = {
  keyRing: KeyRing
  accessTokens: AccessTokens
  sessions: Sessions
  signIn: SignIn
  closedWorkspaces: ClosedWorkspaces
  /** How long the deletion of a workspace can be taken back. */
  workspaceDeleteDays: number
}

export type AccountsOptions = Omit<SignInOptions, 'userChanged'> & { config: Config }

export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { control, config, now, newId } = options
  // Nodes behind one public address agree on it; without one they agree on what they share.
  const issuer = config.publicUrl ?? `urn:assay:${(await sharedSecret(control, 'installation')).slice(0, 16)}`
  const accessTokens = await createAccessTokens(control, now, issuer)
  const refreshSecret = await sharedSecret(control, 'refresh-tokens')
  const sessions = await createSessions({ control, tokens: accessTokens, refreshSecret, now, newId })
  const closedWorkspaces = await createClosedWorkspaces(control)
  return {
    closedWorkspaces,
    workspaceDeleteDays: config.workspaceDeleteDays,
    keyRing: await createKeyRing(control, now, closedWorkspaces.has),
    accessTokens,
    sessions,
    signIn: createSignIn({ ...options, userChanged: sessions.userChanged }),
  }
}
