import type { FirstClaim } from '../dedup/claim.ts'
import { nowhere, withoutPerson, withoutVisitor } from './anonymous-event.ts'
import { arrivalAt } from './arrivals.ts'
import { lineFacts, storedEndpoint, worstCode } from './line-facts.ts'
import type { Revalidated } from './quarantined-event.ts'
import { eventLine, jsonText, judgementLine, type LineDecision } from './row.ts'

/**
 * The line of a quarantined event that passed: event and decision in one, so that neither exists without the
 * other.
 */
export function releasedLine(
  { judged, held, enriched }: Revalidated,
  workspaceId: string,
  claim: FirstClaim,
  decision: LineDecision,
): string {
  // As it was sent: judging it again sets the mark, so that its age is not asked again.
  const endpoint = storedEndpoint(held.event, held.sender)
  const sender = { workspaceId, keyId: held.sender.keyId, keyClass: held.sender.keyClass }
  const arrival = held.arrival ?? arrivalAt(held.received_ms)
  if (judged.verdict.isAnonymised) {
    const nobodys = withoutPerson(judged.event)
    const facts = lineFacts(judged, nobodys, sender, endpoint, held.received_ms, claim, {
      ...nowhere,
      arrival,
    })
    return eventLine({ ...facts, decision }, withoutVisitor(enriched))
  }
  const placed = {
    personId: held.person_id,
    resolvedBy: held.resolved_by,
    sessionId: held.session_id,
    arrival,
  }
  const facts = lineFacts(judged, judged.event, sender, endpoint, held.received_ms, claim, placed)
  return eventLine({ ...facts, decision }, enriched)
}

/** The line of a quarantined event that did not pass again, for new reasons. */
export function stillQuarantinedLine(
  { row, judged, held }: Revalidated,
  workspaceId: string,
  decision: LineDecision,
): string {
  return judgementLine({
    workspaceId,
    siteId: row.site_id,
    eventId: row.event_id,
    tsMs: judged.verdict.ts,
    receivedMs: held.received_ms,
    personId: held.person_id,
    name: judged.verdict.name,
    code: worstCode(judged.verdict),
    issues: jsonText(judged.verdict.issues),
    decision,
  })
}
