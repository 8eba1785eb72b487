import {
  type Call,
  eventsIn,
  filled,
  firstText,
  isMadeUp,
  kept,
  keyAmong,
  locationOf,
  membersOf,
  numberOf,
  ownName,
  type Received,
  recordsIn,
  type Translated,
  textOf,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** `/capture`, `/e` and `/batch`: one event, a list of them, or a list in `batch`. */
export function fromPosthog({ body, nowMs }: Received): Translated {
  const envelope = Array.isArray(body) ? {} : membersOf(body)
  const events = eventsIn(envelope.batch ?? body)
  const past = envelope.historical_migration === true ? { historical: true } : {}
  return {
    key: keyAmong(envelope.api_key, envelope.token, ...events.slice(0, 1).flatMap(keysIn)),
    calls: events.map((event) => ({ ...posthogCall(event, nowMs), ...past })),
    sentAt: envelope.sent_at,
  }
}

const keysIn = ({ api_key, token, properties }: Members) => [api_key, token, membersOf(properties).token]

/** One event of PostHog, as its clients send it and as its exports have it. */
export function posthogCall(event: Members, nowMs: number): Call {
  const properties = membersOf(event.properties)
  const shared = filled({
    messageId: textOf(event.uuid) ?? textOf(properties.$insert_id),
    timestamp: timeOf(event, nowMs),
    sessionId: textOf(properties.$session_id),
    context: contextOf(properties),
    ...personOf(event, properties),
  })
  return { ...shared, ...whatOf(event, properties) }
}

/** The browser's client says how long ago it happened, others when. */
function timeOf({ timestamp, offset }: Members, nowMs: number): unknown {
  if (timestamp !== undefined) return timestamp
  const agoMs = numberOf(offset)
  return agoMs === undefined ? undefined : nowMs - agoMs
}

function personOf(event: Members, properties: Members): Call {
  const id = firstText(event.distinct_id, properties.distinct_id, properties.$distinct_id)
  const device = textOf(properties.$device_id)
  const user = textOf(properties.$user_id)
  if (id === undefined) return filled({ anonymousId: device, userId: user })
  const isUnknown =
    properties.$is_identified === false ||
    properties.$process_person_profile === false ||
    id === device ||
    (user === undefined && isMadeUp(id))
  return isUnknown ? { anonymousId: id } : filled({ userId: user ?? id, anonymousId: device })
}

function contextOf(properties: Members): Call {
  const size = { width: properties.$screen_width, height: properties.$screen_height }
  return filled({
    page: filled({
      url: textOf(properties.$current_url),
      referrer: referrerOf(properties),
      title: textOf(properties.title),
    }),
    library: filled({ name: textOf(properties.$lib), version: textOf(properties.$lib_version) }),
    locale: firstText(properties.$browser_language, properties.$locale),
    userAgent: firstText(properties.$raw_user_agent, properties.$user_agent),
    screen: numberOf(size.width) === undefined ? undefined : size,
    os: textOf(properties.$os) && { name: properties.$os },
    app: textOf(properties.$app_version) && { version: properties.$app_version },
    location: locationOf(
      properties.$geoip_country_code,
      properties.$geoip_subdivision_1_code,
      properties.$geoip_city_name,
    ),
  })
}

/** It writes `$direct` where there is none. */
const referrerOf = ({ $referrer }: Members) => ($referrer === '$direct' ? undefined : textOf($referrer))

/** Its own members begin with `$`; what is of use of them is in the context. */
const ownProperties = (properties: Members) =>
  kept(properties, (name) => !name.startsWith('$') && name !== 'token' && name !== 'distinct_id')

const traitsOf = (event: Members, properties: Members): Call => ({
  ...membersOf(properties.$set_once),
  ...membersOf(properties.$set),
  ...membersOf(event.$set_once),
  ...membersOf(event.$set),
})

function whatOf(event: Members, properties: Members): Call {
  const own = ownProperties(properties)
  switch (event.event) {
    case '$identify':
      return filled({
        type: 'identify',
        userId: firstText(event.distinct_id, properties.distinct_id),
        anonymousId: firstText(properties.$anon_distinct_id, properties.$device_id),
        traits: traitsOf(event, properties),
      })
    case '$set':
      return { type: 'identify', traits: traitsOf(event, properties) }
    case '$create_alias':
      return {
        type: 'alias',
        previousId: properties.alias,
        userId: event.distinct_id ?? properties.distinct_id,
      }
    case '$groupidentify':
      return { type: 'group', groupId: properties.$group_key, traits: membersOf(properties.$group_set) }
    case '$pageview':
      return { type: 'page', properties: own }
    case '$screen':
      return { type: 'screen', name: properties.$screen_name, properties: own }
    case '$pageleave':
      return { event: 'page_leave', properties: { ...own, duration_ms: leftAfterMs(properties) } }
    case '$autocapture':
      return { event: clicked(properties), properties: { ...own, ...elementOf(properties) } }
    case '$rageclick':
      return { event: 'rage_click', properties: { ...own, ...elementOf(properties) } }
    case '$exception':
      return { event: 'error', properties: { ...own, ...errorOf(properties) } }
    default:
      return { event: ownName(event.event, 'posthog'), properties: own }
  }
}

const leftAfterMs = ({ $prev_pageview_duration }: Members) =>
  Math.round((numberOf($prev_pageview_duration) ?? 0) * 1_000)

const clicked = ({ $event_type }: Members) =>
  $event_type === 'submit' ? '$form_submit' : $event_type === 'change' ? 'posthog_change' : '$click'

/** The first element of the chain is the one that was used. */
function elementOf(properties: Members): Call {
  const [first = {}] = recordsIn(properties.$elements)
  const chain = textOf(properties.$elements_chain)?.split(/[;:]/, 1)[0]
  const element = firstText(first.attr__id, first.tag_name, chain) ?? 'unknown'
  return filled({
    element,
    form_id: element,
    text: firstText(properties.$el_text, first.$el_text, first.text),
  })
}

function errorOf(properties: Members): Call {
  const [first = {}] = recordsIn(properties.$exception_list)
  return filled({
    name: firstText(first.type, properties.$exception_type),
    message: firstText(first.value, properties.$exception_message) ?? 'unknown',
    stack: stackOf(first),
    url: textOf(properties.$current_url),
    handled: membersOf(first.mechanism).handled,
  })
}

function stackOf({ stacktrace }: Members): string | undefined {
  const frames = recordsIn(membersOf(stacktrace).frames)
  if (frames.length === 0) return undefined
  const line = ({ function: name, filename, lineno, colno }: Members) =>
    `at ${firstText(name) ?? '?'} (${firstText(filename) ?? '?'}:${firstText(lineno) ?? 0}:${firstText(colno) ?? 0})`
  return frames.toReversed().slice(0, 50).map(line).join('\n')
}
