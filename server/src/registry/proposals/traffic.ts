import { type CompiledMapping, type EventContract, type RawEvent, toSnakeCase } from '@assay/contract'
import type { Events } from '../../store/events.ts'
import { keptProperties, toRawEvent } from '../backfills/stored-event.ts'
import {
  beginning,
  type Place,
  type QuarantinedTraffic,
  type StoredTraffic,
  selectQuarantinedNames,
  selectQuarantinedTraffic,
  selectStoredNames,
  selectStoredTraffic,
  type TrafficQuery,
} from './traffic-store.ts'

/** An event that came in earlier, as far as what was kept of it allows to judge it again. */
export type PastEvent = {
  eventId: string
  siteId: string
  keyClass: 'public' | 'secret'
  receivedAt: number
  event: RawEvent
}

/** Events of 32 KB at most: a page takes 80 MB at the very worst, and usually one or two. */
const pageRows = 2_500

type Traffic = TrafficQuery & { found: number }

/** The traffic that a contract of this key is about, however the name was written. */
export async function findTraffic(
  events: Events,
  which: 'stored' | 'held',
  workspaceId: string,
  key: string,
  sinceMs: number,
): Promise<Traffic> {
  const selectNames = which === 'stored' ? selectStoredNames : selectQuarantinedNames
  const names = await selectNames(events, workspaceId, sinceMs)
  const alike = names.filter(({ sent_name }) => toSnakeCase(sent_name) === key)
  const found = alike.reduce((sum, each) => sum + Number(each.events), 0)
  return { workspaceId, sentNames: alike.map((each) => each.sent_name), sinceMs, found }
}

/** Reads pages until there are no more or the maximum is reached. */
async function* pages<Row extends { ms: string; event_id: string }>(
  readPage: (before: Place, limit: number) => Promise<Row[]>,
  rowsMax: number,
): AsyncGenerator<Row> {
  let before = beginning
  for (let left = rowsMax; left > 0; ) {
    const limit = Math.min(pageRows, left)
    const rows = await readPage(before, limit)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    before = { ms: Number(last.ms), eventId: last.event_id }
    left -= rows.length
  }
}

export async function* heldTraffic(
  events: Events,
  query: Traffic,
  eventsMax: number,
): AsyncGenerator<PastEvent> {
  if (query.found === 0) return
  const rows = pages((before, limit) => selectQuarantinedTraffic(events, query, before, limit), eventsMax)
  for await (const row of rows) yield fromHeld(row)
}

/** As the write path stored it: complete, so that it is validated exactly as on release. */
function fromHeld(row: QuarantinedTraffic): PastEvent {
  // boundary: only the write path writes this JSON.
  const held = JSON.parse(row.held) as {
    site_id: string
    sender: { keyClass: 'public' | 'secret' }
    received_ms: number
    event: RawEvent
  }
  return {
    eventId: row.event_id,
    siteId: held.site_id,
    keyClass: held.sender.keyClass,
    receivedAt: held.received_ms,
    // Under a draft the version that an event names is of no concern.
    event: { ...held.event, contractVersion: undefined },
  }
}

/** `mappingOf` returns the mapping rules of a site. */
export async function* storedTraffic(
  events: Events,
  query: Traffic,
  eventsMax: number,
  draft: EventContract,
  mappingOf: (siteId: string) => Promise<CompiledMapping>,
): AsyncGenerator<PastEvent> {
  if (query.found === 0) return
  const rows = pages((before, limit) => selectStoredTraffic(events, query, before, limit), eventsMax)
  for await (const row of rows) {
    const isMapped = row.mapping_rule !== ''
    const mapping = isMapped ? await mappingOf(row.site_id) : null
    yield fromStored(row, draft, mapping)
  }
}

/** What a rule moved is put back too. */
function fromStored(row: StoredTraffic, draft: EventContract, mapping: CompiledMapping | null): PastEvent {
  const kept = keptProperties(row)
  const properties = mapping === null ? kept : unmoved(kept, row.mapping_rule, mapping, draft)
  // A session id that was sent cannot be distinguished from one that was assigned.
  const event = toRawEvent(row, properties, undefined)
  const receivedAt = Number(row.received_ms)
  return { eventId: row.event_id, siteId: row.site_id, keyClass: 'secret', receivedAt, event }
}

/**
 * A default rule that gave the event another name may have renamed properties too; a contract under the sent name
 * outranks the rule, so its own names count. Of several that were moved onto one name the first is taken.
 */
function unmoved(
  stored: Record<string, unknown>,
  ruleId: string,
  mapping: CompiledMapping,
  draft: EventContract,
): Record<string, unknown> {
  const rule = [...mapping.standard.values()].find((each) => each.rule.id === ruleId)
  const properties = { ...stored }
  for (const { from, to } of rule?.moves ?? []) {
    const isWanted = Object.hasOwn(draft.properties, from) && !Object.hasOwn(draft.properties, to)
    if (!isWanted || !Object.hasOwn(properties, to) || Object.hasOwn(properties, from)) continue
    properties[from] = properties[to]
    delete properties[to]
  }
  return properties
}
