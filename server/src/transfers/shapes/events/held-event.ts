import { Dictionary } from '@assay/contract'
import { Type } from 'typebox'
import type { EventsRow } from '../../../store/events.ts'
import type { Flaw } from '../table-shape.ts'

const Text = Type.String({ maxLength: 32_768 })
const MaybeText = Type.Optional(Text)
const MaybeNull = Type.Union([Text, Type.Null()])
const Time = Type.Number({ minimum: -8.64e15, maximum: 8.64e15 })
/** The same years as every time of an event. */
const ArrivalTime = Type.Integer({ minimum: 0, maximum: Date.UTC(2106, 0, 1) - 1 })
const Any = Dictionary(Type.Unknown())
/** What a release validates again. */
export const Held = Type.Object({
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

/**
 * A quarantined event is released to the site that it names, which must be the one that it is listed under.
 */
export function heldFlaw({ site_id, person_id, held }: EventsRow): Flaw | null {
  const payload: { site_id?: unknown; person_id?: unknown } = JSON.parse(String(held))
  if (payload.site_id !== site_id) return { column: 'held', reason: 'must name the site of its row' }
  return payload.person_id === person_id
    ? null
    : { column: 'held', reason: 'must name the person of its row' }
}
