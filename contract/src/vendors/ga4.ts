import {
  type Call,
  eventsIn,
  filled,
  firstText,
  kept,
  keyAmong,
  membersOf,
  numberOf,
  type Received,
  type Translated,
  textOf,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** The Measurement Protocol: `/mp/collect?measurement_id=…&api_secret=…`. */
export function fromGa4({ body, query }: Received): Translated {
  const envelope = membersOf(body)
  const person = filled({
    anonymousId: firstText(envelope.client_id, envelope.app_instance_id),
    userId: textOf(envelope.user_id),
  })
  const traits = valuesOf(envelope.user_properties)
  const identify =
    person.userId === undefined || Object.keys(traits).length === 0
      ? []
      : [{ type: 'identify', ...person, traits }]
  const events = eventsIn(envelope.events).map((event) => ({
    ...person,
    ...ga4Call(event, event.timestamp_micros ?? envelope.timestamp_micros),
  }))
  return { key: keyAmong(query.api_secret, query.measurement_id), calls: [...identify, ...events] }
}

/** `{ "plan": { "value": "pro" } }` */
function valuesOf(properties: unknown): Call {
  return Object.fromEntries(
    Object.entries(membersOf(properties)).map(([name, member]) => [name, membersOf(member).value]),
  )
}

/** Of the page, the visit and the client; everything else says what happened. */
// bounded: fixed.
const envelopeParameters = new Set([
  'page_location',
  'page_title',
  'page_referrer',
  'session_id',
  'ga_session_id',
  'ga_session_number',
  'engagement_time_msec',
  'language',
  'screen_resolution',
  'debug_mode',
])

/** One event of Google Analytics with flat parameters. */
export function ga4Call({ name, params }: Members, micros: unknown): Call {
  const parameters = membersOf(params)
  const timeMicros = numberOf(micros)
  const shared = filled({
    timestamp: timeMicros === undefined ? undefined : Math.trunc(timeMicros / 1_000),
    sessionId: firstText(parameters.session_id, parameters.ga_session_id),
    context: filled({
      page: filled({
        url: textOf(parameters.page_location),
        title: textOf(parameters.page_title),
        referrer: textOf(parameters.page_referrer),
      }),
      locale: textOf(parameters.language),
    }),
  })
  const properties = kept(parameters, (one) => !envelopeParameters.has(one))
  if (name === 'page_view') return { ...shared, type: 'page', properties }
  if (name === 'screen_view')
    return { ...shared, type: 'screen', name: firstText(parameters.screen_name), properties }
  return { ...shared, event: name, properties }
}
