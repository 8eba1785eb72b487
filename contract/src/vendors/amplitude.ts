import {
  type Call,
  eventsIn,
  filled,
  firstText,
  kept,
  keyAmong,
  locationOf,
  membersOf,
  numberOf,
  type Received,
  type Translated,
  textOf,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** HTTP V2 and the batch upload: `api_key` and `events`. */
export function fromAmplitude({ body }: Received): Translated {
  const envelope = membersOf(body)
  return {
    key: keyAmong(envelope.api_key),
    calls: eventsIn(envelope.events).flatMap(amplitudeCalls),
    sentAt: envelope.client_upload_time,
  }
}

/** One event of Amplitude, and the traits that it brings along. */
export function amplitudeCalls(event: Members): Call[] {
  const shared = filled({
    messageId: idOf(event),
    timestamp: event.time ?? event.event_time,
    sessionId: sessionOf(event),
    userId: textOf(event.user_id),
    anonymousId: textOf(event.device_id),
    context: contextOf(event),
  })
  const traits = traitsOf(event.user_properties)
  const call = { ...shared, ...whatOf(event, traits) }
  const isOfUser = shared.userId !== undefined && Object.keys(traits).length > 0
  if (!isOfUser || event.event_type === '$identify') return [call]
  const { messageId, ...rest } = shared
  const own = messageId === undefined ? {} : { messageId: `${messageId}:traits` }
  return [{ ...rest, ...own, type: 'identify', traits }, call]
}

const idOf = ({ insert_id, $insert_id, uuid }: Members) => firstText(insert_id, $insert_id, uuid)

/** A session is known by its start; -1 is none. */
const sessionOf = ({ session_id, device_id }: Members) => {
  const start = numberOf(session_id)
  return start === undefined || start < 0 ? undefined : `${firstText(device_id) ?? ''}:${start}`
}

function contextOf(event: Members): Call {
  const properties = membersOf(event.event_properties)
  return filled({
    page: filled({
      url: firstText(properties['[Amplitude] Page Location'], properties['[Amplitude] Page URL']),
      title: textOf(properties['[Amplitude] Page Title']),
      referrer: textOf(properties.referrer),
    }),
    app: textOf(event.app_version) && { version: event.app_version },
    os: textOf(event.os_name) && { name: event.os_name },
    device: textOf(event.device_model) && { model: event.device_model, brand: event.device_brand },
    locale: textOf(event.language),
    userAgent: textOf(event.user_agent),
    library: textOf(event.library) && { name: event.library },
    location: locationOf(event.country, event.region, event.city),
  })
}

/** Operations such as `$set` and `$setOnce`, or plain values. */
function traitsOf(userProperties: unknown): Call {
  const { $set, $setOnce, ...rest } = membersOf(userProperties)
  return { ...kept(rest, (name) => !name.startsWith('$')), ...membersOf($setOnce), ...membersOf($set) }
}

const isOwn = (name: string) => !name.startsWith('[Amplitude]')

function whatOf(event: Members, traits: Call): Call {
  const properties = membersOf(event.event_properties)
  const own = { ...kept(properties, isOwn), ...moneyOf(event) }
  switch (event.event_type) {
    case '$identify':
      return { type: 'identify', traits }
    case '$groupidentify':
      return groupOf(event)
    case '[Amplitude] Page Viewed':
      return { type: 'page', properties: own }
    case '[Amplitude] Element Clicked':
      return { event: '$click', properties: { ...own, element: elementOf(properties) } }
    case 'session_start':
      return { event: '$session_start', properties: { ...own, session_id: sessionOf(event) } }
    default:
      return { event: nameOf(event.event_type), properties: own }
  }
}

/** Its automatic events are in brackets: `[Amplitude] Form Started`. */
const nameOf = (name: unknown) =>
  typeof name === 'string' ? name.replace(/^\[Amplitude\] /, 'amplitude ').replace(/^\$/, 'amplitude_') : name

const elementOf = (properties: Members) =>
  firstText(
    properties['[Amplitude] Element ID'],
    properties['[Amplitude] Element Text'],
    properties['[Amplitude] Element Tag'],
  ) ?? 'unknown'

function groupOf({ groups, group_properties }: Members): Call {
  const [id] = Object.values(membersOf(groups)).flat()
  return { type: 'group', groupId: id, traits: membersOf(membersOf(group_properties).$set) }
}

function moneyOf({ revenue, price, quantity, currency, productId }: Members): Call {
  const amount =
    numberOf(revenue) ??
    (numberOf(price) === undefined ? undefined : Number(price) * (numberOf(quantity) ?? 1))
  return filled({ amount, currency: textOf(currency), product_id: textOf(productId) })
}
