import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { KeyKind } from '@assay/contract'
import { mintKey } from '../auth/keys/keys.ts'
import type { MagicLinks } from '../auth/sign-in/magic-links.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { createSiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { locks } from '../store/locks.ts'
import { addMember, ensureUser } from '../workspaces/members/users.ts'
import { hasWorkspaces, openWorkspace } from '../workspaces/workspaces.ts'

export type FirstRun = {
  workspaceId: string
  siteId: string
  siteToken: string
  liveKey: string
  testKey: string
  publicKey: string
  secretKey: string
  ownerEmail: string
  /** Works once, for a day; null where the file was written and the product never came up. */
  signInUrl: string | null
}

type NewInstallation = { file: string; ownerEmail: string }

/**
 * An empty installation gets a workspace with its owner, a site and one key of each kind. Keys cannot be
 * shown again, so they are written to a file that only its owner can read. Null when there is a workspace
 * already.
 */
export async function prepareFirstRun(
  control: Control,
  newId: NewId,
  now: Clock,
  { dataDir, ownerEmail }: { dataDir: string; ownerEmail: string },
): Promise<NewInstallation | null> {
  const prepare = async () => {
    if (await hasWorkspaces(control)) return null
    const file = `${dataDir}/first-run.json`
    await control.transaction(async (sql) => {
      const workspaceId = newId('ws')
      await openWorkspace(sql, workspaceId, 'default')
      const owner = await ensureUser(sql, newId, now, ownerEmail)
      await addMember(sql, now, workspaceId, owner.id, 'owner')
      const site = await createSiteRow(sql, newId, now, {
        workspaceId,
        name: 'My site',
        domain: 'localhost',
        timezone: 'UTC',
        currency: null,
      })
      const mint = async (kind: KeyKind, siteId: string | null) => {
        const wanted = { workspaceId, kind, name: 'First run', siteId, environment: 'production' as const }
        const scopes = kind === 'public' ? (['events:send'] as const) : (['*'] as const)
        return (await mintKey(sql, newId, now, { ...wanted, scopes, expiresAt: null })).key
      }
      const firstRun: FirstRun = {
        workspaceId,
        siteId: site.id,
        siteToken: site.ingest_token,
        liveKey: await mint('live', null),
        testKey: await mint('test', null),
        publicKey: await mint('public', site.id),
        secretKey: await mint('secret', null),
        ownerEmail: owner.email,
        signInUrl: null,
      }
      // Inside the transaction: if the file cannot be written, the keys, which no one has seen, are not
      // stored.
      writeFileSync(file, `${JSON.stringify(firstRun, null, 2)}\n`, { mode: 0o600 })
    })
    return { file, ownerEmail }
  }
  return control.unhurried(() => control.exclusively(locks.firstRun, prepare))
}

/** Longer than other links: anyone who can read the file or the console has all keys anyway. */
const firstLinkMinutes = 24 * 60

/** Once the address is known, the file gets the link by which its owner signs in. */
export async function completeFirstRun(
  { file, ownerEmail }: NewInstallation,
  magicLinks: MagicLinks,
): Promise<string> {
  const signInUrl = await magicLinks.make(ownerEmail, firstLinkMinutes)
  const firstRun: FirstRun = JSON.parse(readFileSync(file, 'utf8'))
  // Renamed into place: the keys cannot be shown a second time.
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...firstRun, signInUrl }, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return signInUrl
}
