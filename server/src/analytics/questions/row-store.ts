import type { Dimension } from '@assay/contract'
import {
  conversionSql,
  dependsOnPeople,
  type EventFilter,
  type TimeRange,
  visitsOf,
  withoutPeople,
} from '../../store/event-filter.ts'
import { ofCurrentPeople } from '../../store/event-source.ts'
import type { QueryParams } from '../../store/events.ts'
import { renamed } from '../../store/filters/binder.ts'
import { columnSql, propertySql } from '../../store/filters/dimension-sql.ts'
import { takerOf } from '../../store/filters/filter-world.ts'
import { personRows } from '../../store/filters/person-sql.ts'
import { visitValue } from '../../store/filters/visit-value.ts'
import { passiveEvents } from '../store.ts'
import type { Plan } from './plan.ts'

/** A dimension by whose values rows are grouped. */
export type GroupDimension = Exclude<Dimension, { kind: 'time' }>

type RowScope = {
  filter: EventFilter
  range: TimeRange
  /** Starts of the intervals; null without a dimension of time. */
  starts: readonly number[] | null
  groups: readonly GroupDimension[]
}

/** Rows of events, narrow, with `bucket` and `d0`, `d1` … and the columns of the plan. */
export type Rows = {
  sql: string
  params: QueryParams
  /** The same with each event once, where an event is in several of the rows: for totals. */
  whole?: string
}

const hasSession = "session_key != cityHash64('')"
/** Longer values are cut: they are no names. */
const valueCharactersMax = 500

export function rowsOf(scope: RowScope, plan: Plan): Rows {
  const { filter, range, starts, groups } = scope
  const { needs, binder } = plan
  const ofPeople = needs.people || needs.firstEvents || groups.some(({ of }) => of === 'person')
  // Merges are looked up for the narrow rows, unless the filter itself needs them.
  const visits = visitsOf(withoutPeople(filter), range)
  const conversions = conversionSql(filter, range)
  const isJoined = needs.visits || groups.some(({ of }) => of === 'visit')
  const columns = [
    ...(needs.sessions || isJoined ? ['session_key'] : []),
    ...(ofPeople ? ['person_key'] : []),
    ...(starts === null ? [] : ['roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)}) AS bucket']),
    ...groups.flatMap((group, index) =>
      group.of === 'person' ? [] : [`${ownValue(group, plan)} AS own${index}`],
    ),
    ...[...plan.columns].map(([sql, alias]) => `${sql} AS ${alias}`),
  ]
  const events = `SELECT ${columns.join(', ') || '1 AS one'} FROM ${visits.from} WHERE ${visits.where}`
  const isLookedUp = ofPeople && !dependsOnPeople(filter)
  const current = isLookedUp ? ofCurrentPeople(events, filter.readOverlays) : `(${events})`
  const first = needs.firstEvents ? firstEventsOf(filter, range) : null
  const joins = [
    ...(isJoined
      ? [
          `LEFT ANY JOIN (${visitSql(visits, groups, plan, conversions.sql)}) AS visit ON e.session_key = visit.visit_key`,
        ]
      : []),
    ...personJoins(filter, groups, plan),
    ...(first === null ? [] : [`LEFT ANY JOIN ${first.sql} AS known ON e.person_key = known.first_person`]),
  ]
  const values = groups.map((group, index) => `${groupValue(group, index)} AS d${index}`)
  const whole = `(SELECT ${['*', ...values].join(', ')} FROM ${current} AS e ${joins.join('\n')})`
  const split = groups.findIndex(({ kind }) => kind === 'audience')
  return {
    sql: split < 0 ? whole : `(SELECT * EXCEPT (d${split}), arrayJoin(d${split}) AS d${split} FROM ${whole})`,
    ...(split >= 0 && { whole }),
    params: {
      ...visits.params,
      ...binder.params,
      ...(needs.visits && conversions.params),
      ...first?.params,
      ...(starts !== null && { starts }),
    },
  }
}

/** What is known of the person of an event; of audiences a list, in the order of their names. */
function personJoins(filter: EventFilter, groups: readonly GroupDimension[], { binder }: Plan): string[] {
  const take = takerOf(binder, 'joined')
  return groups.flatMap((group, index) => {
    if (group.of !== 'person') return []
    const { rows, value } = personRows(filter, group, binder, take)
    const known =
      group.kind === 'audience'
        ? `SELECT person_key AS key${index}, arraySort(groupUniqArray(${value.text})) AS known${index}
           FROM ${rows} GROUP BY person_key`
        : `SELECT person_key AS key${index},
                  substringUTF8(${value.text}, 1, ${valueCharactersMax}) AS known${index} FROM ${rows}`
    return [`LEFT ANY JOIN (${known}) AS person${index} ON e.person_key = person${index}.key${index}`]
  })
}

type OwnDimension = Exclude<GroupDimension, { of: 'person' }>

function ownValue(group: OwnDimension, { binder }: Plan): string {
  if (group.kind === 'property') {
    return `substringUTF8(${propertySql(group.property, binder).text}, 1, ${valueCharactersMax})`
  }
  const { name } = group
  return name === 'entryPage' || name === 'exitPage' ? viewedPage : columnSql(name)
}

const viewedPage = "if(name = '$pageview', path, '')"

/** An event without a session is a visit alone. */
function groupValue({ of, kind }: GroupDimension, index: number): string {
  if (kind === 'audience') return `if(empty(known${index}), [''], known${index})`
  if (of === 'person') return `known${index}`
  return of === 'visit' ? `if(${hasSession}, visit${index}, own${index})` : `own${index}`
}

const valueOfVisit = (group: GroupDimension) => (group.kind === 'column' ? visitValue(group.name) : "''")

function visitSql(
  { from, where }: { from: string; where: string },
  groups: readonly GroupDimension[],
  { needs }: Plan,
  isConversion: string,
): string {
  const values = groups.flatMap((group, index) =>
    group.of === 'visit' ? [`${valueOfVisit(group)} AS visit${index}`] : [],
  )
  const figures = [
    `countIf(name NOT IN ${passiveEvents}) <= 1 AS visit_bounced`,
    `countIf(${isConversion}) > 0 AS visit_converted`,
    'toUnixTimestamp64Milli(max(ts)) - toUnixTimestamp64Milli(min(ts)) AS visit_ms',
  ]
  const columns = ['session_key AS visit_key', ...(needs.visits ? figures : []), ...values]
  return `SELECT ${columns.join(', ')} FROM ${from} WHERE ${where} AND ${hasSession} GROUP BY session_key`
}

/** When each person was first seen on the site, by the events that are stored. */
function firstEventsOf(filter: EventFilter, { toMs }: TimeRange): Rows {
  const { readOverlays } = filter
  const everyone = { ...filter, filters: undefined }
  const { from, where, params } = visitsOf(withoutPeople(everyone), { fromMs: 0, toMs })
  const own = `SELECT person_key, toUnixTimestamp64Milli(min(ts)) AS own_first_ms FROM ${from}
      WHERE ${where} GROUP BY person_key`
  const history = renamed({ sql: own, params }, 'first', ['sql'])
  return {
    sql: `(SELECT person_key AS first_person, min(own_first_ms) AS first_ms
      FROM ${ofCurrentPeople(history.sql, readOverlays)} GROUP BY first_person)`,
    params: history.params,
  }
}
