import {
  type Delivery,
  exchangeOauthCode,
  getSigningKeys,
  grantCommand,
  listSignInMethods,
  type NewSession,
  oauthProviders,
  redeemCommand,
  requestMagicLink,
  verifyMagicLink,
} from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireOwnPage } from '../../http/access/person.ts'
import { unauthenticated } from '../../http/access/principal.ts'
import { type Plane, serve, showAllowance } from '../../http/serve.ts'
import type { Platform } from '../../platform/platform.ts'
import type { UserRow } from '../../workspaces/members/users.ts'
import type { AccessTokens } from '../sessions/access-tokens.ts'
import { grantSeconds, grantToCommand, redeemGrant } from '../sessions/command-grants.ts'
import { connectPage } from '../sessions/connect-page.ts'
import { giveSessionCookies } from '../sessions/cookies.ts'
import type { Sessions, SessionTokens } from '../sessions/sessions.ts'
import type { SignIn } from './sign-in.ts'
import { signInPage } from './sign-in-page.ts'

type Needs = Platform & { signIn: SignIn; sessions: Sessions; accessTokens: AccessTokens }

/** Says nothing about whether there is an account. */
const accepted =
  'If this address has an account here, a link to sign in is in its inbox, or will be in a moment. It works once.'

const acceptedWithoutMail =
  'This server sends no mail. If this address has an account here, a link to sign in is on the terminal of the ' +
  'server, or in its log. It works once.'

export function signInRoutes(plane: Plane, deps: Needs): void {
  const { signIn, sessions, accessTokens } = deps
  const { magicLinks, oauth, deviceOf, signUp } = signIn
  if (plane.planes.includes('control')) {
    signInPage(plane.app, oauth.providers, deps.mailer.hasServer)
    connectPage(plane.app)
  }

  serve(plane, listSignInMethods, () => ({
    magic_link: true,
    oauth: oauthProviders.filter((name) => oauth.providers[name] !== undefined),
    sign_up: signUp,
  }))

  serve(plane, requestMagicLink, ({ body, request }) => {
    magicLinks.request({ email: body.email, returnTo: body.return_to ?? '', from: deviceOf(request) })
    return { status: 'accepted' as const, message: deps.mailer.hasServer ? accepted : acceptedWithoutMail }
  })

  serve(plane, verifyMagicLink, async ({ body, request, reply }) => {
    if (body.delivery === 'cookies') requireOwnPage(request.headers, plane.cookies)
    const user = await magicLinks.redeem(body.token)
    if (user === null)
      throw refusedSignIn(plane, request, reply, 'This link was used, or is too old. Ask for a new one.')
    const tokens = await sessions.open(user.id, 'magic-link', deviceOf(request))
    return hand(plane, reply, tokens, user, body.delivery ?? 'body')
  })

  serve(plane, exchangeOauthCode, async ({ body, request, reply }) => {
    const exchanged = await oauth.exchange(body.code, body.redirect_uri, body.code_verifier)
    if (exchanged === null)
      throw refusedSignIn(plane, request, reply, 'This code was used, is too old, or is not yours.')
    const tokens = await sessions.open(exchanged.user.id, exchanged.provider, deviceOf(request))
    return hand(plane, reply, tokens, exchanged.user, 'body')
  })

  serve(plane, getSigningKeys, ({ reply }) => {
    // Short enough that a new key is known everywhere long before it is the only one.
    reply.header('cache-control', 'public, max-age=300')
    return { keys: accessTokens.published().keys.map((key) => ({ ...key })) }
  })

  serve(plane, grantCommand, async ({ body, caller }) => {
    const asked = { challenge: body.code_challenge, name: body.name }
    return { code: await grantToCommand(deps, caller, asked), expires_in: grantSeconds }
  })

  serve(plane, redeemCommand, async ({ body, request, reply }) => {
    reply.header('cache-control', 'no-store')
    const redeemed = await redeemGrant(deps, body.code, body.code_verifier, request.id)
    if (redeemed === null) throw unauthenticated('This code was used, is too old, or is not yours.')
    return { key: redeemed.key, workspace_id: redeemed.workspaceId }
  })
}

/** What failed is counted by source, so that guessing runs into a limit; what succeeds never does. */
export function refusedSignIn(
  { limits }: Plane,
  request: FastifyRequest,
  reply: FastifyReply,
  detail: string,
): Error {
  showAllowance(reply, limits.charge('signIn', request.ip))
  return unauthenticated(detail)
}

export function hand(
  { cookies }: Plane,
  reply: FastifyReply,
  tokens: SessionTokens,
  user: Pick<UserRow, 'id' | 'email' | 'name'>,
  delivery: Delivery,
): NewSession {
  reply.header('cache-control', 'no-store')
  if (delivery === 'cookies') giveSessionCookies(reply, cookies.isSecure(), tokens)
  return {
    session_id: tokens.sessionId,
    token_type: 'Bearer',
    expires_in: tokens.accessSeconds,
    ...(delivery === 'body' && { access_token: tokens.accessToken, refresh_token: tokens.refreshToken }),
    user: { id: user.id, email: user.email, name: user.name },
  }
}
