import type { Events } from '../store/events.ts'

/** A table of the events store that holds rows of people. */
export type PeopleTable =
  | 'events'
  | 'overlaid_events'
  | 'event_overlays'
  | 'quarantine'
  | 'quarantine_states'
  | 'event_ids'
  | 'overlay_orders'
  | 'error_sightings'

/**
 * Whom and what a request is about, in a table that lies in memory only. Statements that rewrite parts are kept as text
 * on disk, so they name this list and never what is in it.
 */
export type List = { name: string }

export function listOf(requestId: string): List {
  if (!/^[a-z0-9_]+$/.test(requestId)) throw new Error(`${JSON.stringify(requestId)} is not one of our ids`)
  return { name: `forgetting_${requestId}` }
}

export type ListRow = { kind: 'person' | 'value' | 'needle' | 'salt'; value: string }

/** Made anew, since a worker before may have died over it. */
export async function fillList(events: Events, { name }: List, rows: readonly ListRow[]): Promise<void> {
  await dropList(events, { name })
  await events.command(`CREATE TABLE ${name} (kind LowCardinality(String), value String) ENGINE = Memory`)
  await events.insertRows(name, rows)
}

export async function dropList(events: Events, { name }: List): Promise<void> {
  await events.command(`DROP TABLE IF EXISTS ${name}`)
}

const people = ({ name }: List) => `(SELECT value FROM ${name} WHERE kind = 'person')`
const values = ({ name }: List) => `(SELECT value FROM ${name} WHERE kind = 'value')`
const eventIds = ({ name }: List) => `(SELECT value FROM ${name} WHERE kind = 'event')`

/** What was sent and held stands there as it came, so it is theirs as well where it names them anywhere. */
const held = (list: List) => `(person_id IN ${people(list)} OR multiSearchAny(lower(held), ${needles(list)}))`
const needles = ({ name }: List) => `(SELECT groupArray(value) FROM ${name} WHERE kind = 'needle')`

/** Adds the ids of all their events to the list: other tables know events by these only. */
export async function listEvents(events: Events, list: List, workspaceId: string): Promise<void> {
  await events.command(
    `INSERT INTO ${list.name} (kind, value)
     SELECT 'event', event_id FROM events
     WHERE workspace_id = {workspaceId:String} AND person_key IN (SELECT cityHash64(value) FROM ${people(list)})
     UNION ALL
     SELECT 'event', event_id FROM quarantine
     WHERE workspace_id = {workspaceId:String} AND ${held(list)}`,
    { workspaceId },
  )
}

/** Which rows of a table are theirs. Orders of back-fills belong to a workspace only through the ids of events. */
function theirs(table: PeopleTable, list: List): string {
  if (table === 'overlay_orders') return `event_id IN ${eventIds(list)}`
  const ofWorkspace = 'workspace_id = {workspaceId:String} AND'
  if (table === 'event_ids') return `${ofWorkspace} event_id IN ${eventIds(list)}`
  if (table === 'error_sightings') {
    const text = "lower(concat(error_type, ' ', error_title, ' ', error_culprit))"
    return `${ofWorkspace} multiSearchAny(${text}, ${needles(list)})`
  }
  if (table === 'quarantine') return `${ofWorkspace} ${held(list)}`
  if (table !== 'quarantine_states') return `${ofWorkspace} person_id IN ${people(list)}`
  return `${ofWorkspace} (person_id IN ${people(list)} OR event_id IN ${eventIds(list)})`
}

/** In the events of others: their device, or their user id besides another person's. */
const mentioned = (list: List) =>
  `workspace_id = {workspaceId:String} AND person_id NOT IN ${people(list)}
     AND (user_id IN ${values(list)} OR anonymous_id IN ${values(list)})`

async function count(events: Events, table: string, where: string, workspaceId: string): Promise<number> {
  const [row] = await events.query<{ rows: string | number }>(
    `SELECT count() AS rows FROM ${table} WHERE ${where}`,
    { workspaceId },
  )
  return Number(row?.rows ?? 0)
}

export function countTheirs(events: Events, table: PeopleTable, list: List, workspaceId: string) {
  return count(events, table, theirs(table, list), workspaceId)
}

export function countMentions(
  events: Events,
  table: 'events' | 'overlaid_events',
  list: List,
  workspaceId: string,
) {
  return count(events, table, mentioned(list), workspaceId)
}

async function rewrite(
  events: Events,
  table: PeopleTable,
  change: string,
  workspaceId: string,
): Promise<void> {
  await events.command(`ALTER TABLE ${table} ${change} SETTINGS mutations_sync = 2`, { workspaceId })
}

/** Gone from every part when it resolves. */
export function deleteTheirs(events: Events, table: PeopleTable, list: List, workspaceId: string) {
  return rewrite(events, table, `DELETE WHERE ${theirs(table, list)}`, workspaceId)
}

/** Events of others stay as they are, without what names the person. */
export function emptyMentions(
  events: Events,
  table: 'events' | 'overlaid_events',
  list: List,
  workspaceId: string,
) {
  const without = (column: string) => `${column} = if(${column} IN ${values(list)}, '', ${column})`
  const change = `UPDATE ${without('user_id')}, ${without('anonymous_id')} WHERE ${mentioned(list)}`
  return rewrite(events, table, change, workspaceId)
}

/** Names under which a number may be somebody's. */
const identifierNames = `('user_id', 'anonymous_id', 'person_id', 'session_id', 'device_id', 'customer_id',
  'account_id', 'email', 'phone', 'phone_number', 'mobile', 'ip', 'zip', 'postal_code', 'birth_year')`

/** Of what was sent numbers and yes or no stay. A text may say anything, and so may what is nested. */
const harmless = `if(properties = '', '', concat('{', arrayStringConcat(
      arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), arrayFilter(
        pair -> match(pair.2, '^(-?[0-9.]+([eE][+-]?[0-9]+)?|true|false)$') AND lower(pair.1) NOT IN ${identifierNames},
        JSONExtractKeysAndValuesRaw(properties))), ','), '}'))`

/**
 * What happened, where, when and for how much stays, and counts as before; nothing leads to anybody. A session gets a
 * name that cannot be found out again: it stays one visit, and none can be told to be of the same person as another.
 */
export function anonymiseTheirs(
  events: Events,
  table: 'events' | 'overlaid_events' | 'event_overlays',
  list: List,
  workspaceId: string,
) {
  const always = ["person_id = ''", "issues = ''", `properties = ${harmless}`, "set_aside = ''"]
  if (table === 'event_overlays') {
    return rewrite(events, table, `UPDATE ${always.join(', ')} WHERE ${theirs(table, list)}`, workspaceId)
  }
  const session = `concat('ses_', lower(hex(sipHash128(
      (SELECT any(value) FROM ${list.name} WHERE kind = 'salt'), session_id))))`
  const unlessNamed = (column: string, text = column) =>
    `${column} = if(multiSearchAny(lower(${column}), ${needles(list)}), '', ${text})`
  const change = [
    ...always,
    "person_key = cityHash64('')",
    "resolved_by = 'nobody'",
    "user_id = ''",
    "anonymous_id = ''",
    `session_id = if(session_id = '', '', ${session})`,
    `session_key = cityHash64(if(session_id = '', '', ${session}))`,
    unlessNamed('url', 'cutQueryStringAndFragment(url)'),
    unlessNamed('referrer', 'cutQueryStringAndFragment(referrer)'),
    unlessNamed('path'),
    unlessNamed('title'),
    unlessNamed('utm_term'),
    unlessNamed('utm_content'),
    "click_id = ''",
    "click_id_type = ''",
    "consent_record_id = ''",
    "context = ''",
    // What an error said is a text like any other.
    "folded_title = ''",
    "folded_culprit = ''",
  ]
  return rewrite(events, table, `UPDATE ${change.join(', ')} WHERE ${theirs(table, list)}`, workspaceId)
}

export type ReplacedPart = { table: string; name: string }

/** Parts that were replaced and still lie on disk, of whichever table: any room may keep something of people. */
export function selectReplacedParts(events: Events): Promise<ReplacedPart[]> {
  return events.query<ReplacedPart>(
    `SELECT table, name FROM system.parts
     WHERE database = currentDatabase() AND NOT active ORDER BY table, name`,
  )
}

/** As the migrations have it; the engine's own default. */
const lifetimeSeconds = 480

/** The engine looks for what may go whenever a partition is dropped, also where there is none of that name. */
export async function removeReplacedParts(events: Events, table: string): Promise<void> {
  await events.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 0`)
  await events.command(`ALTER TABLE ${table} DROP PARTITION ID 'none'`)
  await events.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = ${lifetimeSeconds}`)
}
