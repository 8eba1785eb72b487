import { createHash, hash as digest, randomBytes } from 'node:crypto'
import { type ApiKey, type Environment, type KeyKind, makeKey, type Scope } from '@assay/contract'
import type { KeyPrincipal } from '../../http/access/principal.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import { RecentMap } from '../../platform/recent-map.ts'
import type { Control, Sql } from '../../store/control.ts'
import { findKeyByHash, insertKey, type KeyRow, updateLastUsed } from './store.ts'

export { revokeKeysOfSites } from './store.ts'

type NewKey = {
  workspaceId: string
  kind: KeyKind
  name: string
  siteId: string | null
  environment: Environment
  scopes: readonly Scope[]
  expiresAt: Date | null
}

/** Makes a key and stores its hash. The key itself is in the answer and nowhere else. */
export async function mintKey(
  sql: Sql,
  newId: NewId,
  now: Clock,
  wanted: NewKey,
): Promise<{ key: string; row: KeyRow }> {
  const key = makeKey(wanted.kind, (count) => randomBytes(count))
  const row = {
    id: newId('key'),
    workspace_id: wanted.workspaceId,
    site_id: wanted.siteId,
    kind: wanted.kind,
    name: wanted.name,
    hint: `${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`,
    environment: wanted.environment,
    scopes: [...wanted.scopes],
    created_at: new Date(now()),
    expires_at: wanted.expiresAt,
  }
  await insertKey(sql, row, hashKey(key))
  return { key, row: { ...row, last_used_at: null, revoked_at: null } }
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

export type KeyRing = {
  find: (key: string) => Promise<KeyPrincipal | null> | KeyPrincipal | null
  /** Forgets what is known of a key, here at once and on every other node a moment later. */
  changed: (keyId: string) => Promise<void>
  forgetWorkspace: (workspaceId: string) => void
  /** What is known of a key, also of one that no longer works. */
  facts: (key: string) => Promise<KeyFacts | null>
  /** Writes down which keys were used since the last time. */
  saveUse: () => Promise<void>
}

export type KeyFacts = {
  workspaceId: string
  siteId: string | null
  name: string
  isRevoked: boolean
  expiresAtMs: number | null
}

type Known = { principal: KeyPrincipal; expiresAtMs: number }

const channel = 'assay_keys'
/** Keys in use, some 300 bytes each; what is pushed out is looked up again. */
const knownMax = 50_000
/** A guessed key is remembered as unknown for a moment only, since it may be minted on another node. */
const unknownMs = 5_000
const unknownMax = 10_000

/** Keys are looked up once and then answered from memory: no round trip a request. */
export async function createKeyRing(
  control: Control,
  now: Clock,
  isClosed: (workspaceId: string) => boolean,
): Promise<KeyRing> {
  const known = new RecentMap<Known>(knownMax)
  // bounded: by unknownMax, of digests.
  const unknown = new Map<string, number>()
  // bounded: by the keys that are used until the next `saveUse`.
  const used = new Set<string>()
  let forgotten = 0
  const forget = (keyId: string) => {
    forgotten++
    forgetWhere(known, (principal) => principal.keyId === keyId)
  }
  await control.listen(channel, forget, () => {
    forgotten++
    known.clear()
  })

  async function look(key: string, hash: string): Promise<KeyPrincipal | null> {
    const forgottenBefore = forgotten
    const row = await findKeyByHash(control, hashKey(key))
    // A key that changed during the read may be missing from its result: read again.
    if (forgotten !== forgottenBefore) return look(key, hash)
    if (row === null || row.revoked_at !== null) {
      if (unknown.size >= unknownMax) unknown.clear()
      unknown.set(hash, now() + unknownMs)
      return null
    }
    known.set(hash, {
      principal: toPrincipal(row),
      expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    })
    return answer(hash)
  }

  function answer(hash: string): KeyPrincipal | null {
    const entry = known.get(hash)
    if (entry === undefined || entry.expiresAtMs <= now() || isClosed(entry.principal.workspaceId))
      return null
    used.add(entry.principal.keyId)
    return entry.principal
  }

  return {
    find(key) {
      const hash = digest('sha256', key, 'base64')
      if (known.get(hash) !== undefined) return answer(hash)
      if ((unknown.get(hash) ?? 0) > now()) return null
      return look(key, hash)
    },
    changed: async (keyId) => {
      forget(keyId)
      await control.notify(channel, keyId)
    },
    forgetWorkspace(workspaceId) {
      forgotten++
      forgetWhere(known, (principal) => principal.workspaceId === workspaceId)
    },
    facts: (key) => readFacts(control, key),
    async saveUse() {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await updateLastUsed(control, ids, new Date(now()))
    },
  }
}

async function readFacts(control: Control, key: string): Promise<KeyFacts | null> {
  const row = await findKeyByHash(control, hashKey(key))
  if (row === null) return null
  return {
    workspaceId: row.workspace_id,
    siteId: row.site_id,
    name: row.name,
    isRevoked: row.revoked_at !== null,
    expiresAtMs: row.expires_at?.getTime() ?? null,
  }
}

function forgetWhere(known: RecentMap<Known>, isMeant: (principal: KeyPrincipal) => boolean): void {
  for (const [hash, { principal }] of [...known.entries()]) if (isMeant(principal)) known.delete(hash)
}

function toPrincipal(row: KeyRow): KeyPrincipal {
  return {
    kind: 'key',
    keyId: row.id,
    keyKind: row.kind,
    workspaceId: row.workspace_id,
    siteId: row.site_id,
    scopes: row.scopes,
  }
}

export function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    hint: row.hint,
    site_id: row.site_id,
    environment: row.environment,
    scopes: row.scopes,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}
