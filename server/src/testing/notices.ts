import { createDestination, type NoticeType } from '@assay/contract'
import type { TestWorkspace, World } from './harness.ts'

/** Subscribes to notices. Nothing leaves the product: the URL is private, which is not allowed here. */
export async function subscribeToNotices(workspace: TestWorkspace, notices: NoticeType[]): Promise<void> {
  const body = { name: 'Told', url: 'http://127.0.0.1:9/hook', notices }
  const { status } = await workspace.call(createDestination, { body })
  if (status !== 201) throw new Error(`a destination was answered ${status}`)
}

/** Notices of this type that wait to be sent, the oldest first. */
export async function noticesOf(
  { product }: World,
  { workspaceId }: TestWorkspace,
  type: NoticeType,
): Promise<Record<string, unknown>[]> {
  const rows = await product.deps.control.query<{ body: string }>(
    'SELECT body FROM dispatches WHERE workspace_id = $1 AND type = $2 ORDER BY position',
    [workspaceId, type],
  )
  return rows.map(({ body }) => JSON.parse(body).data)
}
