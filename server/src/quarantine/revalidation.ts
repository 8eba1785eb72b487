import {
  type BotReason,
  botReasons,
  type CompiledContract,
  judgeReading,
  type RawEvent,
  type Verdict,
} from '@assay/contract'
import type { ConsentJudge, GateConsent } from '../consent/consents.ts'
import { type Enriched, enrichEvent } from '../ingest/enrich/enrich.ts'
import {
  type QuarantinedPayload,
  type QuarantinedRow,
  type Revalidated,
  readQuarantined,
} from '../ingest/row/quarantined-event.ts'
import { jsonText } from '../ingest/row/row.ts'
import type { GateKnowledge, Registry } from '../registry/registry.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'

/** Members to put into the properties; null takes one out. */
export type Patch = Readonly<Record<string, unknown>>

type Rejudge = {
  registry: Registry
  consents: ConsentJudge
  sites: Sites
  workspaceId: string
  patch: Patch
  /** A contract that is not live yet and is to be treated as if it were. */
  draft?: CompiledContract | undefined
}

/** Validates quarantined events as if they had just come from the same sender, by what is known now. */
export async function rejudge(rows: readonly QuarantinedRow[], context: Rejudge): Promise<Revalidated[]> {
  const { registry, consents, sites, workspaceId } = context
  const known = new Map<string, { site: SiteRow; knowledge: GateKnowledge }>()
  for (const { site_id } of rows) {
    if (known.has(site_id)) continue
    const site = await sites.own(workspaceId, site_id)
    if (site === null) throw new Error('an event is quarantined for a missing site')
    const knowledge = withDraft(await registry.knowledge(workspaceId, site_id), context.draft)
    known.set(site_id, { site, knowledge })
  }
  const judged: Revalidated[] = []
  for (const row of rows) {
    const place = known.get(row.site_id)
    if (place === undefined) continue
    const held = readQuarantined(row.held)
    // The consent of now: the person may have withdrawn it, or been erased, since the event arrived.
    const wish = await consents.find(workspaceId, held.event, place.site, held.sender.gpc === true)
    judged.push(judgeHeld(row, held, place.site, place.knowledge, wish, context.patch))
  }
  const fetching = registry.fetchAskedVersions(workspaceId)
  if (fetching === null) return judged
  await fetching
  return rejudge(rows, context)
}

function withDraft(knowledge: GateKnowledge, draft: CompiledContract | undefined): GateKnowledge {
  if (draft === undefined) return knowledge
  const inForce = { ...draft, isInForce: true }
  return { ...knowledge, contracts: new Map(knowledge.contracts).set(draft.contract.name, inForce) }
}

/**
 * Keeps the first time of arrival, so that the event keeps its time. Its age is not checked again: it was
 * reported once, and the person who releases the event has seen it.
 */
function judgeHeld(
  row: QuarantinedRow,
  held: QuarantinedPayload,
  site: SiteRow,
  knowledge: GateKnowledge,
  wish: GateConsent,
  patch: Patch,
): Revalidated {
  const properties = patched(held.event.properties, patch)
  const event: RawEvent = { ...held.event, properties, isHistorical: true, sizeBytes: undefined }
  const verdict = judgeReading(
    { kind: 'event', event },
    { ...knowledge, ...wish, ...botOf(held), keyClass: held.sender.keyClass, receivedAt: held.received_ms },
  )
  const judged = {
    site,
    event,
    verdict,
    eventId: row.event_id,
    properties: jsonText(verdict.properties),
  }
  return { row, held, judged, enriched: enrichAgain(held, verdict, site) }
}

/** The user agent was read when the event arrived. */
function botOf({ enriched: { botReason } }: QuarantinedPayload): { botReason?: BotReason } {
  const known = botReasons.find((reason) => reason === botReason)
  return known === undefined ? {} : { botReason: known }
}

function patched(properties: Patch, patch: Patch): Patch {
  const merged: Record<string, unknown> = { ...properties, ...patch }
  for (const name of Object.keys(patch)) if (patch[name] === null) delete merged[name]
  return merged
}

/** The page is read from what is now known of the event; facts of the request are stored since then. */
function enrichAgain(
  { event, enriched, sender }: QuarantinedPayload,
  verdict: Verdict,
  site: SiteRow,
): Enriched {
  const { country, countryIsApproximate, locale, isBot, botReason } = enriched
  // Events that were quarantined before there were regions have none.
  const { region = '', city = '' } = enriched
  const place = { country, region, city }
  const { device, browser, browserVersion, os } = enriched
  const again = enrichEvent(
    { name: verdict.name, properties: verdict.properties, context: event.context },
    { credential: sender.keyClass, agent: null, locale, place, lookupPlace: () => place, gpc: false },
    site,
  )
  return {
    ...again,
    ...{ ...place, countryIsApproximate, locale, isBot, botReason },
    ...{ device, browser, browserVersion, os },
  }
}

export function passes({ judged }: Revalidated): boolean {
  const { outcome } = judged.verdict
  return outcome === 'accept' || outcome === 'warn'
}

/** Whether the new verdict differs from the last one of the event. */
export function saysMore({ row, held, judged }: Revalidated): boolean {
  const { name, issues } = judged.verdict
  const before = row.issues === '' ? JSON.stringify(held.verdict.issues) : row.issues
  return name !== row.name || JSON.stringify(issues) !== before
}
