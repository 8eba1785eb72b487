import { Type } from 'typebox'
import type { Scope } from '../credentials.ts'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'

/** What the CLI needs for a project, and no more: its key is stored on a disk. */
export const commandScopes: readonly Scope[] = [
  'registry:read',
  'registry:write',
  'sites:read',
  'events:send',
  'events:read',
  'analytics:read',
  'identity:read',
  'health:read',
]

export const grantCommand = route({
  plane: 'control',
  tag: 'Sign-in',
  id: 'grantCommand',
  method: 'POST',
  path: '/v1/auth/commands',
  access: 'write',
  scope: 'keys:write',
  rate: 'controlWrite',
  summary: 'Allow a command on this machine a key of its own',
  description:
    'What the page `/connect` calls when the user presses Allow. The code goes to the command, which exchanges it, ' +
    'with the verifier that it alone has, for a key with the scopes that projects need. It works once, for 2 minutes.',
  body: Type.Object(
    {
      code_challenge: Type.String({
        pattern: '^[A-Za-z0-9_-]{43}$',
        description: 'SHA-256 of the verifier, base64url',
      }),
      name: Type.String({ minLength: 1, maxLength: 80, pattern: '^[^\\u0000]*$' }),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: Type.Object({ code: Type.String(), expires_in: Type.Integer() }) },
  audit: { action: 'api_key.granted', details: ['name'] },
  problems: accessProblems,
})

export const redeemCommand = route({
  plane: 'control',
  tag: 'Sign-in',
  id: 'redeemCommand',
  method: 'POST',
  path: '/v1/auth/commands/token',
  access: 'open',
  rate: 'signIn',
  summary: 'Exchange the code of a command for its key',
  body: Type.Object(
    {
      code: Type.String({ minLength: 1, maxLength: 200 }),
      code_verifier: Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' }),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: Type.Object({ key: Type.String(), workspace_id: Type.String() }) },
  problems: ['unauthenticated'],
})

export const commandGrantRoutes = [grantCommand, redeemCommand] as const
