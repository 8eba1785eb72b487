import type { Control } from '../store/control.ts'
import { deleteConsentsOf, tellSubjects } from './store.ts'
import type { Subjects } from './subjects.ts'

type Consents = { control: Control; subjects: Subjects }

/** Suppressed people are refused from the next event on, here at once and on other nodes a moment later. */
export async function noteSuppressed(
  { control, subjects }: Consents,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<void> {
  await tellSubjects(control, workspaceId, bornIds)
  subjects.changed(workspaceId, bornIds)
}

/** Consent records are erased with the person. May be repeated. */
export async function forgetConsents(
  { control, subjects }: Consents,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<void> {
  await control.transaction(async (sql) => {
    await deleteConsentsOf(sql, workspaceId, bornIds)
    await tellSubjects(sql, workspaceId, bornIds)
  })
  subjects.changed(workspaceId, bornIds)
}
