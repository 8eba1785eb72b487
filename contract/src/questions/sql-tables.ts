/** A column of a table that queries in SQL see. */
type SqlColumn = { name: string; type: string; description: string }
type SqlTable = { description: string; columns: readonly SqlColumn[] }
export type SqlTableName = 'events' | 'sessions'

const text = (name: string, description: string): SqlColumn => ({ name, type: 'String', description })
const id = (name: string, description: string): SqlColumn => ({
  name,
  type: 'Nullable(String)',
  description,
})
const count = (name: string, description: string): SqlColumn => ({ name, type: 'UInt64', description })
const flag = (name: string, description: string): SqlColumn => ({ name, type: 'UInt8', description })
const time = (name: string, description: string): SqlColumn => ({ name, type: 'DateTime64(3)', description })

/** What an event says itself, and of a session what it came with. */
const arrival: readonly SqlColumn[] = [
  text('channel', 'Such as Direct, Organic Search or Email'),
  text('source', 'Such as Google, or the host that linked here'),
  text('referrer', 'Host of the page that linked here'),
  text('utm_source', 'utm_source of the address'),
  text('utm_medium', 'utm_medium of the address'),
  text('utm_campaign', 'utm_campaign of the address'),
  text('utm_term', 'utm_term of the address'),
  text('utm_content', 'utm_content of the address'),
  text('click_id', 'Type of the click id, such as gclid'),
]
const visitor: readonly SqlColumn[] = [
  text('country', 'Two letters, such as DE'),
  text('region', 'Part of the country'),
  text('city', 'City'),
  text('device', 'desktop, mobile or tablet'),
  text('browser', 'Name of the browser'),
  text('os', 'Operating system'),
  text('language', 'Such as en'),
  text('screen', 'Such as 1440x900'),
]

/** The tables of SQL; texts are '' and ids NULL where there is nothing. */
export const sqlTables: Readonly<Record<SqlTableName, SqlTable>> = {
  events: {
    description: 'A row for each event that counts',
    columns: [
      time('time', 'When it happened, in the zone of the period'),
      time('received_at', 'When it arrived, in the zone of the period'),
      text('event_id', 'Id of the event'),
      text('event', 'Name, such as $pageview; mappings and back-fills applied'),
      id('person_id', 'The person now, after merges; NULL where there is none'),
      id('user_id', 'Id of the user, as sent'),
      id('anonymous_id', 'Id of the browser or app, as sent'),
      id('session_id', 'Session; NULL where there is none'),
      text('page', 'Path of the page'),
      text('title', 'Title of the page'),
      text('hostname', 'Host of the page'),
      text('url', 'Whole address of the page'),
      ...arrival,
      ...visitor,
      { name: 'amount', type: 'Nullable(Decimal(18, 4))', description: 'Money, in major units' },
      text('currency', 'Currency of the amount'),
      text('order_id', 'Order'),
      text('release', 'Release of the site or app'),
      text('sdk', 'What sent it'),
      text('surface', 'Such as web, ios or server'),
      text('verdict', 'accept or warn'),
      flag('is_bot', '1 where a bot sent it; bots are left out unless asked for'),
      text('properties', "JSON; properties.plan is the text of one, and properties['a name'] too"),
    ],
  },
  sessions: {
    description: 'A row for each session, from its events in the period',
    columns: [
      id('session_id', 'Session'),
      id('person_id', 'The person of its last event, after merges'),
      time('started_at', 'First event'),
      time('ended_at', 'Last event'),
      count('duration_ms', 'From the first event to the last'),
      count('events', 'Events'),
      count('pageviews', 'Page views'),
      count('conversions', 'Conversions: purchases, subscriptions, sign-ups and goals'),
      flag('is_bounce', '1 where a single thing happened'),
      text('entry_page', 'First page'),
      text('exit_page', 'Last page'),
      text('hostname', 'Host of the first page'),
      ...arrival,
      ...visitor,
    ],
  },
}
