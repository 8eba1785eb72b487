import { Problem, type Scope } from '@assay/contract'
import { missingScopes, type Principal } from '../../http/access/principal.ts'
import type { Sql } from '../../store/control.ts'
import { selectKey } from './store.ts'

/** What a caller wants to grant to a key. */
export type RequestedKey = { scopes: readonly Scope[]; siteId: string | null; expiresAt: Date | null }

/** No one can grant more than they have: scopes, sites and expiry. */
export async function requireWithin(sql: Sql, caller: Principal, wanted: RequestedKey): Promise<void> {
  const missing = missingScopes(caller.scopes, wanted.scopes)
  if (missing.length > 0) throw refusal(`You lack ${missing.join(', ')} and so cannot give it away.`)
  if (caller.siteId !== null && caller.siteId !== wanted.siteId) {
    throw refusal('This key is bound to a site and can only give away keys of that site.')
  }
  if (caller.kind !== 'key') return
  const minter = await selectKey(sql, caller.workspaceId, caller.keyId)
  const until = minter?.expires_at ?? null
  if (until !== null && (wanted.expiresAt === null || wanted.expiresAt > until)) {
    throw refusal(`This key expires at ${until.toISOString()} and can give nothing away for longer.`)
  }
}

function refusal(detail: string): Problem {
  return new Problem('insufficient-scope', { detail })
}
