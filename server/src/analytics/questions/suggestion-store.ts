import { type EventFilter, eventsOf, type TimeRange, withoutPeople } from '../../store/event-filter.ts'
import { ofCurrentPeople } from '../../store/event-source.ts'
import type { Count } from '../../store/events.ts'
import { type Binder, newBinder } from '../../store/filters/binder.ts'
import { columnSql, propertySql } from '../../store/filters/dimension-sql.ts'
import { takerOf } from '../../store/filters/filter-world.ts'
import { personRows } from '../../store/filters/person-sql.ts'
import type { Run } from './question-store.ts'
import type { GroupDimension } from './row-store.ts'

/** Enough to see every property that matters, and read within a moment. */
const recentEventsMax = 20_000
/** Names times properties times types. */
const linesMax = 5_000

export type PropertyLine = { name: string; path: string; kind: string; times: Count }

const membersOf = (json: string) => `JSONExtractKeysAndValuesRaw(if(${json} = '', '{}', ${json}))`

/** Properties of the latest events, and members of those that are objects, by the event and what they are. */
export function selectProperties(run: Run, filter: EventFilter, range: TimeRange): Promise<PropertyLine[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  const outer = `
        SELECT toString(name) AS name, member.1 AS own_path, member.2 AS own_raw
        FROM (SELECT name, properties FROM ${from} WHERE ${where} ORDER BY ts DESC LIMIT ${recentEventsMax})
        ARRAY JOIN ${membersOf('properties')} AS member`
  return run<PropertyLine>(
    `SELECT name, path, kind, count() AS times
     FROM (
       SELECT name, path,
              multiIf(startsWith(raw, '"'), 'string', startsWith(raw, '{'), 'object', startsWith(raw, '['), 'array',
                      raw IN ('true', 'false'), 'boolean', raw = 'null', '', 'number') AS kind
       FROM (
         SELECT name, own_path AS path, own_raw AS raw FROM (${outer})
         UNION ALL
         SELECT name, concat(own_path, '.', part.1) AS path, part.2 AS raw
         FROM (${outer}) ARRAY JOIN ${membersOf("if(startsWith(own_raw, '{'), own_raw, '')")} AS part
       )
     )
     WHERE kind != '' GROUP BY name, path, kind ORDER BY times DESC, name, path, kind LIMIT ${linesMax}`,
    params,
  )
}

export function selectEventNames(
  run: Run,
  filter: EventFilter,
  range: TimeRange,
  rows: number,
): Promise<{ name: string }[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  return run(
    `SELECT toString(name) AS name FROM ${from} WHERE ${where}
     GROUP BY name ORDER BY count() DESC, name LIMIT {rows:UInt32}`,
    { ...params, rows },
  )
}

/** The values that most events have, of those that contain a text or are named. */
export function selectValues(
  run: Run,
  filter: EventFilter,
  range: TimeRange,
  dimension: GroupDimension,
  { search, named, limit: rows }: { search: string; named: readonly string[]; limit: number },
): Promise<{ value: string; events: Count }[]> {
  const { from, where, params } = eventsOf(withoutPeople(filter), range)
  const binder = newBinder('value')
  const isNamed = named.length === 0 ? '' : ` OR value IN ${binder.bind('Array(String)', named)}`
  const isFound =
    search === ''
      ? ''
      : `AND (positionCaseInsensitiveUTF8(value, ${binder.bind('String', search)}) > 0${isNamed})`
  const values =
    dimension.of === 'person'
      ? `${personValues(filter, `SELECT person_key FROM ${from} WHERE ${where}`, dimension, binder)} WHERE value != ''`
      : `SELECT ${valueSql(dimension, binder)} AS value FROM ${from} WHERE ${where} AND value != ''`
  return run(
    `SELECT value, count() AS events FROM (${values} ${isFound})
     GROUP BY value ORDER BY events DESC, value LIMIT {rows:UInt32}`,
    { ...params, ...binder.params, rows },
  )
}

/** The value of each event's person; of audiences as many as they are in. */
function personValues(
  filter: EventFilter,
  events: string,
  dimension: Extract<GroupDimension, { of: 'person' }>,
  binder: Binder,
): string {
  const { rows, value } = personRows(filter, dimension, binder, takerOf(binder, 'joined'))
  return `SELECT known.text AS value FROM ${ofCurrentPeople(events, filter.readOverlays)} AS e
      INNER JOIN (SELECT person_key, substringUTF8(${value.text}, 1, 500) AS text FROM ${rows}) AS known
      ON e.person_key = known.person_key`
}

function valueSql(dimension: Exclude<GroupDimension, { of: 'person' }>, binder: Binder): string {
  if (dimension.kind === 'property')
    return `substringUTF8(${propertySql(dimension.property, binder).text}, 1, 500)`
  const { name } = dimension
  return name === 'entryPage' || name === 'exitPage' ? "if(name = '$pageview', path, '')" : columnSql(name)
}
