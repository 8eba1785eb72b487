import { Type } from 'typebox'
import { callTypes } from '../gate/envelope/track-envelope.ts'
import { identifierCharactersMax } from '../identity/identifier.ts'
import {
  contractVersionCharactersMax,
  eventNameCharactersMax,
  eventPropertiesMax,
  siteIdCharactersMax,
} from '../maxima.ts'
import { Dictionary, OneOf } from '../shapes.ts'

const optionalText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))
const id = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: identifierCharactersMax }), Type.Number()], { description }),
  )
const time = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Number()], { description }))
const members = (description: string) =>
  Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax, description }))
const sameAs = (name: string) => `The same as ${name}, as SDKs of the tracking specification write it`

/**
 * Every member that an event may have. The gate reads the raw body, and an invalid one gets a verdict rather
 * than a refusal: this schema is for documentation.
 */
const eventMembers = {
  event: optionalText(eventNameCharactersMax, 'Name of the event'),
  event_key: optionalText(eventNameCharactersMax, 'The same as event'),
  type: Type.Optional(OneOf(callTypes, { description: 'The kind of call; else the one of the address' })),
  event_id: id('Makes a repeat count once; without it one is derived from the event'),
  messageId: id(sameAs('event_id')),
  eventId: id(sameAs('event_id')),
  anonymous_id: id('The visitor or device'),
  anonymousId: id(sameAs('anonymous_id')),
  user_id: id('The person, as your own system names them'),
  userId: id(sameAs('user_id')),
  person_id: id('The person, by the id that we gave or one of your own'),
  personId: id(sameAs('person_id')),
  session_id: id('The visit; without it a session ends after 30 minutes without an event'),
  sessionId: id(sameAs('session_id')),
  ts: time('When it happened: RFC 3339, or a number of seconds or milliseconds; without it now'),
  occurred_at: time('The same as ts'),
  timestamp: time(sameAs('ts')),
  originalTimestamp: time(sameAs('ts')),
  sent_at: time('The clock of the sender, by which ts is corrected'),
  sentAt: time(sameAs('sent_at')),
  receivedAt: time('Set by a relay: originalTimestamp is then the time of the device'),
  properties: members('What the event says; judged by its contract'),
  context: members(
    'Where it happened: page, campaign, referrer, userAgent, locale, app, device, os, library, consent …',
  ),
  traits: members('What is known of the person or group, with identify and group'),
  site_id: optionalText(siteIdCharactersMax, 'For a key that is bound to no site; else the first'),
  siteId: optionalText(siteIdCharactersMax, 'The same as site_id'),
  contract_version: optionalText(contractVersionCharactersMax, 'The version of the contract it was made for'),
  contractVersion: optionalText(contractVersionCharactersMax, 'The same as contract_version'),
  historical: Type.Optional(
    Type.Boolean({ description: 'Of the past, so its age is no issue; with a secret key only' }),
  ),
  write_key: optionalText(100, 'The API key, for beacons, which cannot set a header'),
  writeKey: optionalText(100, 'The same as write_key'),
}

type AnyEvent = Readonly<Record<string, unknown>>

export const TrackBody = Type.Unsafe<AnyEvent>(Type.Object(eventMembers))

/** Page and screen calls may name the page separately, group calls the group. */
export const PageBody = Type.Unsafe<AnyEvent>(
  Type.Object({
    ...eventMembers,
    name: optionalText(eventNameCharactersMax, 'Name of the page or screen'),
    category: optionalText(eventNameCharactersMax, 'What kind of page'),
  }),
)
export const GroupBody = Type.Unsafe<AnyEvent>(
  Type.Object({
    ...eventMembers,
    group_id: id('The group, such as a company'),
    groupId: id(sameAs('group_id')),
  }),
)

/** Values of the envelope apply to every event that does not have its own. */
export const BatchBody = Type.Unsafe<{ batch: unknown[]; sent_at?: unknown }>(
  Type.Object({
    batch: Type.Array(TrackBody),
    sent_at: time('As in each event'),
    sentAt: time(sameAs('sent_at')),
    context: members('Under the context of each event'),
    site_id: eventMembers.site_id,
    siteId: eventMembers.siteId,
    write_key: eventMembers.write_key,
    writeKey: eventMembers.writeKey,
  }),
)
