import { hash } from 'node:crypto'
import {
  type CompiledContract,
  type CompiledMapping,
  judgeReading,
  type RawEvent,
  type Reading,
  type Severities,
  type Verdict,
} from '@assay/contract'
import type { NewId } from '../clock.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { RequestFacts } from './enrich/request-facts.ts'

/** Who hands events in, and by which door. */
export type Sender = {
  workspaceId: string
  /** Anyone can read a public key or a site token, so less is taken on its word. */
  keyClass: 'public' | 'secret'
  keyId: string
  door: 'track' | 'batch' | 'ingest'
  /** A test key: the gate answers and nothing is stored. */
  storesNothing: boolean
  facts: RequestFacts
}

/** What the gate knows of a site's contracts and rules. */
export type GateKnowledge = {
  contracts: ReadonlyMap<string, CompiledContract>
  mapping: CompiledMapping
  severities?: Severities
}

export type EventReading = Exclude<Reading, { kind: 'alias' }>
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
