import { hash } from 'node:crypto'
import { judgeReading, type RawEvent, type Verdict } from '@assay/contract'
import type { NewId } from '../clock.ts'
import type { GateKnowledge, Registry } from '../registry/knowledge.ts'
import type { EventReading } from '../registry/validate.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { RequestFacts } from './enrich/request-facts.ts'

/** Who hands events in, and by which door. */
export type Sender = {
  workspaceId: string
  /** Anyone can read a public key or a site token, so less is taken on its word. */
  keyClass: 'public' | 'secret'
  keyId: string
  door: 'track' | 'batch' | 'ingest' | `webhook:${string}`
  /** A test key: the gate answers and nothing is stored. */
  storesNothing: boolean
  facts: RequestFacts
}

export type Item = { reading: EventReading; site: SiteRow }

export type Judged = {
  site: SiteRow
  /** Null when what was sent could not be read as an event. */
  event: RawEvent | null
  verdict: Verdict
  eventId: string
  /** JSON text of the judged properties; made once, used for the derived id and for the log line. */
  properties: string
}

/**
 * Judges events that came together, each by what its site knows. That is at hand for nearly all requests, which then
 * are judged without waiting; a promise comes only where something has to be fetched first.
 */
export function judgeItems(
  items: readonly Item[],
  sender: Sender,
  registry: Registry,
  receivedAt: number,
  newId: NewId,
): Judged[] | Promise<Judged[]> {
  const judged: Judged[] = []
  for (const item of items) {
    const known = registry.knowledge(sender.workspaceId, item.site.id)
    if (known instanceof Promise) {
      return known.then(() => judgeItems(items, sender, registry, receivedAt, newId))
    }
    judged.push(judgeItem(item, sender, known, receivedAt, newId))
  }
  const fetching = registry.fetchAskedVersions(sender.workspaceId)
  if (fetching === null) return judged
  return fetching.then(() => judgeItems(items, sender, registry, receivedAt, newId))
}

export function judgeItem(
  item: Item,
  sender: Sender,
  known: GateKnowledge,
  receivedAt: number,
  newId: NewId,
): Judged {
  const { reading, site } = item
  const verdict = judgeReading(reading, { ...known, keyClass: sender.keyClass, receivedAt })
  const event = reading.kind === 'event' ? reading.event : null
  const properties = verdict.outcome === 'reject' ? '' : JSON.stringify(verdict.properties)
  const eventId = event?.eventId ?? derivedId(sender, site, event, properties, newId)
  return { site, event, verdict, eventId, properties }
}

/**
 * An event without an id gets one from what it says, so that a retry is seen as one. Without a time of its own two
 * equal events may well be two, and each gets an id of its own.
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
  const parts = [sender.keyId, sender.door, site.id, identity, event.name, event.tsClient, properties]
  return `evt_${hash('sha256', parts.join('\u0000'), 'hex').slice(0, 32)}`
}

export function isStored({ verdict }: Judged): boolean {
  return verdict.outcome !== 'reject'
}
