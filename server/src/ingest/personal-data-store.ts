import type { Events } from '../store/events.ts'
import { anonymiseEvents, emptyIdentifiers, ofOthers } from '../store/people/anonymous-events.ts'
import type { PersonList } from '../store/people/data-subject.ts'
import { exportedRows } from '../store/people/person-export.ts'
import { eventIdsIn, keysIn, peopleIn, quarantinedOf } from '../store/people/person-list.ts'
import { deletedTable, deleteRows } from '../store/people/person-rows.ts'
import type { StoredPlace } from '../store/people/personal-data.ts'

const isTheirs = (list: PersonList) => `person_id IN ${peopleIn(list)}`

/** Ids of acknowledged events, and orders: receipts and repeats are found by them. */
export function idTable(events: Events): StoredPlace {
  const where = (list: PersonList) => `event_id IN ${eventIdsIn(list)}`
  const file = exportedRows(events, {
    name: 'event_ids',
    table: 'event_ids',
    where,
    columns: `if(kind = 0, 'event', 'order') AS kind, id, event_id, site_id, ts, received_at, outcome`,
    ms: 'toUnixTimestamp64Milli(received_at)',
    id: "concat(event_id, ' ', id)",
  })
  return {
    ...deletedTable(events, 'event_ids', where, [file]),
    stays: { mode: 'anonymise', because: 'the event stays, and must not be counted twice' },
  }
}

export function decisionTable(events: Events): StoredPlace {
  const where = (list: PersonList) => `${isTheirs(list)} OR event_id IN ${eventIdsIn(list)}`
  const file = exportedRows(events, {
    name: 'quarantine_decisions',
    table: 'quarantine_states',
    where: isTheirs,
    columns: 'event_id, received_at, state, decided_at, decided_by, name, code, issues, patch',
    ms: 'toUnixTimestamp64Milli(received_at)',
    id: 'event_id',
  })
  return deletedTable(events, 'quarantine_states', where, [file])
}

/** Includes events sent by others and quarantined since: they contain the people that they name. */
export function heldTable(events: Events): StoredPlace {
  const file = exportedRows(events, {
    name: 'quarantine',
    table: 'quarantine',
    where: isTheirs,
    columns: 'site_id, received_at, event_id, name, sent_name, code, person_id, held',
    ms: 'toUnixTimestamp64Milli(received_at)',
    id: 'event_id',
  })
  return deletedTable(events, 'quarantine', quarantinedOf, [file])
}

const isSuperseded = `is_public = 1 AND (site_id, ts, event_id) IN (
      SELECT site_id, ts, event_id FROM superseded_events WHERE workspace_id = {workspaceId:String})`

/** Which events stopped counting, and because of which others. */
export function supersededTable(events: Events): StoredPlace {
  const where = (list: PersonList) => `event_id IN ${eventIdsIn(list)} OR by_event_id IN ${eventIdsIn(list)}`
  const exported = { because: 'their events say whether they are superseded' }
  return {
    ...deletedTable(events, 'superseded_events', where, exported, 'site_id, ts, event_id'),
    stays: { mode: 'anonymise', because: 'the events stay, and must not be counted twice' },
  }
}

export function eventTable(events: Events): StoredPlace {
  const rows = { table: 'events', where: isTheirs }
  const file = exportedRows(events, {
    table: 'events',
    where: (list) => `person_key IN ${keysIn(list)}`,
    name: 'events',
    columns: `* EXCEPT (workspace_id, person_key, session_key), ${isSuperseded} AS superseded`,
    ms: 'toUnixTimestamp64Milli(ts)',
    // A public and a secret sender may each have sent an event with one id.
    id: "concat(event_id, ' ', toString(is_public))",
  })
  return {
    kind: 'table',
    name: 'events',
    covers: { events: ['events'] },
    method: (mode) => (mode === 'erase' ? 'deleted' : 'anonymised'),
    count: rows,
    erase: (person, mode) =>
      mode === 'erase' ? deleteRows(events, rows, person) : anonymiseEvents(events, rows, person),
    exported: [file],
  }
}

export function eventsOfOthers(events: Events): StoredPlace {
  const rows = { table: 'events', where: ofOthers }
  return {
    kind: 'table',
    name: 'events_of_others',
    isOfOthers: true,
    covers: {},
    method: () => 'identifiers emptied',
    count: rows,
    erase: (person) => emptyIdentifiers(events, rows, person),
    exported: { because: 'they are events of other people' },
  }
}
