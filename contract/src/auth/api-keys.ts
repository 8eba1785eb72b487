import { type Static, Type } from 'typebox'
import { environments, keyKindNames, scopes } from '../credentials.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, paging, SnakePage, Time } from '../shapes.ts'

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(shape: S) =>
  Type.Union([shape, Type.Null()])

/** An API key without the key itself, which is shown only once. */
export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: OneOf(keyKindNames),
  hint: Type.String({ description: 'Prefix and last four characters' }),
  site_id: nullable(Type.String()),
  environment: OneOf(environments),
  scopes: Type.Array(OneOf(scopes)),
  created_at: Time,
  expires_at: nullable(Time),
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
})
export type ApiKey = Static<typeof ApiKey>

const NewApiKey = Type.Intersect([ApiKey, Type.Object({ key: Type.String({ description: 'Shown once' }) })])

const fields = {
  name: Type.String({ minLength: 1, maxLength: 120 }),
  environment: OneOf(environments),
  scopes: Type.Array(OneOf(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true }),
}
const Expiry = Type.String({ maxLength: 40, description: 'RFC 3339, in the future' })
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const mintApiKey = route({
  id: 'mintApiKey',
  method: 'POST',
  path: '/v1/auth/api-keys',
  plane: 'control',
  access: 'write',
  scope: 'keys:write',
  rate: 'controlWrite',
  tag: 'API keys',
  summary: 'Mint a new API key',
  description:
    'The key is in this answer and nowhere else. A public key is always bound to a site. No one can grant more than ' +
    'they have: scopes, site and expiry stay within those of the caller, which are also what is given by default.',
  body: Type.Object(
    {
      kind: OneOf(keyKindNames),
      name: fields.name,
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
      environment: Type.Optional(fields.environment),
      scopes: Type.Optional(fields.scopes),
      expires_at: Type.Optional(Expiry),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: NewApiKey },
  audit: {
    action: 'api_key.minted',
    details: ['kind', 'name', 'hint', 'site_id', 'environment', 'scopes', 'expires_at'],
  },
  problems: lookupProblems,
})

export const listApiKeys = route({
  id: 'listApiKeys',
  method: 'GET',
  path: '/v1/auth/api-keys',
  plane: 'control',
  access: 'read',
  scope: 'keys:read',
  rate: 'controlRead',
  tag: 'API keys',
  summary: 'List API keys, newest first',
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: SnakePage(ApiKey) },
  problems: accessProblems,
})

export const updateApiKey = route({
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/v1/auth/api-keys/:id',
  plane: 'control',
  access: 'write',
  scope: 'keys:write',
  rate: 'controlWrite',
  tag: 'API keys',
  summary: 'Rename an API key, or change its environment, scopes or expiry',
  description: 'Effective on every node at once. The new scopes cannot exceed those of the caller.',
  params: byId,
  body: Type.Object(
    {
      name: Type.Optional(fields.name),
      environment: Type.Optional(fields.environment),
      scopes: Type.Optional(fields.scopes),
      expires_at: Type.Optional(nullable(Expiry)),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  success: { status: 200, body: ApiKey },
  audit: { action: 'api_key.updated', details: ['name', 'environment', 'scopes', 'expires_at'] },
  problems: [...lookupProblems, 'conflict'],
})

export const revokeApiKey = route({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/auth/api-keys/:id',
  plane: 'control',
  access: 'write',
  scope: 'keys:write',
  rate: 'controlWrite',
  tag: 'API keys',
  summary: 'Revoke an API key at once',
  params: byId,
  success: { status: 200, body: ApiKey },
  audit: { action: 'api_key.revoked', details: ['name', 'kind', 'hint'] },
  problems: lookupProblems,
})

export const apiKeyRoutes = [mintApiKey, listApiKeys, updateApiKey, revokeApiKey] as const
