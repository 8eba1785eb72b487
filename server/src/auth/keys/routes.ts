import {
  invalidParameter,
  listApiKeys,
  mintApiKey,
  Problem,
  readTime,
  revokeApiKey,
  updateApiKey,
} from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import type { RequireSite } from '../../sites/sites.ts'
import { revokeInvitationsOfMaker } from '../../workspaces/members/invitations.ts'
import { type RequestedKey, requireWithin } from './key-limits.ts'
import type { KeyRing } from './keys.ts'
import { mintKey, toApiKey } from './keys.ts'
import { revokeKey, selectKey, selectKeys, updateKey } from './store.ts'

type Needs = Platform & { keyRing: KeyRing; requireSite: RequireSite }

export function keyRoutes(plane: Plane, { control, keyRing, requireSite, newId, now }: Needs): void {
  serve(plane, mintApiKey, async ({ body, caller }) => {
    const isPublic = body.kind === 'public'
    const wanted: RequestedKey = {
      scopes: body.scopes ?? (isPublic ? ['events:send'] : caller.scopes),
      siteId: body.site_id ?? caller.siteId,
      expiresAt: readExpiry(body.expires_at, now()),
    }
    await requireWithin(control, caller, wanted)
    if (isPublic && wanted.siteId === null) {
      throw invalidParameter('site_id', 'must be given: a public key is always bound to a site')
    }
    if (wanted.siteId !== null) await requireSite(caller.workspaceId, wanted.siteId)
    const { key, row } = await mintKey(control, newId, now, {
      workspaceId: caller.workspaceId,
      kind: body.kind,
      name: body.name,
      environment: body.environment ?? 'production',
      ...wanted,
    })
    return { ...toApiKey(row), key }
  })

  serve(plane, listApiKeys, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectKeys(control, caller.workspaceId, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toApiKey), next_cursor: next }
  })

  serve(plane, updateApiKey, async ({ params, body, caller }) => {
    const before = await selectKey(control, caller.workspaceId, params.id)
    if (before === null) throw unknownKey()
    const after = {
      ...before,
      name: body.name ?? before.name,
      environment: body.environment ?? before.environment,
      scopes: body.scopes ?? before.scopes,
      expires_at:
        body.expires_at === undefined ? before.expires_at : readExpiry(body.expires_at ?? undefined, now()),
    }
    const changesPower = body.scopes !== undefined || body.expires_at !== undefined
    if (changesPower) {
      const wanted = { scopes: after.scopes, siteId: after.site_id, expiresAt: after.expires_at }
      await requireWithin(control, caller, wanted)
    }
    const changed = await updateKey(control, after)
    if (changed === null) throw new Problem('conflict', { detail: 'This API key was revoked.' })
    await keyRing.changed(changed.id)
    return toApiKey(changed)
  })

  serve(plane, revokeApiKey, async ({ params, caller }) => {
    const at = new Date(now())
    const row = await revokeKey(control, caller.workspaceId, params.id, at)
    if (row === null) throw unknownKey()
    await revokeInvitationsOfMaker(control, caller.workspaceId, row.id, at)
    await keyRing.changed(row.id)
    return toApiKey(row)
  })
}

function unknownKey(): Problem {
  return new Problem('not-found', { detail: 'There is no such API key.' })
}

function readExpiry(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null
  const at = readTime(text)?.ms
  if (at === undefined || at <= nowMs)
    throw invalidParameter('expires_at', 'must be an RFC 3339 time in the future')
  return new Date(at)
}
