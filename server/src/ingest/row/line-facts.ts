import { learningCodes, type RawEvent, type Verdict } from '@assay/contract'
import { foldedErrorOf } from '../../registry/folded-error.ts'
import { moneyOf } from '../../registry/judged-columns.ts'
import type { FirstClaim } from '../dedup/claim.ts'
import type { Judged, Sender } from '../validation.ts'
import { jsonText, type LineFacts } from './row.ts'

/** Person, session and order of an event, as determined on arrival. */
export type Placed = { personId: string; resolvedBy: string; sessionId: string; arrival: number }

export function lineFacts(
  judged: Judged,
  event: RawEvent,
  sender: Pick<Sender, 'workspaceId' | 'keyId' | 'keyClass'>,
  endpoint: string,
  receivedMs: number,
  claim: FirstClaim,
  placed: Placed,
): LineFacts {
  const { site, verdict } = judged
  const context = withoutAddress(event.context)
  const folded = foldedErrorOf(verdict)
  const { amount, currency } = moneyOf(verdict)
  return {
    workspaceId: sender.workspaceId,
    siteId: site.id,
    eventId: judged.eventId,
    idHash: claim.idHash,
    orderHash: claim.orderHash,
    tsMs: verdict.ts,
    receivedMs,
    sentMs: verdict.tsClient,
    correctionMs: verdict.correctionMs,
    name: verdict.name,
    sentName: verdict.originalName,
    mappingRule: verdict.ruleId ?? '',
    contractVersion: verdict.contractVersion ?? '',
    outcome: verdict.outcome,
    code: worstCode(verdict),
    issues: verdict.issues.length === 0 ? '' : jsonText(verdict.issues),
    personId: placed.personId,
    resolvedBy: placed.resolvedBy,
    sessionId: placed.sessionId,
    arrival: placed.arrival,
    userId: event.userId ?? '',
    anonymousId: event.anonymousId ?? '',
    endpoint,
    keyId: sender.keyId,
    amount,
    currency,
    orderId: claim.orderId,
    duplicateOf: claim.duplicateOf,
    consentRecordId: verdict.consentRecordId ?? '',
    isBound: judged.isBound === true,
    isPublic: sender.keyClass === 'public',
    isContested: claim.isContested,
    foldedTitle: folded.title,
    foldedCulprit: folded.culprit,
    properties: judged.properties === '{}' ? '' : judged.properties,
    setAside: verdict.setAside === null ? '' : jsonText(verdict.setAside),
    context: hasMembers(context) ? jsonText(context) : '',
    held: '',
    decision: null,
  }
}

/**
 * Historical events count as imported, regardless of the endpoint: their transit time means nothing. A
 * webhook keeps its vendor, who is trusted for it.
 */
export function storedEndpoint(
  { isHistorical }: Pick<RawEvent, 'isHistorical'>,
  { endpoint }: Pick<Sender, 'endpoint'>,
): string {
  return isHistorical && !endpoint.startsWith('webhook:') ? 'import' : endpoint
}

/**
 * The issue that decided, by which verdicts are counted; of several warnings one about the name comes first.
 */
export function worstCode({ outcome, issues }: Verdict): string {
  if (outcome === 'accept') return ''
  const deciding = issues.filter((issue) => issue.severity === outcome).map(({ code }) => code)
  return deciding.find(isOfTheName) ?? deciding[0] ?? ''
}

/**
 * Exact counts of what a strict workspace would quarantine need every such event under one of these codes.
 */
function isOfTheName(code: string): boolean {
  return learningCodes.some((each) => each === code)
}

/**
 * A back end sends its visitor's address to find the country; like every address it is used and not stored.
 */
export function withoutAddress(
  context: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(context, 'ip')) return context
  const { ip: _, ...rest } = context
  return rest
}

function hasMembers(value: object): boolean {
  for (const _ in value) return true
  return false
}
