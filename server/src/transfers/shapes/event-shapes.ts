import { Dictionary, identifierCharactersMax, outcomes } from '@assay/contract'
import { Type } from 'typebox'
import { type EventContent, eventColumnList } from '../../store/event-columns.ts'
import type { EventsRow } from '../../store/events.ts'
import { shaped } from '../import/json-check.ts'
import {
  type Check,
  day,
  decimal,
  hash64,
  id,
  listOf,
  named,
  nullable,
  oneOf,
  orEmpty,
  personId,
  stored,
  storedTime,
  whole,
  workspace,
} from '../import/value-checks.ts'
import type { Flaw, TableShape } from './table-shape.ts'

/** An identifier, or the name of an event. */
const identifier = stored(identifierCharactersMax)
/** Names are bounded by the size of an event, 32 KB. */
const name = stored(32_768)
/** Addresses, titles and the like are cut when they come in. */
const words = stored(4_096)
/** What was judged is an event of 32 KB, with names of ours and with every character escaped. */
const jsonCharactersMax = 400_000
const anyJson = { charactersMax: jsonCharactersMax, isAnyCharacter: true } as const
const jsonObject = orEmpty(shaped(Type.Object({}), anyJson))
const issues = orEmpty(shaped(Type.Array(Type.Object({ code: Type.String({ maxLength: 100 }) })), anyJson))
const site = named('sites')
const person = orEmpty(personId)
const bit = whole(0, 1)
const count = whole(0, 1e15)
/** Microseconds until the last year that times are stored of, and as many more. */
const arrival = whole(0, 9e15)
const uint32 = whole(0, 4_294_967_295)
const outcome = oneOf(outcomes)
const run = id('run')

const columnsOf = (names: readonly string[], check: Check) =>
  Object.fromEntries(names.map((column) => [column, check]))

const checks: Readonly<Record<EventContent, Check>> = {
  workspace,
  site,
  time: storedTime,
  arrival,
  milliseconds: whole(-1e15, 1e15),
  'event name': name,
  identifier,
  person,
  hash: hash64,
  outcome,
  issues,
  text: words,
  bit,
  money: decimal,
  'JSON object': jsonObject,
}

const eventRow: Readonly<Record<string, Check>> = Object.fromEntries(
  eventColumnList.map(([column, { type, content }]) => [
    column,
    type.startsWith('Nullable(') ? nullable(checks[content]) : checks[content],
  ]),
)

const Text = Type.String({ maxLength: 32_768 })
const MaybeText = Type.Optional(Text)
const MaybeNull = Type.Union([Text, Type.Null()])
const Time = Type.Number({ minimum: -8.64e15, maximum: 8.64e15 })
/** The same years as every time of an event. */
const ArrivalTime = Type.Integer({ minimum: 0, maximum: Date.UTC(2106, 0, 1) - 1 })
const Any = Dictionary(Type.Unknown())
/** What a release validates again. */
const Held = Type.Object({
  site_id: Text,
  sender: Type.Object({
    keyClass: Type.Unsafe({ enum: ['public', 'secret'] }),
    keyId: Text,
    endpoint: Text,
    gpc: Type.Optional(Type.Boolean()),
  }),
  received_ms: ArrivalTime,
  arrival: Type.Optional(Type.Integer({ minimum: 0, maximum: 9e15 })),
  event: Type.Object({
    name: Text,
    standardName: MaybeText,
    eventId: MaybeText,
    anonymousId: MaybeText,
    isAnonymousIdDerived: Type.Optional(Type.Boolean()),
    userId: MaybeText,
    personId: MaybeText,
    sessionId: MaybeText,
    siteId: MaybeText,
    tsClient: Type.Optional(Time),
    sentAt: Type.Optional(Time),
    properties: Any,
    context: Any,
    traits: Type.Optional(Any),
    page: Type.Object({ url: MaybeText, path: MaybeText, title: MaybeText, referrer: MaybeText }),
    contractVersion: MaybeText,
    isHistorical: Type.Boolean(),
    sizeBytes: Type.Optional(Type.Number()),
    findings: Type.Array(Type.Object({ code: Type.String({ maxLength: 100 }) })),
  }),
  enriched: Dictionary(Type.Union([Text, Type.Boolean()])),
  person_id: Text,
  resolved_by: Text,
  session_id: Text,
  verdict: Type.Object({
    name: Text,
    original_name: Text,
    rule: MaybeNull,
    contract_version: MaybeNull,
    issues: Type.Array(Type.Object({ code: Type.String({ maxLength: 100 }) })),
    ts: Time,
    ts_client: Type.Union([Time, Type.Null()]),
    correction_ms: Time,
    consent_record_id: Type.Optional(MaybeNull),
  }),
})

/** Rows of the events store, each column as it comes out of it. */
export const eventShapes: Readonly<Record<string, TableShape<EventsRow>>> = {
  events: { columns: eventRow },
  quarantine: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      received_at: storedTime,
      event_id: identifier,
      ...columnsOf(['name', 'sent_name'], name),
      code: identifier,
      is_public: bit,
      person_id: person,
      held: shaped(Held, { ...anyJson, charactersMax: 2 * jsonCharactersMax }),
    },
    row: heldFlaw,
  },
  quarantine_states: {
    columns: {
      workspace_id: workspace,
      received_at: storedTime,
      event_id: identifier,
      state: oneOf(['held', 'released', 'discarded']),
      decided_at: storedTime,
      ...columnsOf(['decided_by', 'decision_id', 'code'], identifier),
      person_id: person,
      name,
      issues,
      patch: jsonObject,
    },
  },
  event_ids: {
    columns: {
      id_hi: uint32,
      id_lo: uint32,
      kind: bit,
      workspace_id: workspace,
      ...columnsOf(['id', 'event_id'], identifier),
      site_id: site,
      ts: storedTime,
      received_at: storedTime,
      outcome,
      is_public: bit,
    },
  },
  superseded_events: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      ts: storedTime,
      ...columnsOf(['event_id', 'by_event_id'], identifier),
      cause: oneOf(['event_id', 'order_id']),
    },
  },
  verdicts: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      hour: storedTime,
      name,
      outcome,
      code: identifier,
      events: count,
      duplicates: count,
    },
  },
  error_sightings: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      error_key: hash64,
      ...columnsOf(['error_type', 'error_title', 'error_culprit'], words),
      first_ts: storedTime,
      last_ts: storedTime,
    },
  },
  person_mapping: {
    columns: {
      workspace_id: workspace,
      original_id: personId,
      original_key: hash64,
      person_id: personId,
      person_key: hash64,
      seq: whole(),
    },
  },
  event_overlays: {
    columns: {
      backfill_id: named('backfills'),
      workspace_id: workspace,
      site_id: site,
      ts: storedTime,
      event_id: identifier,
      received_at: storedTime,
      person_id: person,
      mapping_rule: identifier,
      name,
      contract_version: identifier,
      outcome,
      issues,
      amount: nullable(decimal),
      currency: words,
      order_id: identifier,
      ...columnsOf(['properties', 'set_aside'], jsonObject),
      stored_name: name,
      stored_order_id: identifier,
      stored_counted: bit,
      is_public: bit,
    },
  },
  overlaid_events: {
    columns: {
      ...eventRow,
      generation: named('generations'),
      backfill_id: orEmpty(id('bfl')),
      was_name: name,
      was_held: bit,
    },
  },
  overlay_orders: {
    columns: {
      generation: named('generations'),
      order_id: identifier,
      event_id: identifier,
      is_overlaid: bit,
    },
  },
  audience_members: {
    columns: {
      workspace_id: workspace,
      audience_id: named('audiences'),
      person_key: hash64,
      person_id: personId,
      is_member: bit,
      joined_at: storedTime,
      left_at: nullable(storedTime),
      version: whole(),
    },
  },
  attribution_touches: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      day,
      run,
      person_id: person,
      person_key: hash64,
      session_key: hash64,
      ts: storedTime,
      event_id: identifier,
      ...columnsOf(['referrer_host', 'utm_source', 'utm_medium', 'utm_campaign', 'click_id_type'], words),
      is_bot: bit,
      arrival,
    },
  },
  attribution_outcomes: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      day,
      run,
      outcome_id: identifier,
      ts: storedTime,
      name,
      person_id: person,
      people: listOf(person, 100_000),
      amount: nullable(decimal),
      currency: words,
      touch_ids: listOf(identifier, 10_000),
      ...columnsOf(['channels', 'sources', 'campaigns'], listOf(words, 10_000)),
      decay_units: listOf(hash64, 10_000),
      policy_version: uint32,
    },
  },
}

/**
 * A quarantined event is released to the site that it names, which must be the one that it is listed under.
 */
function heldFlaw({ site_id, person_id, held }: EventsRow): Flaw | null {
  const payload: { site_id?: unknown; person_id?: unknown } = JSON.parse(String(held))
  if (payload.site_id !== site_id) return { column: 'held', reason: 'must name the site of its row' }
  return payload.person_id === person_id
    ? null
    : { column: 'held', reason: 'must name the person of its row' }
}
