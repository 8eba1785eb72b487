import { commandScopes } from '@assay/contract'
import { actorOf, recordAudit } from '../../audit/audit.ts'
import type { Principal } from '../../http/access/principal.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/secrets/tokens.ts'
import type { Control } from '../../store/control.ts'
import { requireWithin } from '../keys/key-limits.ts'
import { mintKey } from '../keys/keys.ts'
import { deleteOldGrants, insertCommandGrant, takeCommandGrant } from './command-grant-store.ts'

type World = { control: Control; now: Clock; newId: NewId }

/** The browser takes the code to the command at once. */
export const grantSeconds = 120

/** Notes that a command may come for a key, and answers the code that it has to bring. */
export async function grantToCommand(
  { control, now }: World,
  caller: Principal,
  { challenge, name }: { challenge: string; name: string },
): Promise<string> {
  await requireWithin(control, caller, { scopes: commandScopes, siteId: null, expiresAt: null })
  const actor = await actorOf(control, caller)
  const code = newToken('cg')
  await deleteOldGrants(control, new Date(now()))
  await insertCommandGrant(
    control,
    hashToken(code),
    {
      workspace_id: caller.workspaceId,
      challenge,
      name,
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_label: actor.label,
    },
    new Date(now() + grantSeconds * 1000),
  )
  return code
}

/** The key, for the caller with code and verifier; null otherwise, and the code is used up either way. */
export async function redeemGrant(
  { control, now, newId }: World,
  code: string,
  verifier: string,
  requestId: string,
): Promise<{ key: string; workspaceId: string } | null> {
  const grant = await takeCommandGrant(control, hashToken(code), new Date(now()))
  if (grant === null || grant.challenge !== hashToken(verifier).toString('base64url')) return null
  const { workspace_id: workspaceId, name } = grant
  return control.transaction(async (sql) => {
    const { key, row } = await mintKey(sql, newId, now, {
      workspaceId,
      kind: 'secret',
      name,
      siteId: null,
      environment: 'production',
      scopes: commandScopes,
      expiresAt: null,
    })
    const actor = { kind: grant.actor_kind, id: grant.actor_id, label: grant.actor_label }
    const details = { name, kind: 'secret', scopes: commandScopes }
    const entry = { workspaceId, actor, action: 'api_key.minted', objectId: row.id, details } as const
    await recordAudit(sql, newId, now, { ...entry, requestId })
    return { key, workspaceId }
  })
}
