import { join } from 'node:path'

/** What is measured: the product of one commit, in its own working tree. */
export type Side = {
  /** Short, for tables and names of folders. */
  readonly name: string
  readonly commit: string
  readonly root: string
}

const repository = join(import.meta.dirname, '..', '..')

/** The product of the tree that this bench is in, with whatever is not committed there yet. */
export const hereSide = (commit: string): Side => ({ name: 'here', commit, root: repository })

export const productEntryIn = (root: string): string => join(root, 'server', 'src', 'main.ts')

/**
 * Of that side's own bench: it imports the product around it, and its copies know that side's schema. So what
 * it understands, and in what words, must stay what it is.
 */
export const instrumentedProgramIn = (root: string): string => join(root, 'bench', 'src', 'instrumented.ts')
