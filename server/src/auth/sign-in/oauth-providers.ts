import { isRecord, type OauthProvider, Problem } from '@assay/contract'
import * as openid from 'openid-client'
import type { OauthConfig, ProviderConfig } from '../../platform/settings/oauth-settings.ts'

/** What a provider vouches for. */
export type Profile = { subject: string; email: string | null; isVerified: boolean; name: string }

/** What ties an answer of the provider to the request that it answers. */
export type Handshake = { redirectUri: string; state: string; nonce: string; codeVerifier: string }

export type Provider = {
  title: string
  /** Where to send the person. */
  address: (handshake: Handshake) => Promise<URL>
  /** Whom the provider's answer is about. Throws a problem that can be shown to the person. */
  profile: (answer: URLSearchParams, handshake: Handshake) => Promise<Profile>
}

/** A provider that is slower would keep the person waiting without a word. */
const answerSecondsMax = 10

export function createProviders(config: OauthConfig): Partial<Record<OauthProvider, Provider>> {
  return {
    ...(config.google && { google: googleProvider(config.google) }),
    ...(config.github && { github: githubProvider(config.github, config.github.apiUrl) }),
  }
}

/** Google, or any OpenID provider that stands in for it. */
function googleProvider(config: ProviderConfig): Provider {
  const title = 'Google'
  const configuration = remembered(async () => {
    const insecure = isInsecure(config.issuer) ? [openid.allowInsecureRequests] : []
    const options = { execute: insecure, timeout: answerSecondsMax }
    return openid.discovery(new URL(config.issuer), config.clientId, config.clientSecret, undefined, options)
  })
  return {
    title,
    async address(handshake) {
      const discovered = await explained(title, configuration)
      const asked = { scope: 'openid email profile', nonce: handshake.nonce }
      return openid.buildAuthorizationUrl(discovered, { ...asked, ...(await commonParameters(handshake)) })
    },
    profile: (answer, handshake) =>
      explained(title, async () => {
        const discovered = await configuration()
        const tokens = await openid.authorizationCodeGrant(discovered, answered(answer, handshake), {
          expectedState: handshake.state,
          expectedNonce: handshake.nonce,
          pkceCodeVerifier: handshake.codeVerifier,
        })
        const idToken = tokens.claims()
        if (idToken === undefined) throw new Error('an ID token was asked for by its nonce')
        // Some providers send the address only on a second request.
        const claims =
          idToken.email === undefined
            ? await openid.fetchUserInfo(discovered, tokens.access_token, idToken.sub)
            : idToken
        return {
          subject: idToken.sub,
          email: typeof claims.email === 'string' ? claims.email : null,
          isVerified: claims.email_verified === true,
          name: typeof claims.name === 'string' ? claims.name : '',
        }
      }),
  }
}

/** GitHub knows OAuth but not OpenID: who signed in is asked of its interface. */
function githubProvider(config: ProviderConfig, apiUrl: string): Provider {
  const title = 'GitHub'
  const { issuer, clientId, clientSecret } = config
  const endpoints = {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }
  const known = new openid.Configuration(endpoints, clientId, {}, openid.ClientSecretPost(clientSecret))
  known.timeout = answerSecondsMax
  if (isInsecure(issuer)) openid.allowInsecureRequests(known)
  return {
    title,
    address: async (handshake) =>
      openid.buildAuthorizationUrl(known, {
        scope: 'read:user user:email',
        ...(await commonParameters(handshake)),
      }),
    profile: (answer, handshake) =>
      explained(title, async () => {
        // Each provider has a callback of its own, which is what `iss` is good for; GitHub's is not documented.
        answer.delete('iss')
        const tokens = await openid.authorizationCodeGrant(known, answered(answer, handshake), {
          expectedState: handshake.state,
          pkceCodeVerifier: handshake.codeVerifier,
        })
        return readGithubProfile(apiUrl, tokens.access_token)
      }),
  }
}

async function readGithubProfile(apiUrl: string, accessToken: string): Promise<Profile> {
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`${apiUrl}${path}`, {
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'assay',
      },
      signal: AbortSignal.timeout(answerSecondsMax * 1000),
    })
    if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${path}`)
    return response.json()
  }
  const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails')])
  if (!isRecord(user) || typeof user.id !== 'number' || !Array.isArray(emails)) {
    throw new Error('GitHub answered in an unknown form')
  }
  const primary = emails.filter(isRecord).find((email) => email.primary === true)
  return {
    subject: String(user.id),
    email: typeof primary?.email === 'string' ? primary.email : null,
    isVerified: primary?.verified === true,
    name: typeof user.name === 'string' ? user.name : '',
  }
}

async function commonParameters({
  redirectUri,
  state,
  codeVerifier,
}: Handshake): Promise<Record<string, string>> {
  return {
    redirect_uri: redirectUri,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }
}

function answered(answer: URLSearchParams, { redirectUri }: Handshake): URL {
  return new URL(`${redirectUri}?${answer}`)
}

const isInsecure = (address: string) => address.startsWith('http:')

/** Asked once; after a failure it is asked again. */
function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = null
      throw error
    })
    return asked
  }
}

/** What the provider says or fails to say, in words for the person who is waiting. */
async function explained<T>(title: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof openid.AuthorizationResponseError) throw refusedBy(title, cause)
    if (isUnreachable(cause)) {
      throw new Problem('unavailable', {
        detail: `${title} cannot be reached right now. Try again in a moment, or sign in by email.`,
        internal: `${title} could not be reached`,
        cause,
      })
    }
    throw new Problem('unauthenticated', {
      detail: `What ${title} answered could not be accepted, so you were not signed in. Please try again.`,
      internal: `an answer of ${title} was refused`,
      cause,
    })
  }
}

function isUnreachable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const code = 'code' in cause ? cause.code : ''
  return cause.name === 'TimeoutError' || cause.message === 'fetch failed' || code === 'OAUTH_TIMEOUT'
}

/** RFC 6749 §4.1.2.1, for people. */
const refusals: Readonly<Record<string, string>> = {
  access_denied: 'refused the sign-in, or you cancelled it. Nothing was changed.',
  temporarily_unavailable: 'is overloaded right now. Try again in a moment.',
  server_error: 'had a failure of its own. Try again in a moment.',
  redirect_uri_mismatch:
    'does not know the address of this installation. Its operator has to register it there.',
  unauthorized_client: 'does not know this installation any more. Its operator has to look at the client id.',
}

function refusedBy(title: string, cause: openid.AuthorizationResponseError): Problem {
  const reason = (cause.error_description ?? cause.error).slice(0, 300)
  return new Problem('unauthenticated', {
    detail: `${title} ${refusals[cause.error] ?? `refused the sign-in: ${reason}`}`,
    // A cancelled sign-in is not an error for the operator.
    ...(cause.error !== 'access_denied' && { internal: `${title} refused a sign-in: ${cause.error}`, cause }),
  })
}
