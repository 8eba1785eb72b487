import type { Events } from '../store/events.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { sightingTable } from './personal-data-store.ts'

/** Groups of errors by their text, which may name a person. */
export function errorData(events: Events): PersonalDataPlace[] {
  return [sightingTable(events)]
}
