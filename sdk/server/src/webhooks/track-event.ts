import { toHex, utf8 } from './bytes.ts'
import type { NormalisedEvent, Who } from './normal-form.ts'
import { sha256 } from './signature.ts'
import type { Vendor, VendorEvent } from './vendor.ts'

/** An event as `/v1/track` accepts it. */
export type TrackEvent = {
  event: string
  event_id: string
  user_id?: string
  anonymous_id?: string
  ts?: string
  properties: Readonly<Record<string, unknown>>
  context: Readonly<Record<string, unknown>>
}

/** The receipt URL contains the event id, which may have 200 characters; longer ones are hashed. */
const eventIdLengthMax = 180
/** 128 bits of the digest never collide. */
const hashDigits = 32

/** `account` distinguishes the customer's accounts with a vendor whose ids are unique within one only. */
export async function toTrackEvent(
  vendor: Vendor,
  source: Pick<VendorEvent, 'id' | 'type'>,
  made: NormalisedEvent,
  account: string,
): Promise<TrackEvent> {
  const anonymousId = await anonymousIdOf(vendor, made)
  const { userId, email } = made.who
  const needsUserId = made.event === '$identify' && made.properties.user_id === undefined
  const identity = userId ?? made.who.vendorId ?? anonymousId
  const traits = email === undefined ? {} : { traits: { email } }
  return {
    event: made.event,
    event_id: await eventIdOf(vendor, made.key, account),
    ...(userId !== undefined && { user_id: userId }),
    ...(anonymousId !== undefined && { anonymous_id: anonymousId }),
    ...(made.occurredAt !== null && { ts: new Date(made.occurredAt).toISOString() }),
    properties: needsUserId ? { user_id: identity, ...made.properties } : made.properties,
    context: {
      ...traits,
      ...made.context,
      webhook: { provider: vendor.provider, type: source.type, ...(source.id !== null && { id: source.id }) },
    },
  }
}

/**
 * The vendor's id of a person is used as anonymous id, so that an event which also has the customer's own id
 * links both. People known by their address only are identified by its hash.
 */
async function anonymousIdOf(vendor: Vendor, { who, key }: NormalisedEvent): Promise<string | undefined> {
  if (vendor.isRelay === true)
    return who.vendorId ?? (who.userId === undefined ? undefinedOrEmail(who) : undefined)
  if (who.vendorId !== undefined) return `${vendor.provider}:${who.vendorId}`
  if (who.userId !== undefined) return undefined
  return (await undefinedOrEmail(who)) ?? `${vendor.provider}:${key}`
}

async function undefinedOrEmail({ email }: Who): Promise<string | undefined> {
  return email === undefined ? undefined : `email:${await shortHash(email.trim().toLowerCase())}`
}

async function eventIdOf(vendor: Vendor, key: string, account: string): Promise<string> {
  // A relay's message may also reach us directly: one id, counted once.
  const id =
    vendor.isRelay === true
      ? key
      : [vendor.provider, ...(vendor.hasLocalIds === true ? [account] : []), key].join(':')
  return id.length <= eventIdLengthMax ? id : `${vendor.provider}:${await shortHash(id)}`
}

async function shortHash(text: string): Promise<string> {
  return toHex(await sha256(utf8(text))).slice(0, hashDigits)
}
