import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { PersonalDataPlace } from '../../store/people/personal-data.ts'
import { orderTable, overlaidOfOthers, overlaidTable, overlayTable } from './personal-data-store.ts'

/** Events under the names that back-fills give them. Orders come first: their generations are found through events. */
export function overlayData(control: Control, events: Events): PersonalDataPlace[] {
  return [orderTable(control, events), overlayTable(events), overlaidTable(events), overlaidOfOthers(events)]
}
