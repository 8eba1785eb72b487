import type { Control } from '../store/control.ts'
import { unpacked } from '../store/people/person-export.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { deleteMemories, emptyPayloads, selectMemories, selectPayloads } from './personal-data-store.ts'

/** What vendors sent and no event was made of, and what is remembered between deliveries. */
export function webhookData(control: Control): PersonalDataPlace[] {
  return [
    textTable({
      control,
      name: 'webhook_deliveries',
      method: 'payload emptied',
      select: selectPayloads,
      change: emptyPayloads,
      exported: ({ text, ...row }) => ({ ...row, payload: unpacked(text) }),
    }),
    textTable({
      control,
      name: 'webhook_memory',
      method: 'deleted',
      select: selectMemories,
      change: deleteMemories,
      exported: ({ id: _, text, ...row }) => ({ ...row, memory: unpacked(text) }),
    }),
  ]
}
