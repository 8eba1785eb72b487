import {
  beginOauth,
  finishOauth,
  invalidParameter,
  type OauthProvider,
  oauthProviders,
  Problem,
} from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ownPath } from '../../http/input/own-path.ts'
import { toProblem } from '../../http/problem.ts'
import { type Plane, serve, showAllowance } from '../../http/serve.ts'
import { giveSessionCookies, giveStateCookie, readStateCookie } from '../sessions/cookies.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type OauthClient, RefusedClient } from './oauth.ts'
import type { SignIn } from './sign-in.ts'
import { refusalPage } from './sign-in-page.ts'

type Needs = { signIn: SignIn; sessions: Sessions }

export function oauthRoutes(plane: Plane, { signIn, sessions }: Needs): void {
  const { oauth, redirectUris, deviceOf } = signIn
  const { cookies, limits } = plane

  serve(plane, beginOauth, ({ params, query, request, reply }) =>
    orPage(request, reply, async () => {
      const name = requireProvider(params.provider)
      const client = readClient(query, redirectUris)
      const begun = await oauth.begin(name, ownPath(query.return_to ?? '/'), client)
      giveStateCookie(reply, cookies.isSecure(), begun.state)
      return reply.header('cache-control', 'no-store').redirect(begun.address.href, 302)
    }),
  )

  serve(plane, finishOauth, ({ params, request, reply }) =>
    orPage(request, reply, async () => {
      const name = requireProvider(params.provider)
      const answer = new URL(request.url, 'http://localhost').searchParams
      const held = readStateCookie(request.headers, cookies.isSecure())
      reply.header('cache-control', 'no-store')
      try {
        const { user, returnTo, client } = await oauth.finish(name, answer, held)
        if (client !== null) {
          const code = await oauth.issueCode(name, user.id, client)
          return reply.redirect(clientAddress(client, { code }), 302)
        }
        const tokens = await sessions.open(user.id, name, deviceOf(request))
        giveSessionCookies(reply, cookies.isSecure(), tokens)
        return reply.redirect(ownPath(returnTo), 302)
      } catch (error) {
        showAllowance(reply, limits.charge('signIn', request.ip))
        if (!(error instanceof RefusedClient)) throw error
        const refusal = { error: 'access_denied', error_description: error.problem.options.detail }
        return reply.redirect(clientAddress(error.client, refusal), 302)
      }
    }),
  )
}

function requireProvider(text: string): OauthProvider {
  const name = oauthProviders.find((one) => one === text)
  if (name !== undefined) return name
  throw new Problem('not-found', { detail: 'There is no identity provider of that name.' })
}

type ClientQuery = {
  redirect_uri?: string
  state?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
}

/** A client says where to come back to and what it can prove; both or neither. */
function readClient(query: ClientQuery, redirectUris: readonly string[]): OauthClient | null {
  const { redirect_uri: redirectUri, code_challenge: challenge, state = null } = query
  if (redirectUri === undefined && challenge === undefined) return null
  if (redirectUri === undefined || !redirectUris.includes(redirectUri)) {
    throw invalidParameter('redirect_uri', 'must be one of ASSAY_OAUTH_REDIRECT_URIS, letter by letter')
  }
  if (challenge === undefined || query.code_challenge_method !== 'S256') {
    throw invalidParameter('code_challenge', 'must be given, with code_challenge_method=S256')
  }
  return { redirectUri, state, challenge }
}

function clientAddress({ redirectUri, state }: OauthClient, answer: Record<string, string>): string {
  const address = new URL(redirectUri)
  const parameters = { ...answer, ...(state !== null && { state }) }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** A browser is shown a page, since a person is looking; a program gets the problem as ever. */
async function orPage(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    const problem = toProblem(error)
    const isBug = problem.slug === 'internal'
    if (isBug || !(request.headers.accept ?? '').includes('text/html')) throw error
    if (problem.options.internal !== undefined) {
      request.log.warn({ instance: request.id, cause: problem.options.cause }, problem.options.internal)
    }
    return refusalPage(reply, problem)
  }
}
