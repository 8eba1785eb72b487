import { createHash } from 'node:crypto'
import { type OauthProvider, Problem } from '@assay/contract'
import { recordAudit } from '../../audit/audit.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/secrets/tokens.ts'
import { minuteMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import { findUser, type UserRow, workspacesOf } from '../../workspaces/members/users.ts'
import type { Handshake, Profile, Provider } from './oauth-providers.ts'
import type { Admission } from './sign-up.ts'
import {
  insertIdentity,
  insertOauthCode,
  insertOauthState,
  type OauthStateRow,
  selectIdentity,
  takeOauthCode,
  takeOauthState,
} from './store.ts'

/** Time enough to find a password and a second factor. */
const stateMinutes = 10
/** RFC 6749 §4.1.2 asks for 10 minutes at most; a program exchanges it at once. */
const codeMinutes = 1

/** A client that is not the dashboard: it gets a code at its own address. */
export type OauthClient = { redirectUri: string; state: string | null; challenge: string }

type Begun = { address: URL; state: string }
type Finished = { user: UserRow; returnTo: string; client: OauthClient | null }

export type Oauth = {
  providers: Partial<Record<OauthProvider, Provider>>
  begin: (name: OauthProvider, returnTo: string, client: OauthClient | null) => Promise<Begun>
  /** `held` is the state that this browser began with: an answer that belongs to another is not for it. */
  finish: (name: OauthProvider, answer: URLSearchParams, held: string | null) => Promise<Finished>
  /** A code for a client, to be exchanged for a session with the verifier of its challenge. */
  issueCode: (provider: OauthProvider, userId: string, client: OauthClient) => Promise<string>
  exchange: (code: string, redirectUri: string, verifier: string) => Promise<Exchanged | null>
}
type Exchanged = { user: UserRow; provider: OauthProvider }

/** A refusal of a sign-in that a client started is sent to the client's redirect URI. */
export class RefusedClient extends Error {
  readonly client: OauthClient
  readonly problem: Problem

  constructor(client: OauthClient, problem: Problem) {
    super(problem.message)
    this.client = client
    this.problem = problem
  }
}

type OauthOptions = {
  control: Control
  admission: Admission
  providers: Partial<Record<OauthProvider, Provider>>
  now: Clock
  newId: NewId
  publicUrl: () => string
}

export function createOauth(options: OauthOptions): Oauth {
  const { control, providers, now, publicUrl } = options
  const redirectUri = (name: OauthProvider) => `${publicUrl()}/v1/auth/oauth/${name}/callback`
  const provider = (name: OauthProvider): Provider => {
    const found = providers[name]
    if (found !== undefined) return found
    throw new Problem('not-found', { detail: `Signing in with ${name} is not set up here.` })
  }

  return {
    providers,
    async begin(name, returnTo, client) {
      const { address } = provider(name)
      const handshake = {
        redirectUri: redirectUri(name),
        state: newToken('st'),
        nonce: newToken('nonce'),
        codeVerifier: newToken('cv'),
      }
      const url = await address(handshake)
      await saveState(control, name, handshake, returnTo, client, now())
      return { address: url, state: handshake.state }
    },
    async finish(name, answer, held) {
      const { title, profile } = provider(name)
      const { state, row } = await takeState(control, name, answer.get('state'), held, now())
      const client = clientOf(row)
      try {
        const handshake = {
          redirectUri: redirectUri(name),
          state,
          nonce: row.nonce,
          codeVerifier: row.code_verifier,
        }
        const user = await enterAs(options, name, title, await profile(answer, handshake))
        return { user, returnTo: row.return_to, client }
      } catch (error) {
        throw client !== null && error instanceof Problem ? new RefusedClient(client, error) : error
      }
    },
    async issueCode(name, userId, client) {
      const code = newToken('oc')
      const row = {
        user_id: userId,
        provider: name,
        redirect_uri: client.redirectUri,
        challenge: client.challenge,
      }
      await insertOauthCode(control, hashToken(code), row, new Date(now() + codeMinutes * minuteMs))
      return code
    },
    async exchange(code, uri, verifier) {
      const row = await takeOauthCode(control, hashToken(code), new Date(now()))
      if (row === null || row.redirect_uri !== uri) return null
      if (createHash('sha256').update(verifier).digest('base64url') !== row.challenge) return null
      const user = await findUser(control, row.user_id)
      return user && { user, provider: row.provider }
    },
  }
}

async function saveState(
  control: Control,
  provider: OauthProvider,
  { state, nonce, codeVerifier }: Handshake,
  returnTo: string,
  client: OauthClient | null,
  nowMs: number,
): Promise<void> {
  const row = {
    provider,
    nonce,
    code_verifier: codeVerifier,
    return_to: returnTo,
    client_redirect_uri: client?.redirectUri ?? null,
    client_state: client?.state ?? null,
    client_challenge: client?.challenge ?? null,
  }
  const [createdAt, expiresAt] = [new Date(nowMs), new Date(nowMs + stateMinutes * minuteMs)]
  await insertOauthState(control, hashToken(state), row, createdAt, expiresAt)
}

async function takeState(
  control: Control,
  provider: OauthProvider,
  state: string | null,
  held: string | null,
  nowMs: number,
): Promise<{ state: string; row: OauthStateRow }> {
  // Without this, a link with another person's answer would sign its reader in as that person.
  const row =
    state === null || state !== held
      ? null
      : await takeOauthState(control, hashToken(state), provider, new Date(nowMs))
  if (state !== null && row !== null) return { state, row }
  throw new Problem('unauthenticated', {
    detail: `This sign-in took longer than ${stateMinutes} minutes, was finished already, or began in another browser.`,
  })
}

function clientOf({
  client_redirect_uri,
  client_state,
  client_challenge,
}: OauthStateRow): OauthClient | null {
  if (client_redirect_uri === null || client_challenge === null) return null
  return { redirectUri: client_redirect_uri, state: client_state, challenge: client_challenge }
}

/** The account that is linked to a provider's; else the one of an address that the provider has verified. */
async function enterAs(
  { control, admission, now, newId }: OauthOptions,
  provider: OauthProvider,
  title: string,
  profile: Profile,
): Promise<UserRow> {
  const linked = await selectIdentity(control, provider, profile.subject)
  const known = linked === null ? null : await findUser(control, linked)
  if (known !== null) return known
  // An unverified address may be anyone's; linking by it would hand over the account.
  if (profile.email === null || !profile.isVerified) {
    throw new Problem('unauthenticated', {
      detail: `Your ${title} account has no verified email address. Verify it there, or sign in by email.`,
    })
  }
  const email = profile.email.trim().toLowerCase()
  const user = await admission.enter(email, profile.name.slice(0, 120))
  if (user === null) {
    throw new Problem('insufficient-scope', {
      detail: `There is no account for ${email} here. Ask an owner or admin of a workspace to invite you.`,
    })
  }
  await control.transaction(async (sql) => {
    await insertIdentity(sql, provider, profile.subject, user.id, new Date(now()))
    for (const { id: workspaceId } of await workspacesOf(sql, user.id)) {
      await recordAudit(sql, newId, now, {
        workspaceId,
        actor: { kind: 'person', id: user.id, label: user.email },
        action: 'user.identity_linked',
        objectId: user.id,
        details: { provider },
      })
    }
  })
  return user
}
