import { readdir } from 'node:fs/promises'
import type { Control } from '../store/control.ts'
import type { DataSubject, StoredPlace } from '../store/personal-data.ts'
import { removeArchive } from './exporting.ts'
import { emptyExports, selectOffered } from './personal-data-store.ts'
import { requestsNaming } from './request-data.ts'

/** Archives that were made for the person. */
export function archiveData(control: Control, exportsDir: string): StoredPlace {
  const find = async (person: DataSubject) =>
    (await requestsNaming(control, person)).filter(({ type }) => type === 'export').map(({ id }) => id)
  return {
    kind: 'files',
    name: 'exports',
    covers: { files: ['exports'] },
    method: () => 'deleted',
    count: async (person) => (await find(person)).length,
    async erase(person) {
      const ids = await find(person)
      for (const id of ids) await removeArchive(exportsDir, id)
      await emptyExports(control, person.workspaceId, ids)
    },
    // Whoever asked is not known there any more; what is not offered need not lie there.
    eraseOnNode: () => removeWithdrawn(control, exportsDir),
    exported: { because: 'a copy of what this archive holds' },
  }
}

async function removeWithdrawn(control: Control, exportsDir: string): Promise<void> {
  const names = await readdir(exportsDir).catch(() => [])
  const ids = names.flatMap((name) => /^(\w+)\.zip$/.exec(name)?.[1] ?? [])
  const isOffered = new Set(ids.length === 0 ? [] : await selectOffered(control, ids))
  for (const id of ids) if (!isOffered.has(id)) await removeArchive(exportsDir, id)
}
