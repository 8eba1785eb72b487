import type { Count, Events } from '../../store/events.ts'
import { conversionEvents, passiveEvents, revenueEvents, signedAmount } from '../event-kinds.ts'
import type { Period } from '../period.ts'
import { noQuality, type QualityRow, verdictRows, verdictSums } from '../store.ts'
import {
  isCurrentDay,
  isCurrentEvent,
  mergesSql,
  ofRuns,
  openEvents,
  openNumbers,
  openWhere,
  paramsOf,
  type Sources,
  sessionsOfOpen,
} from './source-store.ts'

/** People, sessions and events of one unit: a period, an interval, or a value of a dimension. */
export type UnitRow = {
  unit: string
  value: string
  visitors: Count
  sessions: Count
  events: Count
  pageviews: Count
  conversions: Count
}

const nobody = 'bitmapBuild([toUInt32(0)])'

/**
 * People of a unit: members of the bitmap that are part of no merge, people whom no day has seen, and of the rest each
 * current person once.
 */
const visitors = `bitmapCardinality(bitmapAndnot(people, ${nobody})) + new_people`
const visitorsMerged = `bitmapCardinality(bitmapAndnot(people, merged_or_nobody)) + new_people
            + arrayUniq(arrayConcat(new_merged, arrayFilter(person -> person != 0,
                arrayMap(number -> transform(number, merged.1, merged.2, toUInt64(0)),
                  bitmapToArray(bitmapAnd(people, merged_or_nobody))))))`

/** The intervals, periods and values that an event or a day counts for. */
const periodUnits = (isCurrent: string, ms: string, more = '[]') => `if(${isCurrent}, arrayConcat(
        [('current', ''), ('interval', toString(roundDown(${ms}, {starts:Array(Int64)})))], ${more}),
        [('previous', '')])`
const valueUnits = `arrayConcat(if(name = '$pageview', [('pages', path)], []),
        [('sources', toString(source)), ('countries', toString(country)), ('devices', toString(device)),
         ('events', toString(name))])`

const ofDays = `
      SELECT of.1 AS unit, of.2 AS value, people, sessions, events, pageviews, conversions,
             toUInt64(0) AS new_people, toUInt64(0) AS new_sessions, emptyArrayUInt64() AS new_merged
      FROM summary_days ARRAY JOIN ${periodUnits(isCurrentDay, 'from_ms')} AS of WHERE ${ofRuns}
      UNION ALL
      SELECT dimension, value, people, sessions, events, toUInt64(0), toUInt64(0), toUInt64(0), toUInt64(0),
             emptyArrayUInt64()
      FROM summary_values WHERE ${ofRuns} AND ${isCurrentDay} AND dimension != 'revenue'`

function ofOpen(sources: Sources): string {
  if (sources.open.length === 0) return ''
  const isNew = "person = 0 AND person_key != cityHash64('')"
  return `
      UNION ALL
      SELECT of.1, of.2, groupBitmapState(person), groupBitmapState(session), count(), countIf(name = '$pageview'),
             countIf(name IN ${conversionEvents}), uniqExactIf(person_key, ${isNew} AND NOT is_merged),
             uniqExactIf(session_key, session = 0 AND session_key != cityHash64('')),
             groupUniqArrayIf(whose, ${isNew} AND is_merged)
      FROM ${openEvents(sources)}
      ARRAY JOIN ${periodUnits(isCurrentEvent, 'toUnixTimestamp64Milli(ts)', valueUnits)} AS of
      GROUP BY of.1, of.2`
}

/** Both periods, the intervals of the present one, and its values that most people had; all from one pass. */
export function selectUnits(
  events: Events,
  sources: Sources,
  starts: readonly number[],
  rows: number,
): Promise<UnitRow[]> {
  return events.query<UnitRow>(
    `${sources.hasMerges ? mergesSql : ''}
    SELECT unit, value, ${sources.hasMerges ? visitorsMerged : visitors} AS visitors,
           bitmapCardinality(bitmapAndnot(sessions, ${nobody})) + new_sessions AS sessions, events, pageviews,
           conversions
    FROM (
      SELECT unit, value, groupBitmapMergeState(people) AS people, groupBitmapMergeState(sessions) AS sessions,
             sum(events) AS events, sum(pageviews) AS pageviews, sum(conversions) AS conversions,
             sum(new_people) AS new_people, sum(new_sessions) AS new_sessions,
             groupUniqArrayArray(new_merged) AS new_merged
      FROM (${ofDays} ${ofOpen(sources)})
      GROUP BY unit, value
    )
    ORDER BY unit, visitors DESC, events DESC, value
    LIMIT {rows:UInt32} BY unit, if(unit = 'interval', value, '')`,
    { ...paramsOf(sources), starts, rows },
  )
}

export type VisitRow = { is_current: Count; bounced: Count; duration_ms: Count; converted: Count }

/**
 * Figures of sessions, which are sums of days. Sessions that were seen on more than one day, or in open time, too, are
 * taken out of the sums and put in again as one.
 */
export function selectVisits(events: Events, sources: Sources): Promise<VisitRow[]> {
  const isOpen = sources.open.length > 0
  const open = `
          UNION ALL
          SELECT ${isCurrentEvent} AS is_current, session = 0 AS is_new, if(session = 0, session_key, session) AS id,
                 toUnixTimestamp64Milli(min(ts)) AS first_ms, toUnixTimestamp64Milli(max(ts)) AS last_ms,
                 countIf(name NOT IN ${passiveEvents}) AS active, countIf(name IN ${conversionEvents}) AS goals,
                 0 AS is_built
          FROM (${isOpen ? sessionsOfOpen(sources) : ''}) GROUP BY is_current, is_new, id`
  const isAgain = isOpen ? `OR number IN (${openNumbers(sources)})` : ''
  return events.query<VisitRow>(
    `WITH (SELECT groupBitmapMergeState(returning) FROM summary_days WHERE ${ofRuns}) AS several
     SELECT is_current, sum(bounced) AS bounced, sum(duration_ms) AS duration_ms, sum(converted) AS converted
     FROM (
       SELECT ${isCurrentDay} AS is_current, toInt64(bounced) AS bounced, duration_ms, toInt64(converted) AS converted
       FROM summary_days WHERE ${ofRuns}
       UNION ALL
       SELECT is_current, toInt64(sum(active) <= 1) - toInt64(countIf(is_built AND active <= 1)) AS bounced,
              max(last_ms) - min(first_ms) - sumIf(last_ms - first_ms, is_built) AS duration_ms,
              toInt64(sum(goals) > 0) - toInt64(countIf(is_built AND goals > 0)) AS converted
       FROM (
          SELECT ${isCurrentDay} AS is_current, 0 AS is_new, toUInt64(number) AS id, first_ms, last_ms,
                 toUInt64(active) AS active, toUInt64(goals) AS goals, 1 AS is_built
          FROM summary_visits WHERE ${ofRuns} AND (bitmapContains(several, number) ${isAgain})
          ${isOpen ? open : ''}
       ) GROUP BY is_current, is_new, id
     ) GROUP BY is_current`,
    paramsOf(sources),
  )
}

export type SummedRevenueRow = { is_current: Count; currency: string; bucket: Count; revenue: string }

export function selectSummedRevenue(
  events: Events,
  sources: Sources,
  starts: readonly number[],
): Promise<SummedRevenueRow[]> {
  const open = `
       UNION ALL
       SELECT ${isCurrentEvent} AS is_current, toString(currency) AS currency, toUnixTimestamp64Milli(ts) AS ms,
              toDecimal128(assumeNotNull(${signedAmount}), 4) AS money
       FROM events
       WHERE ${openWhere(sources.open)} AND is_bot = 0 AND name IN ${revenueEvents} AND amount IS NOT NULL`
  return events.query<SummedRevenueRow>(
    `SELECT is_current, currency, if(is_current, roundDown(ms, {starts:Array(Int64)}), 0) AS bucket,
            toString(sum(money)) AS revenue
     FROM (
       SELECT ${isCurrentDay} AS is_current, value AS currency, from_ms AS ms, amount AS money
       FROM summary_values
       WHERE ${ofRuns} AND dimension = 'revenue'
       ${sources.open.length === 0 ? '' : open}
     ) GROUP BY is_current, currency, bucket`,
    { ...paramsOf(sources), starts },
  )
}

/** Verdicts, and the share of bots among stored events of the present period. */
export async function selectSummedQuality(
  events: Events,
  sources: Sources,
  { fromMs, toMs }: Pick<Period, 'fromMs' | 'toMs'>,
): Promise<QualityRow> {
  const open = `
       UNION ALL
       SELECT countIf(is_bot = 1) AS bots, count() AS all FROM events
       WHERE ${openWhere(sources.open)} AND ${isCurrentEvent}`
  const [row] = await events.query<QualityRow>(
    `WITH (
       SELECT (sum(bots), sum(all)) FROM (
         SELECT sum(bot_events) AS bots, sum(events) + sum(bot_events) AS all FROM summary_days
         WHERE ${ofRuns} AND ${isCurrentDay}
         ${sources.open.length === 0 ? '' : open})) AS stored
     SELECT ${verdictSums}, if(stored.2 = 0, NULL, stored.1 / stored.2) AS bot_share, stored.1 AS bot_events
     ${verdictRows}`,
    { ...paramsOf(sources), fromMs, toMs },
  )
  return row ?? noQuality
}
