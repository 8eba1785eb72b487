import type { Events } from '../store/events.ts'
import { namesPerson } from '../store/people/person-list.ts'
import { deletedTable } from '../store/people/person-rows.ts'
import type { StoredPlace } from '../store/people/personal-data.ts'

const texts = "concat(error_type, ' ', error_title, ' ', error_culprit)"

/** Kinds of errors whose text names the person all the same. */
export function sightingTable(events: Events): StoredPlace {
  return deletedTable(events, 'error_sightings', (list) => namesPerson(texts, list), {
    because: 'a kind of error with its first and last time; the errors that they met are among their events',
  })
}
