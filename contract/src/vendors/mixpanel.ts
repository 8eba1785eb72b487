import {
  type Call,
  eventsIn,
  filled,
  firstText,
  kept,
  keyAmong,
  locationOf,
  membersOf,
  ownName,
  type Received,
  type Translated,
  textOf,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** `/track` and `/import`: a list of events, or one. */
export function fromMixpanel({ body, query }: Received): Translated {
  const events = eventsIn(body)
  const inEvents = events.slice(0, 1).map(({ properties }) => membersOf(properties).token)
  return { key: keyAmong(...inEvents, query.token), calls: events.map(mixpanelCall) }
}

/** `/engage`: what is known of people. */
export function fromMixpanelPeople({ body }: Received): Translated {
  const updates = eventsIn(body)
  return { key: keyAmong(...updates.slice(0, 1).map(({ $token }) => $token)), calls: updates.map(peopleCall) }
}

function peopleCall(update: Members): Call {
  const traits = { ...membersOf(update.$set_once), ...membersOf(update.$set) }
  return { type: 'identify', ...idsOf({ distinct_id: update.$distinct_id }), traits: plainNames(traits) }
}

/** `$email` and `$name` are reserved there, and have plain names here. */
const plainNames = (traits: Members): Call =>
  Object.fromEntries(Object.entries(traits).map(([name, value]) => [name.replace(/^\$/, ''), value]))

const devicePrefix = '$device:'

function idsOf({ distinct_id, $device_id, $user_id }: Members): Call {
  const id = textOf(distinct_id)
  const isDevice = id?.startsWith(devicePrefix) === true || (id !== undefined && id === $device_id)
  const device = firstText($device_id, isDevice ? id?.replace(devicePrefix, '') : undefined)
  return filled({ userId: firstText($user_id, isDevice ? undefined : id), anonymousId: device })
}

/** One event of Mixpanel, as its clients send it and as its exports have it. */
export function mixpanelCall({ event, properties }: Members): Call {
  const members = membersOf(properties)
  const shared = filled({
    messageId: textOf(members.$insert_id),
    timestamp: members.time,
    ...idsOf(members),
    context: filled({
      page: filled({
        url: firstText(members.$current_url, members.current_url, urlOf(members)),
        title: textOf(members.current_page_title),
        referrer: referrerOf(members),
      }),
      os: textOf(members.$os) && { name: members.$os },
      app: textOf(members.$app_version_string) && { version: members.$app_version_string },
      location: locationOf(members.mp_country_code, members.$region, members.$city),
      library: textOf(members.mp_lib) && { name: members.mp_lib, version: textOf(members.$lib_version) },
    }),
  })
  return { ...shared, ...whatOf(event, members) }
}

function urlOf({ current_domain, current_url_path, current_url_protocol, current_url_search }: Members) {
  const [domain, path] = [textOf(current_domain), textOf(current_url_path)]
  if (domain === undefined || path === undefined) return path
  return `${textOf(current_url_protocol) ?? 'https:'}//${domain}${path}${textOf(current_url_search) ?? ''}`
}

const referrerOf = ({ $referrer, referrer }: Members) => {
  const said = firstText($referrer, referrer)
  return said === '$direct' ? undefined : said
}

/** Its own members begin with `$` or `mp_`. */
// bounded: fixed.
const reserved = new Set(['token', 'time', 'distinct_id', 'mp_lib', 'mp_sent_by_lib_version'])
const ownProperties = (members: Members) =>
  kept(members, (name) => !name.startsWith('$') && !name.startsWith('mp_') && !reserved.has(name))

function whatOf(event: unknown, members: Members): Call {
  switch (event) {
    case '$identify':
      return filled({
        type: 'identify',
        userId: firstText(members.$identified_id, members.distinct_id),
        anonymousId: textOf(members.$anon_id),
      })
    case '$create_alias':
      return { type: 'alias', previousId: members.alias, userId: members.distinct_id }
    case '$mp_web_page_view':
      return { type: 'page', properties: ownProperties(members) }
    default:
      return { event: ownName(event, 'mixpanel'), properties: ownProperties(members) }
  }
}
