import type { Events } from '../store/events.ts'
import type { PersonList } from '../store/people/data-subject.ts'
import { exportedRows } from '../store/people/person-export.ts'
import { peopleIn } from '../store/people/person-list.ts'
import { deletedTable } from '../store/people/person-rows.ts'
import type { StoredPlace } from '../store/people/personal-data.ts'

const isTheirs = (list: PersonList) => `person_id IN ${peopleIn(list)}`
/** A person whose touchpoint shares another person's outcome is in its list. */
const tookPart = (list: PersonList) =>
  `${isTheirs(list)} OR hasAny(people, (SELECT groupArray(value) FROM ${list.name} WHERE kind = 'person'))`

export function touchTable(events: Events): StoredPlace {
  const file = exportedRows(events, {
    name: 'attribution_touches',
    table: 'attribution_touches',
    where: isTheirs,
    columns: `site_id, ts, event_id, person_id, referrer_host, utm_source, utm_medium, utm_campaign,
              click_id_type, is_bot`,
    ms: 'toUnixTimestamp64Milli(ts)',
    id: "concat(event_id, ' ', run)",
  })
  return deletedTable(events, 'attribution_touches', isTheirs, [file])
}

export function outcomeTable(events: Events): StoredPlace {
  const file = exportedRows(events, {
    name: 'attribution_outcomes',
    table: 'attribution_outcomes',
    where: tookPart,
    columns: `site_id, outcome_id, ts, name, person_id, amount, currency, touch_ids, channels, sources, campaigns,
              policy_version`,
    ms: 'toUnixTimestamp64Milli(ts)',
    id: "concat(outcome_id, ' ', run)",
  })
  return deletedTable(events, 'attribution_outcomes', tookPart, [file])
}
