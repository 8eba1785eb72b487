import { hash } from 'node:crypto'
import { RecentMap } from '../../platform/recent-map.ts'
import type { Control, Sql } from '../../store/control.ts'
import { sharedSecret } from '../../store/installation.ts'
import { selectPersonKeys, upsertPersonKey } from './person-key-store.ts'

/** Keys from which person ids are derived, one per workspace, so that a workspace can move with its own. */
export type PersonKeys = {
  of: (workspaceId: string) => string
  /** An imported workspace brings the key of its ids. Runs within the transaction of the import. */
  adopt: (sql: Sql, workspaceId: string, key: string) => Promise<void>
  /** Call after that transaction: effective here at once, on every other node a moment later. */
  adopted: (workspaceId: string, key: string) => Promise<void>
}

const channel = 'assay_person_keys'
/** Active workspaces, about 200 bytes each; other keys are derived again. */
const madeMax = 20_000

/** A workspace's key is derived from the secret of the installation, so that no node has to look it up. */
export function personKeyOf(secret: string, workspaceId: string): string {
  return hash('sha256', `${secret}\u0000${workspaceId}`, 'hex')
}

export async function createPersonKeys(control: Control): Promise<PersonKeys> {
  const secret = await sharedSecret(control, 'identity')
  // bounded: by the imported workspaces of the control store, some 200 bytes each.
  const adopted = new Map<string, string>()
  const made = new RecentMap<string>(madeMax)
  async function load(): Promise<void> {
    for (const { workspace_id, key } of await selectPersonKeys(control)) adopted.set(workspace_id, key)
  }
  const hear = (notice: string) => {
    const [workspaceId = '', key = ''] = notice.split(' ')
    adopted.set(workspaceId, key)
  }
  // If it cannot be read now the connection is lost again, and reconnecting retries.
  await control.listen(channel, hear, () => void load().catch(() => {}))
  await load()
  return {
    of(workspaceId) {
      const known = adopted.get(workspaceId) ?? made.get(workspaceId)
      if (known !== undefined) return known
      const key = personKeyOf(secret, workspaceId)
      made.set(workspaceId, key)
      return key
    },
    adopt: upsertPersonKey,
    async adopted(workspaceId, key) {
      adopted.set(workspaceId, key)
      await control.notify(channel, `${workspaceId} ${key}`)
    },
  }
}
