import type { Notice } from '@assay/contract'
import type { Sql } from '../store/control.ts'

/**
 * Tells whoever wants to know. The subject of a notice says which happening it was: the same one is told once. Within a
 * transaction of the caller's, the notice is there if and only if what it tells of is.
 */
export type TellNotice = (workspaceId: string, notice: Notice, sql?: Sql) => Promise<void>
