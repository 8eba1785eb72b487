import type { ConsentCategory } from '../../../contract/src/registry/event-contract.ts'

export type Properties = Readonly<Record<string, unknown>>
export type Consent = Readonly<Partial<Record<ConsentCategory, 'granted' | 'denied'>>> & {
  readonly gpc?: boolean
}

/** The person. The gate refuses an event without any of these ids. */
export type Who = {
  userId?: string | undefined
  anonymousId?: string | undefined
  personId?: string | undefined
}

/** Who it is about: an event without an id is refused, so it does not compile either. */
export type Someone = { userId: string } | { anonymousId: string } | { personId: string }

type Common = Who & {
  /** Your own id, if it stays the same when you retry; generated otherwise. */
  eventId?: string
  /** When it happened; by default now. */
  ts?: Date | number | string
  sessionId?: string
  siteId?: string
  context?: Properties
  /** The person's consent, sent with the event. */
  consent?: Consent | undefined
  /** It may be older than 30 days. */
  historical?: boolean
}

/** Events by name, as generated from your registry. Without them any name takes any properties. */
export type AnyEvents = Record<string, Properties>

export type TrackCall<Events extends AnyEvents> = {
  [Name in keyof Events & string]: Common & {
    event: Name
    contractVersion?: string
  } & (Record<never, never> extends Events[Name]
      ? { properties?: Events[Name] }
      : { properties: Events[Name] })
}[keyof Events & string]

export type IdentifyCall = Common & { traits?: Properties }
export type AliasCall = { previousId: string; userId: string; eventId?: string }
export type PageCall = Common & { name?: string; category?: string; properties?: Properties }
export type GroupCall = Common & { groupId: string; traits?: Properties }

export type CallType = 'track' | 'identify' | 'alias' | 'page' | 'screen' | 'group'

/** Members of all kinds of calls. */
export type AnyCall = Common & {
  event?: string
  contractVersion?: string
  properties?: Properties
  traits?: Properties
  name?: string
  category?: string
  groupId?: string
  previousId?: string
}

/** Defaults for every event of a client; the event's own values win. */
export type Standing = Who & {
  siteId?: string | undefined
  context?: Properties
  consent?: Consent | undefined
}

/** The call in its wire format. Undefined members are omitted by JSON. */
export function toWire(
  type: CallType,
  call: AnyCall,
  standing: Standing,
  eventId: string,
  nowMs: number,
): Properties {
  const consent =
    standing.consent || call.consent ? { consent: { ...standing.consent, ...call.consent } } : {}
  return {
    ...(type !== 'track' && { type }),
    event: call.event,
    event_id: eventId,
    user_id: call.userId ?? standing.userId,
    anonymous_id: call.anonymousId ?? standing.anonymousId,
    person_id: call.personId ?? standing.personId,
    previous_id: call.previousId,
    group_id: call.groupId,
    session_id: call.sessionId,
    site_id: call.siteId ?? standing.siteId,
    contract_version: call.contractVersion,
    ts: type === 'alias' ? undefined : toTime(call.ts, nowMs),
    historical: call.historical,
    name: call.name,
    category: call.category,
    properties: call.properties,
    traits: call.traits,
    context: { ...standing.context, ...call.context, ...consent },
  }
}

/** Times are sent unchanged: the gate reports those that it cannot read. */
function toTime(ts: Common['ts'], nowMs: number): unknown {
  if (ts === undefined) return new Date(nowMs).toISOString()
  return ts instanceof Date ? ts.toISOString() : ts
}
