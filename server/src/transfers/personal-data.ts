import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import type { Exports } from './export/exports.ts'
import type { Imports } from './import/imports.ts'

/**
 * Copies of a whole workspace. They are not searched: they are deleted when a person in the workspace is
 * erased.
 */
export function transferData({
  exports,
  imports,
}: {
  exports: Exports
  imports: Imports
}): PersonalDataPlace[] {
  const because = 'a copy of the workspace, whose rows about the person are in the other files'
  return [
    {
      kind: 'files',
      name: 'workspace_exports',
      covers: { files: ['transfers/exports'], control: ['workspace_exports', 'stored_files'] },
      method: () => 'deleted',
      count: async ({ workspaceId }) => ((await exports.has(workspaceId)) ? 1 : 0),
      erase: ({ workspaceId }) => exports.drop(workspaceId),
      eraseOnNode: (workspaceId) => exports.drop(workspaceId),
      exported: { because },
    },
    {
      kind: 'files',
      name: 'workspace_imports',
      covers: { files: ['transfers/imports'] },
      method: () => 'deleted',
      count: async ({ workspaceId }) => ((await imports.holdsFiles(workspaceId)) ? 1 : 0),
      erase: ({ workspaceId }) => imports.drop(workspaceId),
      eraseOnNode: (workspaceId) => imports.drop(workspaceId),
      exported: { because },
    },
  ]
}
