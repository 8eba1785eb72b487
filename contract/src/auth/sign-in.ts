import { type Static, Type } from 'typebox'
import { roles } from '../credentials.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, emailLengthMax, OneOf, paging, SnakePage, Time } from '../shapes.ts'

export const oauthProviders = ['google', 'github'] as const
export type OauthProvider = (typeof oauthProviders)[number]

/** How a person can sign in; stored with the session. */
const signInMethods = ['magic-link', ...oauthProviders] as const
export type SignInMethod = (typeof signInMethods)[number]

/** Where the tokens go: into the answer, or into cookies that scripts cannot read. */
export const deliveries = ['body', 'cookies'] as const
export type Delivery = (typeof deliveries)[number]

const User = Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() })

/** The result of a sign-in. With cookies the tokens themselves are left out. */
export const NewSession = Type.Object({
  session_id: Type.String(),
  token_type: Type.Literal('Bearer'),
  access_token: Type.Optional(Type.String({ description: 'A JWT, for Authorization: Bearer' })),
  expires_in: Type.Integer({ description: 'Seconds that the access token is good for' }),
  refresh_token: Type.Optional(
    Type.String({
      description: 'Gives the next pair of tokens, once; 30 days after its last use it is void',
    }),
  ),
  user: User,
})
export type NewSession = Static<typeof NewSession>

const Session = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether this very request belongs to it' }),
  method: OneOf(signInMethods),
  device: Type.String({ description: 'Browser and system, in words' }),
  country: Type.String({ description: 'ISO 3166 code, empty when unknown; addresses are not kept' }),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
})
export type Session = Static<typeof Session>

const base = { plane: 'control', tag: 'Sign-in' } as const
const Token = Type.String({ minLength: 1, maxLength: 200 })
const ReturnTo = Type.String({
  maxLength: 500,
  pattern: '^/(?![/\\\\])[^\\u0000-\\u001f\\\\]*$',
  description: 'A path of this product to continue to',
})
const Verifier = Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' })

export const listSignInMethods = route({
  ...base,
  id: 'listSignInMethods',
  method: 'GET',
  path: '/v1/auth/methods',
  access: 'open',
  rate: 'open',
  summary: 'How one can sign in here',
  success: {
    status: 200,
    body: Type.Object({
      magic_link: Type.Boolean(),
      oauth: Type.Array(OneOf(oauthProviders)),
      sign_up: OneOf(['invited', 'open'], {
        description: 'Whether people without an invitation get an account',
      }),
    }),
  },
  problems: [],
})

export const requestMagicLink = route({
  ...base,
  id: 'requestMagicLink',
  method: 'POST',
  path: '/v1/auth/magic-link',
  access: 'open',
  rate: 'signIn',
  summary: 'Request a magic-link e-mail',
  description:
    'The answer is the same, and takes the same time, whether or not there is an account. A link works once, for ' +
    '15 minutes. While five links to an address are open, no sixth is sent: the newest one in the inbox still works.',
  body: Type.Object(
    {
      email: Type.String({ minLength: 3, maxLength: emailLengthMax }),
      return_to: Type.Optional(ReturnTo),
    },
    { additionalProperties: false },
  ),
  success: { status: 202, body: Type.Object({ status: Type.Literal('accepted'), message: Type.String() }) },
  problems: [],
})

export const verifyMagicLink = route({
  ...base,
  id: 'verifyMagicLink',
  method: 'POST',
  path: '/v1/auth/magic-link/verify',
  access: 'open',
  rate: 'none',
  summary: 'Exchange the magic-link token for a session',
  description:
    'A good token is never turned away for what others tried before; wrong ones are counted by source. On a server ' +
    'without mail the token of an invitation is taken too, for an address that has no account yet.',
  body: Type.Object(
    { token: Token, delivery: Type.Optional(OneOf(deliveries)) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: NewSession },
  problems: accessProblems,
})

export const beginOauth = route({
  ...base,
  id: 'beginOauth',
  method: 'GET',
  path: '/v1/auth/oauth/:provider',
  access: 'open',
  rate: 'open',
  summary: 'Begin OAuth',
  description:
    'Leads to the identity provider, with PKCE (S256), state and, where the provider knows it, nonce. Opened by the ' +
    'dashboard it comes back there with cookies. A client of its own gives its redirect_uri, which must be ' +
    'registered letter by letter, and a code_challenge; it comes back there with a code for /v1/auth/oauth/token.',
  params: Type.Object({ provider: Type.String({ maxLength: 40 }) }),
  query: Type.Object(
    {
      return_to: Type.Optional(ReturnTo),
      redirect_uri: Type.Optional(Type.String({ maxLength: 500 })),
      state: Type.Optional(Type.String({ maxLength: 500 })),
      code_challenge: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })),
      code_challenge_method: Type.Optional(OneOf(['S256'])),
    },
    { additionalProperties: false },
  ),
  success: { status: 302, body: null },
  problems: ['not-found'],
})

export const finishOauth = route({
  ...base,
  id: 'finishOauth',
  method: 'GET',
  path: '/v1/auth/oauth/:provider/callback',
  access: 'open',
  rate: 'none',
  summary: 'Where the identity provider sends people back to',
  description: 'Errors are shown as a page, since a person is looking at it.',
  params: Type.Object({ provider: Type.String({ maxLength: 40 }) }),
  query: Type.Object({
    state: Type.Optional(Type.String({ maxLength: 200 })),
    code: Type.Optional(Type.String({ maxLength: 2_000 })),
    iss: Type.Optional(Type.String({ maxLength: 500 })),
    error: Type.Optional(Type.String({ maxLength: 200 })),
    error_description: Type.Optional(Type.String({ maxLength: 1_000 })),
  }),
  success: { status: 302, body: null },
  problems: ['not-found', 'unauthenticated', 'insufficient-scope'],
})

export const exchangeOauthCode = route({
  ...base,
  id: 'exchangeOauthCode',
  method: 'POST',
  path: '/v1/auth/oauth/token',
  access: 'open',
  rate: 'none',
  summary: 'Exchange the code of a finished OAuth sign-in for a session',
  body: Type.Object(
    { code: Token, code_verifier: Verifier, redirect_uri: Type.String({ maxLength: 500 }) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: NewSession },
  problems: ['unauthenticated'],
})

export const refreshSession = route({
  ...base,
  id: 'refreshSession',
  method: 'POST',
  path: '/v1/auth/session/refresh',
  access: 'open',
  rate: 'none',
  summary: 'Refresh an access token',
  description:
    'Takes the refresh token from the body, or else from the cookie. It gives a new pair, and is spent. Sent again ' +
    'within 10 seconds, while its successor is unused, it gives that same successor; later it ends the session.',
  body: Type.Object({ refresh_token: Type.Optional(Token) }, { additionalProperties: false }),
  success: { status: 200, body: NewSession },
  problems: accessProblems,
})

export const revokeSession = route({
  ...base,
  id: 'revokeSession',
  method: 'POST',
  path: '/v1/auth/session/revoke',
  access: 'person',
  rate: 'controlWrite',
  summary: 'Revoke a session',
  description:
    'The current one, another of the same person, or all of theirs. Effective at once, on every node.',
  body: Type.Object(
    {
      session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      all: Type.Optional(Type.Boolean({ description: 'Every session of this person, this one too' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ revoked: Type.Array(Type.String()) }) },
  problems: lookupProblems,
})

export const getSession = route({
  ...base,
  id: 'getSession',
  method: 'GET',
  path: '/v1/auth/session',
  access: 'person',
  rate: 'controlRead',
  summary: 'Who is signed in, and what they are where',
  success: {
    status: 200,
    body: Type.Object({
      user: User,
      session: Session,
      workspaces: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: OneOf(roles) }), {
        description: 'In order of joining; X-Assay-Workspace names one of them, the first is meant otherwise',
      }),
    }),
  },
  problems: accessProblems,
})

export const listSessions = route({
  ...base,
  id: 'listSessions',
  method: 'GET',
  path: '/v1/auth/sessions',
  access: 'person',
  rate: 'controlRead',
  summary: 'The sessions of the person who is signed in, newest first',
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: SnakePage(Session) },
  problems: accessProblems,
})

export const getSigningKeys = route({
  ...base,
  id: 'getSigningKeys',
  method: 'GET',
  path: '/.well-known/jwks.json',
  access: 'open',
  rate: 'open',
  summary: 'The keys that access tokens are signed with',
  success: {
    status: 200,
    body: Type.Object({ keys: Type.Array(Dictionary(Type.Unknown())) }),
  },
  problems: [],
})

export const signInRoutes = [
  listSignInMethods,
  requestMagicLink,
  verifyMagicLink,
  beginOauth,
  finishOauth,
  exchangeOauthCode,
  refreshSession,
  revokeSession,
  getSession,
  listSessions,
  getSigningKeys,
] as const
