/**
 * Every column of the events table and every member of a log line, declared once. The staging table, the copy from it,
 * what anonymising leaves in log and store, and what an import may bring are derived from here. The migrations write
 * the same columns as SQL; a test compares the two.
 */

/** What a value is, and so what an import may bring. */
export type EventContent =
  | 'workspace'
  | 'site'
  | 'time'
  | 'arrival'
  | 'milliseconds'
  | 'event name'
  | 'identifier'
  | 'person'
  | 'hash'
  | 'outcome'
  | 'issues'
  | 'text'
  | 'bit'
  | 'money'
  | 'JSON object'

/**
 * What an anonymised event has of a column. The log keeps what is kept as it is and leaves out the rest: what the
 * others need is in the store alone, such as the identifiers of the person that a text may name.
 */
export type Anonymised =
  | 'kept'
  | 'emptied'
  /** No person was found. */
  | 'nobody'
  /** Numbers and yes or no stay; a text may say anything. */
  | 'numbers'
  /** A random name for the same session. */
  | 'renamed'
  /** Emptied where it names the person. */
  | 'unless named'
  /** The same, without query and fragment. */
  | 'address'

export type EventColumn = {
  /** In the events table. */
  type: string
  /** In a log line, where it is not the same: times are whole milliseconds, so that no line is unreadable. */
  lineType?: string
  /** Not in a log line: an expression over its members. */
  loadedAs?: string
  content: EventContent
} & (
  | { hashOf?: undefined; anonymised: Anonymised }
  /** Not in a log line: the hash of another column, and of that when it is anonymised. */
  | { hashOf: string; anonymised?: undefined }
)

const few = 'LowCardinality(String)'
const many = 'String'
const time = "DateTime64(3, 'UTC')"

/** In the order of the table. */
const eventColumns = {
  workspace_id: { type: few, content: 'workspace', anonymised: 'kept' },
  site_id: { type: few, content: 'site', anonymised: 'kept' },
  ts: { type: time, lineType: 'Int64', content: 'time', anonymised: 'kept' },
  event_id: { type: many, content: 'identifier', anonymised: 'kept' },
  received_at: { type: time, lineType: 'Int64', content: 'time', anonymised: 'kept' },
  arrival: { type: 'UInt64', content: 'arrival', anonymised: 'kept' },
  name: { type: few, content: 'event name', anonymised: 'kept' },
  sent_name: { type: few, content: 'event name', anonymised: 'kept' },
  mapping_rule: { type: few, content: 'identifier', anonymised: 'kept' },
  contract_version: { type: few, content: 'identifier', anonymised: 'kept' },
  outcome: { type: few, content: 'outcome', anonymised: 'kept' },
  issues: { type: many, content: 'issues', anonymised: 'emptied' },
  ts_sent: { type: `Nullable(${time})`, lineType: 'Nullable(Int64)', content: 'time', anonymised: 'kept' },
  correction_ms: { type: 'Int64', content: 'milliseconds', anonymised: 'kept' },
  person_id: { type: many, content: 'person', anonymised: 'emptied' },
  person_key: { type: 'UInt64', hashOf: 'person_id', content: 'hash' },
  resolved_by: { type: few, content: 'identifier', anonymised: 'nobody' },
  user_id: { type: many, content: 'identifier', anonymised: 'emptied' },
  anonymous_id: { type: many, content: 'identifier', anonymised: 'emptied' },
  session_id: { type: many, content: 'identifier', anonymised: 'renamed' },
  session_key: { type: 'UInt64', hashOf: 'session_id', content: 'hash' },
  endpoint: { type: few, content: 'identifier', anonymised: 'kept' },
  key_id: { type: few, content: 'identifier', anonymised: 'kept' },
  is_public: { type: 'UInt8', content: 'bit', anonymised: 'kept' },
  surface: { type: few, content: 'text', anonymised: 'kept' },
  sdk: { type: few, content: 'text', anonymised: 'kept' },
  release: { type: few, content: 'text', anonymised: 'kept' },
  url: { type: many, content: 'text', anonymised: 'address' },
  host: { type: few, content: 'text', anonymised: 'kept' },
  path: { type: many, content: 'text', anonymised: 'unless named' },
  title: { type: many, content: 'text', anonymised: 'unless named' },
  referrer: { type: many, content: 'text', anonymised: 'address' },
  referrer_host: { type: few, content: 'text', anonymised: 'kept' },
  utm_source: { type: few, content: 'text', anonymised: 'kept' },
  utm_medium: { type: few, content: 'text', anonymised: 'kept' },
  utm_campaign: { type: few, content: 'text', anonymised: 'kept' },
  utm_term: { type: many, content: 'text', anonymised: 'unless named' },
  utm_content: { type: many, content: 'text', anonymised: 'unless named' },
  click_id_type: { type: few, content: 'text', anonymised: 'emptied' },
  click_id: { type: many, content: 'text', anonymised: 'emptied' },
  channel: { type: few, content: 'text', anonymised: 'kept' },
  source: { type: few, content: 'text', anonymised: 'kept' },
  country: { type: few, content: 'text', anonymised: 'kept' },
  // Few people live in one place: a city says much about a single one.
  region: { type: few, content: 'text', anonymised: 'emptied' },
  city: { type: few, content: 'text', anonymised: 'emptied' },
  device: { type: few, content: 'text', anonymised: 'kept' },
  browser: { type: few, content: 'text', anonymised: 'kept' },
  os: { type: few, content: 'text', anonymised: 'kept' },
  is_bot: { type: 'UInt8', content: 'bit', anonymised: 'kept' },
  bot_reason: { type: few, content: 'text', anonymised: 'kept' },
  amount: { type: 'Nullable(Decimal(18, 4))', content: 'money', anonymised: 'kept' },
  currency: { type: few, content: 'text', anonymised: 'kept' },
  order_id: { type: many, content: 'identifier', anonymised: 'kept' },
  duplicate_of: { type: many, content: 'identifier', anonymised: 'kept' },
  counted: { type: 'UInt8', loadedAs: "duplicate_of = ''", content: 'bit', anonymised: 'kept' },
  consent_record_id: { type: many, content: 'identifier', anonymised: 'emptied' },
  // What an error said is a text like any other.
  folded_title: { type: few, content: 'text', anonymised: 'emptied' },
  folded_culprit: { type: few, content: 'text', anonymised: 'emptied' },
  properties: { type: many, content: 'JSON object', anonymised: 'numbers' },
  set_aside: { type: many, content: 'JSON object', anonymised: 'emptied' },
  context: { type: many, content: 'JSON object', anonymised: 'emptied' },
} as const satisfies Readonly<Record<string, EventColumn>>

/**
 * Columns that the store computes from the others (MATERIALIZED): they are never written, and `*` leaves them
 * out.
 */
export const computedColumns = {
  event_key: 'UInt64',
  target: few,
  error_type: few,
  error_title: few,
  error_culprit: few,
  error_key: 'UInt64',
} as const

/** Members of a log line that are no columns of events, with their types, and whether an anonymised line keeps them. */
export const lineMembers = {
  id_hi: { type: 'UInt32', isKept: true },
  id_lo: { type: 'UInt32', isKept: true },
  order_hi: { type: 'UInt32', isKept: true },
  order_lo: { type: 'UInt32', isKept: true },
  code: { type: few, isKept: true },
  repeats: { type: 'UInt64', isKept: true },
  is_bound: { type: 'UInt8', isKept: true },
  is_contested: { type: 'UInt8', isKept: true },
  held: { type: many, isKept: false },
  // A released event has to be loaded as one: its id is in the store since it was quarantined, and where several nodes
  // load it would be taken for a repeat. The decision goes with the quarantined event, once it is in the store.
  state: { type: few, isKept: true },
  decided_at: { type: 'Int64', isKept: true },
  decided_by: { type: few, isKept: false },
  decision_id: { type: many, isKept: true },
  patch: { type: many, isKept: false },
  // Of a dead letter that is loaded again: which one, and whether its event is stored already.
  letter: { type: many, isKept: true },
  is_stored: { type: 'UInt8', isKept: true },
} as const

type Declared = typeof eventColumns
type EventColumnName = keyof Declared

/** Columns that are not in a log line are computed as they are loaded. */
type LoadedName = {
  [Name in EventColumnName]: Declared[Name] extends { hashOf: string } | { loadedAs: string } ? Name : never
}[EventColumnName]

export type LineMember = Exclude<EventColumnName, LoadedName> | keyof typeof lineMembers

/** The same, seen as what all of them have in common. */
export const eventColumnList: readonly (readonly [name: string, column: EventColumn])[] =
  Object.entries(eventColumns)

export function isInLine({ hashOf, loadedAs }: EventColumn): boolean {
  return hashOf === undefined && loadedAs === undefined
}
