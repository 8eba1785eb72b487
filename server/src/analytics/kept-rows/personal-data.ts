import type { StoredPlace } from '../../store/people/personal-data.ts'
import type { KeptRows } from './kept-rows.ts'

/** Below the data directory. */
export const rowFolder = 'rows'

/** Columns of events in files. They are not searched: they are deleted when a person in the workspace is erased. */
export function rowFiles({ countFiles, forget }: Pick<KeptRows, 'countFiles' | 'forget'>): StoredPlace {
  return {
    kind: 'files',
    name: 'kept_row_files',
    covers: { files: [rowFolder] },
    method: () => 'deleted',
    count: ({ workspaceId }) => countFiles(workspaceId),
    erase: ({ workspaceId }) => forget(workspaceId),
    exported: { because: 'copies of columns of the events, which are in the file of events' },
  }
}
