import type { Clock, NewId } from '../platform/clock.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Control } from '../store/control.ts'
import type { Destinations } from './destinations.ts'
import { insertDispatches } from './dispatch-store.ts'
import { retryUntil } from './sender.ts'

type NoticeOptions = { control: Control; destinations: Destinations; now: Clock; newId: NewId }

export function createNotices({ control, destinations, now, newId }: NoticeOptions): SendNotice {
  return async (workspaceId, { type, subject, data }, sql = control) => {
    const takers = destinations.activeOf(workspaceId).filter(({ notices }) => notices.includes(type))
    if (takers.length === 0) return
    const nowMs = now()
    const body = JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data })
    const rows = takers.map((target) => ({
      id: newId('msg'),
      workspace_id: workspaceId,
      destination_id: target.id,
      subject: `${type} ${subject}`,
      kind: 'notice' as const,
      type,
      person_id: '',
      body,
    }))
    await insertDispatches(sql, rows, { at: new Date(nowMs), until: retryUntil(nowMs) })
  }
}
