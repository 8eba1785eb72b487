import { listApiKeys, mintApiKey, Problem, revokeApiKey, type Scope } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { mintKey, toApiKey } from './keys.ts'
import { revokeKey, selectKeys } from './store.ts'

const pageDefault = 50

export function accountRoutes(plane: Plane, { control, keyRing, requireSite, newId, now }: Deps): void {
  serve(plane, mintApiKey, async ({ body, caller }) => {
    const scopes: readonly Scope[] = body.scopes ?? (body.kind === 'public' ? ['events:send'] : ['*'])
    requireHeldScopes(caller.scopes, scopes)
    if (body.kind === 'public' && body.site_id === undefined) {
      throw invalid('site_id', 'must be given: a public key is always bound to a site')
    }
    if (body.site_id !== undefined) await requireSite(caller.workspaceId, body.site_id)
    const { key, row } = await mintKey(control, newId, now, {
      workspaceId: caller.workspaceId,
      kind: body.kind,
      name: body.name,
      siteId: body.site_id ?? null,
      environment: body.environment ?? 'production',
      scopes,
      expiresAt: readExpiry(body.expires_at, now()),
    })
    return { ...toApiKey(row), key }
  })

  serve(plane, listApiKeys, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectKeys(control, caller.workspaceId, query.cursor ?? null, limit + 1)
    const page = rows.slice(0, limit)
    return { data: page.map(toApiKey), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
  })

  serve(plane, revokeApiKey, async ({ params, caller }) => {
    const row = await revokeKey(control, caller.workspaceId, params.id, new Date(now()))
    if (row === null) throw new Problem('not-found', { detail: 'There is no such API key.' })
    await keyRing.revoked(row.id)
    return toApiKey(row)
  })
}

/** A key cannot make one that may do more than itself. */
function requireHeldScopes(held: readonly Scope[], wanted: readonly Scope[]): void {
  const missing = held.includes('*') ? [] : wanted.filter((scope) => !held.includes(scope))
  if (missing.length === 0) return
  throw new Problem('insufficient-scope', {
    detail: `This key lacks ${missing.join(', ')} and so cannot give it away.`,
  })
}

function readExpiry(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null
  const at = Date.parse(text)
  if (Number.isNaN(at) || at <= nowMs) throw invalid('expires_at', 'must be an RFC 3339 time in the future')
  return new Date(at)
}

function invalid(field: string, message: string): Problem {
  return new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}
