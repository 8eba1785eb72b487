import type { Events } from '../store/events.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { memberTable, setTable } from './personal-data-store.ts'

/** Who is or was in an audience. */
export function audienceData(events: Events): PersonalDataPlace[] {
  return [memberTable(events), setTable(events)]
}
