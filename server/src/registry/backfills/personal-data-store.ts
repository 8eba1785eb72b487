import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import {
  anonymiseEvents,
  anonymiseOverlays,
  emptyIdentifiers,
  ofOthers,
} from '../../store/people/anonymous-events.ts'
import type { DataSubject, PersonList } from '../../store/people/data-subject.ts'
import { exportedRows } from '../../store/people/person-export.ts'
import { eventIdsIn, peopleIn } from '../../store/people/person-list.ts'
import { deleteRows } from '../../store/people/person-rows.ts'
import type { StoredPlace } from '../../store/people/personal-data.ts'
import { changeRows } from '../../store/row-changes.ts'

const isTheirs = (list: PersonList) => `person_id IN ${peopleIn(list)}`
const changed: StoredPlace['method'] = (mode) => (mode === 'erase' ? 'deleted' : 'anonymised')

/** What back-fills made of their events. */
export function overlayTable(events: Events): StoredPlace {
  const rows = { table: 'event_overlays', where: isTheirs }
  const file = exportedRows(events, {
    ...rows,
    name: 'event_overlays',
    columns: '* EXCEPT (workspace_id)',
    ms: 'toUnixTimestamp64Milli(ts)',
    id: "concat(event_id, ' ', backfill_id)",
  })
  return {
    kind: 'table',
    name: 'event_overlays',
    covers: { events: ['event_overlays'] },
    method: changed,
    count: rows,
    erase: (person, mode) =>
      mode === 'erase' ? deleteRows(events, rows, person) : anonymiseOverlays(events, rows, person),
    exported: [file],
  }
}

export function overlaidTable(events: Events): StoredPlace {
  const rows = { table: 'overlaid_events', where: isTheirs }
  return {
    kind: 'table',
    name: 'overlaid_events',
    covers: { events: ['overlaid_events'] },
    method: changed,
    count: rows,
    erase: (person, mode) =>
      mode === 'erase' ? deleteRows(events, rows, person) : anonymiseEvents(events, rows, person),
    exported: { because: 'their events under the names that event_overlays.ndjson gives them' },
  }
}

export function overlaidOfOthers(events: Events): StoredPlace {
  const rows = { table: 'overlaid_events', where: ofOthers }
  return {
    kind: 'table',
    name: 'overlaid_events_of_others',
    isOfOthers: true,
    covers: {},
    method: () => 'identifiers emptied',
    count: rows,
    erase: (person) => emptyIdentifiers(events, rows, person),
    exported: { because: 'they are events of other people' },
  }
}

/** Rows of it belong to a generation of overlaid events, and only through that to a workspace. */
export function orderTable(control: Control, events: Events): StoredPlace {
  const where = (list: PersonList) =>
    `generation IN {generations:Array(String)} AND event_id IN ${eventIdsIn(list)}`
  const generationsOf = ({ workspaceId }: DataSubject) => selectGenerations(control, events, workspaceId)
  return {
    kind: 'table',
    name: 'overlay_orders',
    covers: { events: ['overlay_orders'] },
    method: () => 'deleted',
    async count(person) {
      const generations = await generationsOf(person)
      if (generations.length === 0) return 0
      const [row] = await events.query<{ rows: string | number }>(
        `SELECT count() AS rows FROM overlay_orders WHERE ${where(person.list)}`,
        { generations },
      )
      return Number(row?.rows ?? 0)
    },
    async erase(person) {
      const generations = await generationsOf(person)
      if (generations.length === 0) return
      await changeRows(events, `ALTER TABLE overlay_orders DELETE WHERE ${where(person.list)}`, {
        generations,
      })
    },
    stays: { mode: 'anonymise', because: 'it says which event counts for an order, and the event stays' },
    exported: { because: 'which of their events counts for an order; the order stands in the events' },
  }
}

/** Those that reads go by, and those that are left of before. */
async function selectGenerations(control: Control, events: Events, workspaceId: string): Promise<string[]> {
  const [pointers, rows] = await Promise.all([
    control.query<{ generation: string }>(
      `SELECT DISTINCT unnest(ARRAY[generation, previous, next]) AS generation FROM site_overlays
       WHERE workspace_id = $1`,
      [workspaceId],
    ),
    events.query<{ generation: string }>(
      'SELECT DISTINCT generation FROM overlaid_events WHERE workspace_id = {workspaceId:String}',
      { workspaceId },
    ),
  ])
  return [...new Set([...pointers, ...rows].map(({ generation }) => generation))].filter(
    (generation) => generation !== '',
  )
}
