import { hash } from 'node:crypto'
import { type EventReading, judgeReading, type RawEvent, type Verdict } from '@assay/contract'
import type { ConsentJudge, GateConsent, WorkspaceConsents } from '../consent/consents.ts'
import { type AliasCall, identifiersOf } from '../identity/commands/wire.ts'
import type { NewId } from '../platform/clock.ts'
import type { GateKnowledge, Registry } from '../registry/registry.ts'
import type { SiteRow } from '../sites/sites.ts'
import { type Program, programOf, reasonOf } from './enrich/enrich.ts'
import type { RequestFacts } from './enrich/request-facts.ts'
import { type JsonText, jsonText } from './row/row.ts'

/** Who sends events, and through which endpoint. */
export type Sender = {
  workspaceId: string
  /** Anyone can read a public key or a site token, so it is trusted less. */
  keyClass: 'public' | 'secret'
  keyId: string
  endpoint: 'track' | 'batch' | 'ingest' | `webhook:${string}`
  /** A test key: the gate answers and nothing is stored. */
  storesNothing: boolean
  facts: RequestFacts
}

export type Item = {
  reading: EventReading
  site: SiteRow
  /**
   * A call that merges two people: validated as an identify event, and a ledger entry instead of a stored
   * event.
   */
  alias?: AliasCall
  /** Of a call that could not be read, for its answer. */
  eventId?: string
}

export type Judged = {
  site: SiteRow
  /** Null if the input could not be read as an event. */
  event: RawEvent | null
  verdict: Verdict
  eventId: string
  /** JSON text of the validated properties; made once, used for the derived id and for the log line. */
  properties: JsonText
  alias?: AliasCall | undefined
  /** What sent it, where validation cannot change that. */
  program?: Program | undefined
  /** From a bot: it is stored, and reports leave it out. */
  isBot?: boolean
  /** The identities of the event are stored before the event, so the loader need not do it. */
  isBound?: boolean
}

/** What events are validated by. */
export type Judges = { registry: Registry; consents: ConsentJudge }

/**
 * Validates events of one request, each by the rules of its site and the consent of its people. These are
 * cached for nearly all requests, which are then validated synchronously; a promise is returned only if
 * something has to be fetched first.
 */
export function judgeItems(
  items: readonly Item[],
  sender: Sender,
  judges: Judges,
  receivedAt: number,
  newId: NewId,
): Judged[] | Promise<Judged[]> {
  const { registry, consents } = judges
  const again = () => judgeItems(items, sender, judges, receivedAt, newId)
  const wishes = consents.of(sender.workspaceId)
  if (wishes instanceof Promise) return wishes.then(again)
  const judged: Judged[] = []
  // Events of a request nearly always belong to one site.
  let last: { siteId: string; known: GateKnowledge } | null = null
  for (const item of items) {
    const siteId = item.site.id
    if (last === null || last.siteId !== siteId) {
      const known = registry.knowledge(sender.workspaceId, siteId)
      if (known instanceof Promise) return known.then(again)
      last = { siteId, known }
    }
    judged.push(judgeItem(item, sender, last.known, wishes, receivedAt, newId))
  }
  const fetching = bothOf(registry.fetchAskedVersions(sender.workspaceId), wishes.fetchAsked())
  return fetching === null ? judged : fetching.then(again)
}

function bothOf(first: Promise<void> | null, second: Promise<void> | null): Promise<unknown> | null {
  if (first === null) return second
  return second === null ? first : Promise.all([first, second])
}

const anything: GateConsent = {}

function judgeItem(
  { reading, site, alias, eventId: sentId }: Item,
  sender: Sender,
  known: GateKnowledge,
  wishes: WorkspaceConsents,
  receivedAt: number,
  newId: NewId,
): Judged {
  const event = reading.kind === 'event' ? reading.event : null
  const others = alias && identifiersOf(alias)
  const consent =
    event === null ? anything : wishes.forEvent(event, site, sender.facts.gpc, receivedAt, others)
  const sent = event === null ? null : programOf(event, sender.facts)
  const botReason = sent === null ? undefined : reasonOf(sent.program)
  // Member by member: this is made for every event.
  const judged = judgeReading(reading, {
    contracts: known.contracts,
    findVersion: known.findVersion,
    mapping: known.mapping,
    preset: known.preset,
    severities: known.severities,
    consent: consent.consent,
    suppressed: consent.suppressed,
    botReason,
    keyClass: sender.keyClass,
    receivedAt,
  })
  const verdict = alias === undefined ? judged : withoutQuarantine(judged)
  const properties = verdict.outcome === 'reject' ? '' : jsonText(verdict.properties)
  const eventId = event?.eventId ?? sentId ?? derivedId(sender, site, event, properties, newId)
  const isBot = botReason !== undefined
  const program = sent?.isFinal === true ? sent.program : undefined
  return { site, event, verdict, eventId, properties, isBot, program, alias }
}

/** There is no event to quarantine, so it is refused. */
function withoutQuarantine(verdict: Verdict): Verdict {
  if (verdict.outcome !== 'quarantine') return verdict
  const issues = verdict.issues.map((issue) =>
    issue.severity === 'quarantine' ? ({ ...issue, severity: 'reject' } as const) : issue,
  )
  return { ...verdict, outcome: 'reject', issues }
}

/**
 * An event without an id gets one derived from its content, so that a retry is recognised. Without a time two
 * equal events may be two, and each gets a new id.
 */
function derivedId(
  sender: Sender,
  site: SiteRow,
  event: RawEvent | null,
  properties: string,
  newId: NewId,
): string {
  if (event === null || event.tsClient === undefined) return newId('evt')
  const identity = event.personId ?? event.userId ?? event.anonymousId ?? ''
  const parts = [sender.keyId, sender.endpoint, site.id, identity, event.name, event.tsClient, properties]
  return `evt_${hash('sha256', parts.join('\u0000'), 'hex').slice(0, 32)}`
}

export function passes({ verdict }: Judged): boolean {
  return verdict.outcome === 'accept' || verdict.outcome === 'warn'
}
