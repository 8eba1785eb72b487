import type { Notice } from '@assay/contract'
import type { Sql } from '../store/control.ts'

/**
 * Sends a notice to its subscribers. The subject identifies the occurrence: each is sent once. Inside the
 * caller's transaction, the notice exists if and only if the transaction commits.
 */
export type SendNotice = (workspaceId: string, notice: Notice, sql?: Sql) => Promise<void>
