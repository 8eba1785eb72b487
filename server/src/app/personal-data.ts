import { auditData } from '../audit/personal-data.ts'
import type { Attribution } from '../attribution/attribution.ts'
import { attributionData } from '../attribution/personal-data.ts'
import { audienceData } from '../audiences/personal-data.ts'
import { consentData } from '../consent/personal-data.ts'
import type { Subjects } from '../consent/subjects.ts'
import { dispatchData } from '../destinations/personal-data.ts'
import { errorData } from '../errors/personal-data.ts'
import type { People } from '../identity/people.ts'
import { identityData } from '../identity/personal-data.ts'
import type { DeadLetters } from '../ingest/dead-letters/dead-letters.ts'
import { deadLetterData } from '../ingest/dead-letters/personal-data.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { eventData, logData } from '../ingest/personal-data.ts'
import type { EventLog } from '../ingest/wal/write-ahead-log.ts'
import { archiveData, requestData } from '../privacy/personal-data.ts'
import { overlayData } from '../registry/backfills/personal-data.ts'
import { replayData } from '../replays/personal-data.ts'
import type { Replays } from '../replays/replays.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { transferData } from '../transfers/personal-data.ts'
import type { Transfers } from '../transfers/transfers.ts'
import { webhookData } from '../webhooks/personal-data.ts'

/** What the modules that store something of people need to find it. */
type Needs = Pick<Transfers, 'exports' | 'imports'> & {
  control: Control
  events: Events
  people: People
  subjects: Subjects
  log: EventLog
  deadLetters: Pick<DeadLetters, 'file'>
  ingest: Pick<Ingest, 'forgetRecent'>
  replays: Replays
  attribution: Pick<Attribution, 'room'>
  /** Drops answers of a workspace that were made before, on every node. */
  forgetKept: (workspaceId: string) => Promise<void>
  exportsDir: string
}

/**
 * Every place that holds something of people, in the order in which they are emptied: the log, so that nothing of it is
 * loaded later; then what is found through another place before that place; who they are, and that they asked, at last.
 */
export function personalDataOf(world: Needs): PersonalDataPlace[] {
  const { control, events, forgetKept, exportsDir } = world
  return [
    logData(world),
    ...deadLetterData(control, world.deadLetters),
    ...webhookData(control),
    ...auditData(control),
    ...dispatchData(control),
    archiveData(control, exportsDir),
    ...transferData(world),
    ...consentData(world),
    ...replayData(control, world.replays),
    ...audienceData(events),
    ...attributionData(world.attribution.room),
    ...overlayData(control, events),
    ...errorData(events),
    ...eventData(world),
    ...identityData(world),
    ...requestData(control),
    // A path can hold a name, so answers that were made before go with the person.
    { kind: 'memory', name: 'kept_answers', erase: (workspaceId) => forgetKept(workspaceId) },
  ]
}
