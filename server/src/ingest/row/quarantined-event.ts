import type { QuarantinedEvent, RawEvent, Verdict } from '@assay/contract'
import type { Enriched } from '../enrich/enrich.ts'
import type { Judged, Sender } from '../validation.ts'
import { type Placed, withoutAddress } from './line-facts.ts'
import { type JsonText, jsonText } from './row.ts'

export type QuarantinedRow = {
  event_id: string
  received_ms: string
  site_id: string
  name: string
  sent_name: string
  code: string
  /** Of the latest judgement after the arrival, else empty. */
  issues: string
  /** As `heldJson` wrote it. */
  held: string
}

/** What is kept of an event that waits, as `heldJson` wrote it. */
export type QuarantinedPayload = {
  site_id: string
  sender: Pick<Sender, 'keyClass' | 'keyId' | 'endpoint'> & { gpc?: boolean }
  received_ms: number
  /** Missing in events that an earlier release quarantined. */
  arrival?: number
  event: RawEvent
  enriched: Enriched
  person_id: string
  resolved_by: string
  session_id: string
  verdict: {
    name: string
    original_name: string
    rule: string | null
    contract_version: string | null
    issues: Verdict['issues']
    ts: number
    ts_client: number | null
    correction_ms: number
    /** Not in what earlier releases wrote. */
    consent_record_id?: string | null
  }
}

/** Everything needed to validate the event again on release as if it had just arrived. */
export function heldJson(
  { site, event, verdict }: Judged,
  { keyClass, keyId, endpoint, facts: { gpc } }: Sender,
  receivedMs: number,
  enriched: Enriched,
  { personId, resolvedBy, sessionId, arrival }: Placed,
): JsonText {
  return jsonText({
    site_id: site.id,
    sender: { keyClass, keyId, endpoint, ...(gpc && { gpc }) },
    received_ms: receivedMs,
    arrival,
    event: event === null ? null : { ...event, context: withoutAddress(event.context) },
    enriched,
    person_id: personId,
    resolved_by: resolvedBy,
    session_id: sessionId,
    verdict: {
      name: verdict.name,
      original_name: verdict.originalName,
      rule: verdict.ruleId,
      contract_version: verdict.contractVersion,
      issues: verdict.issues,
      ts: verdict.ts,
      ts_client: verdict.tsClient,
      correction_ms: verdict.correctionMs,
      consent_record_id: verdict.consentRecordId,
    },
  })
}

export function readQuarantined(text: string): QuarantinedPayload {
  // boundary: only the write path writes this JSON.
  return JSON.parse(text) as QuarantinedPayload
}

/** A quarantined event after it was validated again. */
export type Revalidated = {
  row: QuarantinedRow
  held: QuarantinedPayload
  judged: Judged & { event: RawEvent }
  enriched: Enriched
}

/** Those of the latest judgement. */
export function issuesOf(row: QuarantinedRow, held: QuarantinedPayload): QuarantinedEvent['issues'] {
  if (row.issues === '') return [...held.verdict.issues]
  // boundary: only the write path writes this JSON.
  return JSON.parse(row.issues) as Verdict['issues'][number][]
}

/** The latest event of an id in the quarantine, in whatever state it is; null when none is there. */
export type FindQuarantined = (
  workspaceId: string,
  eventId: string,
) => Promise<{ row: QuarantinedRow; held: QuarantinedPayload; state: QuarantinedEvent['state'] } | null>
