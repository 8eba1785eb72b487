import type { Events } from '../store/events.ts'
import type { PersonalDataPlace, StoredPlace } from '../store/people/personal-data.ts'
import type { Ingest } from './ingest.ts'
import {
  decisionTable,
  eventsOfOthers,
  eventTable,
  heldTable,
  idTable,
  supersededTable,
} from './personal-data-store.ts'
import type { EventLog } from './wal/event-log.ts'
import { countLines } from './wal/personal-lines.ts'

type World = { events: Events; log: EventLog; ingest: Pick<Ingest, 'forgetRecent'> }

/** What is acknowledged and not loaded yet. It is erased first, so that none of it is loaded later. */
export function logData({ log }: Pick<World, 'log'>): StoredPlace {
  return {
    kind: 'files',
    name: 'log',
    covers: { files: ['log', 'spool'] },
    method: (mode) => (mode === 'erase' ? 'deleted' : 'anonymised'),
    count: ({ workspaceId, originalIds }) => countLines(log, workspaceId, originalIds),
    erase: ({ workspaceId, originalIds }, mode) => log.forget(workspaceId, originalIds, mode),
    eraseOnNode: (workspaceId, originalIds, mode) => log.forget(workspaceId, originalIds, mode),
    exported: { because: 'it is loaded before the archive is written, and is among their events' },
  }
}

/** Events, quarantined events and their ids. The events come last: everything else is found through them. */
export function eventData({ events, ingest }: Omit<World, 'log'>): PersonalDataPlace[] {
  return [
    idTable(events),
    supersededTable(events),
    decisionTable(events),
    heldTable(events),
    eventsOfOthers(events),
    eventTable(events),
    { kind: 'memory', name: 'recent_events', erase: (workspaceId) => ingest.forgetRecent(workspaceId) },
  ]
}
