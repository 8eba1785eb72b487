import type { ConsentCategory } from '../../../contract/src/event-contract.ts'

export type Properties = Readonly<Record<string, unknown>>
export type Consent = Readonly<Partial<Record<ConsentCategory, 'granted' | 'denied'>>> & {
  readonly gpc?: boolean
}

/** Who it was. At least one of them, or the gate refuses the event. */
export type Who = {
  userId?: string | undefined
  anonymousId?: string | undefined
  personId?: string | undefined
}

export type Common = Who & {
  /** Yours, if you have one that is the same when you try again; else one is made. */
  eventId?: string
  /** When it happened; now, if you do not say. */
  ts?: Date | number | string
  sessionId?: string
  siteId?: string
  context?: Properties
  /** What the person allows, told with the event itself. */
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
  } & (Properties extends Events[Name] ? { properties?: Events[Name] } : { properties: Events[Name] })
}[keyof Events & string]

export type IdentifyCall = Common & { traits?: Properties }
export type AliasCall = { previousId: string; userId: string; eventId?: string }
export type PageCall = Common & { name?: string; category?: string; properties?: Properties }
export type GroupCall = Common & { groupId: string; traits?: Properties }

export type CallType = 'track' | 'identify' | 'alias' | 'page' | 'screen' | 'group'

/** Everything that a call of any type may say. */
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

/** What stands for every event of a client, under what the event says itself. */
export type Standing = Who & {
  siteId?: string | undefined
  context?: Properties
  consent?: Consent | undefined
}

/** The call as the wire has it. What is undefined is left out when it is written. */
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

/** Times are sent as they are given: what cannot be read the gate says in its verdict. */
function toTime(ts: Common['ts'], nowMs: number): unknown {
  if (ts === undefined) return new Date(nowMs).toISOString()
  return ts instanceof Date ? ts.toISOString() : ts
}
