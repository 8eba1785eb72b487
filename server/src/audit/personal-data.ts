import type { Control } from '../store/control.ts'
import { unpacked } from '../store/people/person-export.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import {
  type ActRow,
  emptyAuditEntries,
  emptyPendingActs,
  selectAuditEntries,
  selectPendingActs,
} from './personal-data-store.ts'

/** Actions of members on a person. Who did it is left out of the archive: that is about the member. */
export function auditData(control: Control): PersonalDataPlace[] {
  const shared = { control, method: 'details emptied', exported: aboutPerson }
  return [
    textTable({ ...shared, name: 'audit_log', select: selectAuditEntries, change: emptyAuditEntries }),
    textTable({ ...shared, name: 'audit_pending', select: selectPendingActs, change: emptyPendingActs }),
  ]
}

function aboutPerson({ id, at, action, object_type, object_id, details }: ActRow) {
  return { id, at, action, object_type, object_id, details: unpacked(details) }
}
