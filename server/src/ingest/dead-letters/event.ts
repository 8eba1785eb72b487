import { isRecord } from '@assay/contract'

type Fields = Readonly<Record<string, unknown>>

/** The line as an event of `/v1/track`; null if it is not an event: counts and decisions are lines too. */
export function eventOfLine(line: Fields): Record<string, unknown> | null {
  const held = isRecord(line.held) && isRecord(line.held.event) ? line.held.event : null
  const name = held?.name ?? line.sent_name ?? line.name
  if (typeof line.event_id !== 'string' || typeof name !== 'string') return null
  const event = {
    event: name,
    event_id: line.event_id,
    ts: isoOf(line.ts),
    anonymous_id: held?.anonymousId ?? line.anonymous_id,
    user_id: held?.userId ?? line.user_id,
    session_id: line.session_id,
    contract_version: line.contract_version,
    properties: held?.properties ?? line.properties ?? {},
    context: held?.context ?? line.context ?? {},
  }
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))
}

/** Spellings of what stays unchanged: id, time, and time of sending. */
const keptNames = [
  'event_id',
  'messageId',
  'ts',
  'timestamp',
  'originalTimestamp',
  'occurred_at',
  'sent_at',
  'sentAt',
  'site_id',
  'siteId',
]

/** A repaired event keeps the id and the time of the original, if these can be read. */
export function repairedEvent(event: Fields, line: Fields): Record<string, unknown> {
  const { event_id, session_id } = line
  const ts = isoOf(line.ts)
  if (typeof event_id !== 'string') return { session_id, ...event }
  const rest = Object.fromEntries(Object.entries(event).filter(([name]) => !keptNames.includes(name)))
  return { session_id, ...rest, event_id, ...(ts !== undefined && { ts }) }
}

/** Columns derived from the original request, copied from the line. */
const requestColumns = [
  'country',
  'device',
  'browser',
  'os',
  'sdk',
  'release',
  'is_bot',
  'bot_reason',
  'is_public',
]
/** The same, where the country is the one of the original. */
const placeColumns = ['region', 'city']

/** The line of a repaired event, with the original's request columns, and the mark of its letter. */
export function reloadedLine(
  made: Fields,
  line: Fields,
  mark: { letter: string; is_stored: number },
): string {
  const isSamePlace = made.country === undefined || made.country === line.country
  const columns = isSamePlace ? [...requestColumns, ...placeColumns] : requestColumns
  const known = columns.filter((column) => line[column] !== undefined && made[column] === undefined)
  const taken = Object.fromEntries(known.map((column) => [column, line[column]]))
  // It keeps its order among events of the same moment.
  if (typeof line.arrival === 'number') taken.arrival = line.arrival
  return JSON.stringify({ ...made, ...taken, ...mark })
}

function isoOf(ms: unknown): string | undefined {
  const time = typeof ms === 'number' ? new Date(ms) : null
  return time === null || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
