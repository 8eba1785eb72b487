import type { Control } from '../store/control.ts'
import { deleteConsentsOf, notifySubjects } from './store.ts'
import type { Subjects } from './subjects.ts'

type Consents = { control: Control; subjects: Subjects }

/** Suppressed people are refused from the next event on, here at once and on other nodes a moment later. */
export async function noteSuppressed(
  { control, subjects }: Consents,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  await notifySubjects(control, workspaceId, originalIds)
  subjects.changed(workspaceId, originalIds)
}

/** Consent records are erased with the person. May be repeated. */
export async function forgetConsents(
  { control, subjects }: Consents,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  await control.transaction(async (sql) => {
    await deleteConsentsOf(sql, workspaceId, originalIds)
    await notifySubjects(sql, workspaceId, originalIds)
  })
  subjects.changed(workspaceId, originalIds)
}
