import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { mentions } from '../store/people/person-text.ts'
import { textsNaming, textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import {
  deleteMessages,
  deleteNamingAlert,
  type NamingAlert,
  selectNamingAlerts,
  selectNamingMessages,
  updateNamingAlert,
} from './personal-data-store.ts'

/** Recipients, names and questions of alerts that name a person, and messages to them. */
export function alertData(control: Control): PersonalDataPlace[] {
  const alerts = textTable({
    control,
    name: 'alerts',
    method: 'removed from recipients, names emptied, alerts about the person deleted',
    select: selectNamingAlerts,
    change: async () => {},
    exported: ({ name, question, recipients }) => ({ name, question, recipients }),
  })
  const messages = textTable({
    control,
    name: 'alert_messages',
    method: 'deleted',
    select: selectNamingMessages,
    change: deleteMessages,
    exported: ({ recipient, facts, created_at }) => ({ recipient, facts, createdAt: created_at }),
  })
  return [
    {
      ...alerts,
      async erase(person: DataSubject) {
        for await (const row of textsNaming(control, selectNamingAlerts, person)) {
          await eraseFrom(control, person, row)
        }
      },
    },
    messages,
  ]
}

/** The question of a report is that of the report. An alert about one person alone has no use without them. */
async function eraseFrom(
  control: Control,
  { workspaceId, values }: DataSubject,
  { id, name, question, recipients }: NamingAlert,
): Promise<void> {
  const isFree = (value: unknown) => !mentions(JSON.stringify(value), values)
  if (!isFree(question)) return deleteNamingAlert(control, workspaceId, id)
  await updateNamingAlert(control, workspaceId, {
    id,
    name: isFree(name) ? name : 'Untitled',
    recipients: recipients.filter(isFree),
  })
}
