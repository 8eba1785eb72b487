import { type installPack, type listPacks, type Output, Problem } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import { packs } from '../packs/index.ts'
import type { Pack } from '../packs/pack.ts'
import { isOwnKey } from './contracts.ts'
import { requireRoom, toRow } from './registration.ts'
import { insertContracts, lockRegistry, selectExistingKeys } from './store.ts'
import { readVersion } from './versions.ts'

export function listAllPacks(): Output<typeof listPacks> {
  const data = packs.map(({ key, title, description, contracts }) => ({
    key,
    title,
    description,
    events: contracts.map((contract) => ({ key: contract.key, description: contract.description })),
  }))
  return { data, next_cursor: null }
}

/** All of a pack's contracts that are not there yet, or none of them. */
export async function install(
  control: Control,
  now: Clock,
  workspaceId: string,
  packKey: string,
  status: 'draft' | 'published',
  isDryRun: boolean,
): Promise<Output<typeof installPack>> {
  const pack = requirePack(packKey)
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    const keys = pack.contracts.map((contract) => contract.key)
    const taken = new Set(await selectExistingKeys(sql, workspaceId, keys))
    const isFree = (key: string) => !taken.has(key) && !isOwnKey(key)
    const wanted = pack.contracts.filter((contract) => isFree(contract.key))
    await requireRoom(sql, workspaceId, wanted.length)
    const rows = wanted.map((contract) => toRow(contract, readVersion(contract.version), status, now))
    if (!isDryRun) await insertContracts(sql, workspaceId, rows)
    return {
      pack: pack.key,
      dry_run: isDryRun,
      installed: wanted.map((contract) => contract.key),
      skipped: keys
        .filter((key) => !isFree(key))
        .map((key) => ({ key, reason: 'A contract with this key exists; it was left as it is.' })),
    }
  })
}

function requirePack(key: string): Pack {
  const pack = packs.find((each) => each.key === key)
  if (pack === undefined) throw new Problem('not-found', { detail: 'There is no such pack.' })
  return pack
}
