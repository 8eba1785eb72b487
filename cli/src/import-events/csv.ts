import type { Call } from '@assay/contract'
import { located, timeInUtc, withoutEmpty } from './cells.ts'
import type { Columns, Row } from './records.ts'

/** What a column may be; any other column is a property. */
export const columnRoles = [
  'event',
  'time',
  'event_id',
  'user_id',
  'anonymous_id',
  'session_id',
  'url',
  'title',
  'referrer',
  'country',
  'region',
  'city',
] as const
type Role = (typeof columnRoles)[number]

/** Names that say what a column is. */
const usual: Readonly<Record<Role, readonly string[]>> = {
  event: ['event', 'event_name', 'name'],
  time: ['time', 'ts', 'timestamp', 'created_at', 'occurred_at', 'date'],
  event_id: ['event_id', 'id', 'uuid'],
  user_id: ['user_id', 'userid', 'customer_id'],
  anonymous_id: ['anonymous_id', 'visitor_id', 'device_id', 'client_id'],
  session_id: ['session_id', 'visit_id'],
  url: ['url', 'page', 'page_url', 'page_location'],
  title: ['title', 'page_title'],
  referrer: ['referrer', 'referer', 'page_referrer'],
  // Such a column is as likely one of the customer as of the visit, so it has to be named.
  country: [],
  region: [],
  city: [],
}

export function csvCalls(row: Row, columns: Columns): Call[] {
  const names = Object.keys(row)
  const columnOf = (role: Role) =>
    columns[role] ??
    usual[role]
      .map((one) => names.find((name) => name.toLowerCase() === one))
      .find((name) => name !== undefined)
  const taken = new Map(columnRoles.map((role) => [role, columnOf(role)]))
  const cellOf = (role: Role) => row[taken.get(role) ?? '']
  const used = new Set(taken.values())
  const properties = Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      used.has(name) || value === '' ? [] : [[name, typed(value)]],
    ),
  )
  const event = cellOf('event')
  const isPage = event === undefined || event === '' || event === 'pageview' || event === 'page_view'
  return [
    {
      ...withoutEmpty({
        messageId: cellOf('event_id'),
        userId: cellOf('user_id'),
        anonymousId: cellOf('anonymous_id'),
        sessionId: cellOf('session_id'),
        timestamp: timeInUtc(cellOf('time')),
        context: {
          page: withoutEmpty({ url: cellOf('url'), title: cellOf('title'), referrer: cellOf('referrer') }),
          ...located(cellOf('country'), cellOf('region'), cellOf('city')),
        },
      }),
      ...(isPage ? { type: 'page' } : { event }),
      properties,
    },
  ]
}

/** A cell is text; a number that is written as such, and true and false, are meant as these. */
function typed(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  return typeof value === 'string' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(value)
    ? Number(value)
    : value
}
