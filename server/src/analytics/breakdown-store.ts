import type { EventFilter, SqlCondition } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'
import { columnSql } from '../store/filters/dimension-sql.ts'
import { visitValue } from '../store/filters/visit-value.ts'
import { peopleRows } from './people-row-store.ts'
import type { Period } from './period.ts'
import { sessions, visitors } from './store.ts'

export type BreakdownRow = { key: string; visitors: Count; sessions: Count; events: Count }
type KeyedRow = BreakdownRow & { left_out: Count }

/** Of single events, where only page views are views of a page. */
const ofEvents = { pages: "if(name = '$pageview', path, NULL)", events: 'toString(name)' } as const
/** Of whole visits. */
const ofVisits = { sources: 'source', countries: 'country', devices: 'device' } as const
type Breakdown = keyof typeof ofEvents | keyof typeof ofVisits

/** The most frequent values of each, by visitors. */
export async function selectBreakdowns(
  events: Events,
  filter: EventFilter,
  period: Period,
  rows: number,
): Promise<Record<Breakdown, BreakdownRow[]>> {
  const select = async <Name extends string>(names: readonly Name[], { sql, params }: SqlCondition) => {
    const found = await events.query<KeyedRow>(sql, { ...params, rows })
    return names.map((_, index) =>
      found.filter((row) => Number(row.left_out) === leftOut(names.length, index)),
    )
  }
  const [[pages = [], names = []], [sources = [], countries = [], devices = []]] = await Promise.all([
    select(Object.keys(ofEvents), eventBreakdowns(filter, period)),
    select(Object.keys(ofVisits), visitBreakdowns(filter, period)),
  ])
  return { pages, sources, countries, devices, events: names }
}

function eventBreakdowns(filter: EventFilter, period: Period): SqlCondition {
  const values = Object.values(ofEvents)
  const { sql, params } = peopleRows(filter, period, (matches) => [
    'session_key',
    `(${matches}) AS is_match`,
    ...values.map((value, index) => `${value} AS key${index}`),
  ])
  const figures = `${visitors} AS visitors, ${sessions} AS sessions, sum(is_match) AS events`
  return { sql: topValues(figures, sql, values.length), params }
}

/**
 * Later events of a visit do not say where it came from, so it has one source, country and device; an event without a
 * session has its own. First one row a visit with its people, of whom there is one as a rule.
 */
function visitBreakdowns(filter: EventFilter, period: Period): SqlCondition {
  const names = Object.values(ofVisits)
  const rows = peopleRows(filter, period, (matches) => [
    'session_key',
    'ts',
    'arrival',
    'channel',
    ...names,
    `(${matches}) AS is_match`,
  ])
  const alone = `if(session_key = cityHash64(''), cityHash64(${names.map(columnSql).join(', ')}), 0)`
  const visits = `(
      SELECT session_key != cityHash64('') AS is_visit, sum(is_match) AS own_events,
             groupUniqArrayIf(person_key, person_key != cityHash64('')) AS people,
             ${names.map((name, index) => `${visitValue(name)} AS key${index}`).join(', ')}
      FROM ${rows.sql} GROUP BY session_key, ${alone}
    )`
  const figures =
    'uniqExactArray(people) AS visitors, countIf(is_visit) AS sessions, sum(own_events) AS events'
  return { sql: topValues(figures, visits, names.length), params: rows.params }
}

/**
 * All breakdowns from one pass over the rows: each grouping set groups by one key and leaves the others out. `grouping`
 * has a bit for every key, the first one highest, and sets those that are left out.
 */
function topValues(figures: string, rows: string, count: number): string {
  const keys = Array.from({ length: count }, (_, index) => `key${index}`)
  const byGroup = keys.map((key, index) => `left_out = ${leftOut(count, index)}, ${key}`)
  return `
    SELECT grouping(${keys.join(', ')}) AS left_out, multiIf(${byGroup.join(', ')}, NULL) AS key, ${figures}
    FROM ${rows} GROUP BY GROUPING SETS (${keys.map((key) => `(${key})`).join(', ')})
    HAVING isNotNull(key) ORDER BY left_out, visitors DESC, events DESC, key
    LIMIT {rows:UInt32} BY left_out`
}

const leftOut = (count: number, index: number) => 2 ** count - 1 - 2 ** (count - 1 - index)
