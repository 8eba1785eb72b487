import {
  botReasons,
  eventIdCharactersMax,
  normalIdentifier,
  outcomes,
  Problem,
  type Receipt,
} from '@assay/contract'
import { isOurs } from '../../identity/graph/identifier.ts'
import type { People } from '../../identity/people.ts'
import { iso } from '../../platform/clock.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Overlays } from '../../registry/backfills/overlays.ts'
import { overlayOf } from '../../registry/backfills/overlays.ts'
import type { Events } from '../../store/events.ts'
import { readLine, storedEventId } from '../dead-letters/dead-letters.ts'
import { type DeadLetterLine, findDeadLetterOf } from '../dead-letters/store.ts'
import { findId, type IdRow } from '../dedup/id-store.ts'
import type { Ingest } from '../ingest.ts'
import type { Writer } from '../loader/loader.ts'
import { selectSupersessions } from '../loader/superseded-store.ts'
import {
  type FindQuarantined,
  issuesOf,
  type QuarantinedPayload,
  type QuarantinedRow,
} from '../row/quarantined-event.ts'
import { storableTime } from '../row/row.ts'
import { type OverlaidEvent, type StoredEvent, selectEvent, selectOverlaid } from './receipt-store.ts'

/** A receipt may be requested right after the answer, when the event is still in the log. */
const flushMsMax = 10_000

export type ReceiptNeeds = Pick<Platform, 'control' | 'events'> & {
  overlays: Overlays
  writer: Writer
  ingest: Ingest
  people: People
  findQuarantined: FindQuarantined
}
type Told = Omit<Receipt, 'dead_letter' | 'counted' | 'not_counted_because'>

export async function readReceipt(deps: ReceiptNeeds, workspaceId: string, asked: string): Promise<Receipt> {
  const normal = normalIdentifier(asked, eventIdCharactersMax)
  if ('refused' in normal) throw noReceipt()
  const eventId = normal.value
  const place = await placeOf(deps, workspaceId, eventId)
  const letter = await findDeadLetterOf(deps.control, workspaceId, storedEventId(eventId))
  const isLetter = place === null && letter !== null
  const receipt = isLetter ? letterReceipt(letter) : await asItCame(deps, workspaceId, eventId, place)
  // The event stores its original person; who that is now is looked up.
  const originalId = receipt.person.person_id
  // A dead letter may name its person by any characters; only our ids can be looked up.
  const personId =
    originalId !== null && isOurs(originalId)
      ? await deps.people.current(workspaceId, originalId)
      : originalId
  const dead_letter = letter === null ? null : { id: letter.id, state: letter.state, step: letter.step }
  const person = { ...receipt.person, person_id: personId }
  return { ...receipt, person, ...countingOf(receipt), dead_letter }
}

/** Whether reports count the event, and if not, why. */
function countingOf({ state, bot, dedup, read_as }: Told): Pick<Receipt, 'counted' | 'not_counted_because'> {
  const isCounted = read_as === null ? dedup.counted : read_as.counted
  const reason =
    state !== 'stored'
      ? state
      : bot
        ? 'bot'
        : dedup.superseded_by !== null
          ? 'superseded'
          : isCounted
            ? null
            : 'duplicate_order'
  return { counted: reason === null, not_counted_because: reason }
}

function botOf(reason: unknown): Pick<Receipt, 'bot' | 'bot_reason'> {
  const known = botReasons.find((each) => each === reason) ?? null
  return { bot: known !== null, bot_reason: known }
}

/** Null if it is in no store: a dead letter, or never acknowledged. */
async function placeOf(deps: ReceiptNeeds, workspaceId: string, eventId: string): Promise<IdRow | null> {
  const { control, events, writer, ingest } = deps
  const idHash = ingest.hashId(workspaceId, 'event', eventId)
  const known = await findId(events, idHash, workspaceId, 0, eventId)
  if (known !== null) return known
  const letter = await findDeadLetterOf(control, workspaceId, storedEventId(eventId))
  if (letter !== null && letter.state !== 'loaded') return null
  if (!(await writer.flush(flushMsMax))) {
    throw new Problem('unavailable', {
      detail: 'The events store is behind: an event that was acknowledged is safe, its receipt comes later.',
      headers: { 'retry-after': '5' },
    })
  }
  return findId(events, idHash, workspaceId, 0, eventId)
}

async function asItCame(
  deps: ReceiptNeeds,
  workspaceId: string,
  eventId: string,
  place: IdRow | null,
): Promise<Told> {
  const { events, writer, ingest, findQuarantined } = deps
  if (place?.outcome !== 'quarantine') return readStored(deps, workspaceId, place)
  const standing = await findQuarantined(workspaceId, eventId)
  if (standing === null) throw noReceipt()
  if (standing.state !== 'released') return heldReceipt(standing.row, standing.held, standing.state)
  // Just released: the row that says where it went is the last of its segment.
  await writer.flush(flushMsMax)
  const idHash = ingest.hashId(workspaceId, 'event', eventId)
  const released = await findId(events, idHash, workspaceId, 0, eventId)
  return readStored(deps, workspaceId, released)
}

async function readStored(
  { events, overlays }: Pick<ReceiptNeeds, 'events' | 'overlays'>,
  workspaceId: string,
  place: IdRow | null,
): Promise<Told> {
  const row = place === null ? null : await selectEvent(events, workspaceId, place)
  if (row === null || place === null) throw noReceipt()
  const overlay = await overlayOf(overlays, workspaceId, place.site_id)
  const overlaid =
    overlay === null ? null : await selectOverlaid(events, workspaceId, overlay.generation, place)
  return storedReceipt(row, overlaid, await readSupersessions(events, workspaceId, place))
}

type Supersessions = Pick<Receipt['dedup'], 'superseded_by' | 'supersedes'>

/** Only a public event can be superseded, and only a secret one supersedes. */
async function readSupersessions(events: Events, workspaceId: string, place: IdRow): Promise<Supersessions> {
  const { event_id, site_id } = place
  const rows = await selectSupersessions(events, workspaceId, site_id, event_id)
  if (Number(place.is_public) === 1) {
    return {
      superseded_by: rows.find((row) => row.event_id === event_id)?.by_event_id ?? null,
      supersedes: [],
    }
  }
  const others = rows.filter((row) => row.by_event_id === event_id).map((row) => row.event_id)
  return { superseded_by: null, supersedes: [...new Set(others)] }
}

/** Where a stored event is, for modules that start from its id. */
export async function locateEvent(
  { events, ingest }: Pick<ReceiptNeeds, 'events' | 'ingest'>,
  workspaceId: string,
  eventId: string,
): Promise<{ siteId: string; tsMs: number } | null> {
  const found = await findId(events, ingest.hashId(workspaceId, 'event', eventId), workspaceId, 0, eventId)
  return found === null ? null : { siteId: found.site_id, tsMs: Number(found.ts_ms) }
}

function noReceipt(): Problem {
  return new Problem('not-found', { detail: 'There is no such event. Rejected events are not kept.' })
}

function storedReceipt(row: StoredEvent, overlaid: OverlaidEvent | null, supersessions: Supersessions): Told {
  return {
    event_id: row.event_id,
    site_id: row.site_id,
    received_at: iso(row.received_ms),
    name: { sent: row.sent_name, stored: row.name, rule: row.mapping_rule === '' ? null : row.mapping_rule },
    read_as: overlaid && {
      name: overlaid.name,
      rule: overlaid.mapping_rule === '' ? null : overlaid.mapping_rule,
      backfill_id: overlaid.backfill_id === '' ? null : overlaid.backfill_id,
      counted: overlaid.counted === 1 && supersessions.superseded_by === null,
    },
    contract: { name: row.name, version: row.contract_version },
    outcome: row.outcome,
    issues: row.issues === '' ? [] : JSON.parse(row.issues),
    time: {
      ts: iso(row.ts_ms),
      sent: row.sent_ms === null ? null : iso(row.sent_ms),
      correction_ms: Number(row.correction_ms),
    },
    dedup: {
      duplicate_of: row.duplicate_of === '' ? null : row.duplicate_of,
      counted: row.counted === 1 && supersessions.superseded_by === null,
      ...supersessions,
    },
    ...botOf(row.bot_reason),
    person: { person_id: row.person_id, resolved_by: row.resolved_by },
    session_id: row.session_id,
    consent_record_id: row.consent_record_id === '' ? null : row.consent_record_id,
    state: 'stored',
  }
}

function heldReceipt(row: QuarantinedRow, held: QuarantinedPayload, state: Receipt['state']): Told {
  const { verdict } = held
  return {
    event_id: row.event_id,
    site_id: held.site_id,
    received_at: iso(held.received_ms),
    name: { sent: verdict.original_name, stored: row.name, rule: verdict.rule },
    read_as: null,
    contract: { name: row.name, version: verdict.contract_version ?? '' },
    outcome: 'quarantine',
    issues: issuesOf(row, held),
    time: {
      ts: iso(verdict.ts),
      sent: verdict.ts_client === null ? null : iso(verdict.ts_client),
      correction_ms: verdict.correction_ms,
    },
    dedup: { duplicate_of: null, counted: false, superseded_by: null, supersedes: [] },
    ...botOf(held.enriched.botReason),
    person: { person_id: held.person_id, resolved_by: held.resolved_by },
    session_id: held.session_id,
    consent_record_id: verdict.consent_record_id ?? null,
    state,
  }
}

/** As far as the line can be read. */
function letterReceipt(letter: DeadLetterLine): Told {
  const line = readLine(Buffer.from(letter.line).toString('utf8'))
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const time = (ms: unknown) =>
    typeof ms === 'number' ? iso(storableTime(ms)) : letter.failed_at.toISOString()
  const { received_at } = letter
  return {
    event_id: letter.event_id,
    site_id: letter.site_id,
    received_at: (received_at ?? letter.failed_at).toISOString(),
    name: { sent: text(line.sent_name), stored: letter.name, rule: text(line.mapping_rule) || null },
    read_as: null,
    contract: { name: letter.name, version: text(line.contract_version) },
    outcome: outcomes.find((outcome) => outcome === line.outcome) ?? 'accept',
    issues: Array.isArray(line.issues) ? line.issues : [],
    time: {
      ts: time(line.ts),
      sent: line.ts_sent === undefined ? null : time(line.ts_sent),
      correction_ms: Number.isSafeInteger(line.correction_ms) ? Number(line.correction_ms) : 0,
    },
    dedup: {
      duplicate_of: text(line.duplicate_of) || null,
      counted: letter.is_stored,
      superseded_by: null,
      supersedes: [],
    },
    ...botOf(line.bot_reason),
    person: { person_id: letter.person_id, resolved_by: text(line.resolved_by) },
    session_id: text(line.session_id),
    consent_record_id: text(line.consent_record_id) || null,
    state: letter.state === 'discarded' ? 'discarded' : 'dead_letter',
  }
}
