import type { Events } from '../store/events.ts'
import { exportedRows } from '../store/people/person-export.ts'
import { peopleIn } from '../store/people/person-list.ts'
import { deletedTable } from '../store/people/person-rows.ts'
import type { StoredPlace } from '../store/people/personal-data.ts'

/** Rows of every audience, of now and of before. */
export function memberTable(events: Events): StoredPlace {
  const where: Parameters<typeof deletedTable>[2] = (list) => `person_id IN ${peopleIn(list)}`
  const file = exportedRows(events, {
    name: 'audience_members',
    table: 'audience_members',
    where,
    columns: 'audience_id, person_id, is_member, joined_at, left_at',
    ms: 'toUnixTimestamp64Milli(joined_at)',
    id: "concat(audience_id, ' ', person_id, ' ', toString(version))",
  })
  return deletedTable(events, 'audience_members', where, [file], 'audience_id, person_id')
}

export function setTable(events: Events): StoredPlace {
  return deletedTable(events, 'audience_sets', (list) => `person_id IN ${peopleIn(list)}`, {
    because: 'temporary ids and traits in the events store during one statement',
  })
}
