import { segments } from '@assay/contract'
import type { Count, Events } from '../../store/events.ts'
import { type GroupMap, groupExpression, groupParams } from '../occurrence-store.ts'
import type { Moments } from './baseline.ts'
import { cellSql, groupsOfSessionMax, isFirstStep, stepsMax } from './landmark.ts'
import {
  type Cohorts,
  type ImpactScope,
  type Source,
  selectCohorts,
  sessionsSql,
  sourceOf,
} from './session-store.ts'
import type { HitRow, MomentRow, SessionTally } from './session-tally.ts'
import { limitParams, runningTotalsSql, segmentOf, type ValueLimits } from './value-store.ts'

type Row = Record<string, Count>

const stageAt = (ms: string) => `multiIf(checkout_ms > 0 AND checkout_ms <= ${ms}, 3,
              cart_ms > 0 AND cart_ms <= ${ms}, 2, product_ms > 0 AND product_ms <= ${ms}, 1, 0)`

/**
 * Every session with its steps before the first purchase, the stage at each, and when each group of errors first met
 * it. The levels of these statements are few on purpose: what planning takes grows with the square of their number, and
 * is nearly all that the read costs on a small site. And each is planned alone, as a `view`: a level that has others
 * inside looks through all of them for every function of its own. No condition has to reach the levels below.
 */
const walksSql = (source: Source) => `
        SELECT person_key AS person, first_cohort.1 AS device_key, first_cohort.2 AS cohort_key, started_ms,
               product_ms, cart_ms, checkout_ms, bought_ms, length, orders, is_chosen,
               toUInt8(started_ms >= {currentMs:Int64}) AS is_now,
               toUInt8(min(started_ms) OVER (PARTITION BY person_key) < started_ms) AS is_back,
               arraySlice(arrayFilter(step -> bought_ms = 0 OR started_ms + step < bought_ms, steps),
                          1, ${stepsMax}) AS risk,
               arrayMap(step -> ${stageAt('started_ms + step')}, risk) AS stages,
               arrayReduce('minMap', arrayMap(error_key -> [${groupExpression}], occurrences.1),
                           arrayMap(ms -> [ms], occurrences.2)) AS errors
        FROM view${source.asCurrent(sessionsSql(source))}`

/** The cell of each step; it is a later one of its stage where the step before had reached that. */
const cellsSql = `arrayMap((step, stage, before, number) -> ${cellSql('stage', '(stage = before)', 'number', 'step')},
                      risk, stages, arrayPopBack(arrayPushFront(stages, 255)), arrayEnumerate(risk))`

export const pathsSql = (source: Source) => `
      SELECT is_now, bought_ms, errors, orders, ${cellsSql} AS cells
      FROM view(${walksSql(source)}) WHERE is_chosen`

/**
 * Every session once for all and once for each group that met it, with the landmark: the last step at the time of the
 * error, and the stage then, which the page of the error itself may have raised.
 */
const hitsSql = (source: Source) => `
       SELECT person, device_key, cohort_key, is_now, is_back, length, toUInt8(bought_ms > 0) AS has_bought,
              hit.1 AS group_id, toUInt8(hit.1 != '' AND (bought_ms = 0 OR bought_ms > hit.2)) AS is_open,
              arrayCount(step -> started_ms + step <= hit.2, risk) AS taken,
              ${cellsSql} AS cells,
              arrayMap((number, stage) -> ${cellSql(
                'stage',
                '(number > 1 AND arraySlice(stages, greatest(number, 2) - 1, 2) = [stage, stage])',
                'greatest(number, 1)',
                'risk[number]',
              )}, [taken], [${stageAt('hit.2')}])[1] AS cell_then,
              round(b.total, 4) AS net
       FROM view(${walksSql(source)}) AS s ASOF LEFT JOIN view(${runningTotalsSql(source)}) AS b
         ON s.person = b.buyer AND s.started_ms > b.paid_ms
       ARRAY JOIN arrayConcat([('', toInt64(0))],
                              arraySlice(arraySort(one -> (one.2, one.1), arrayZip(errors.1, errors.2)),
                                         1, ${groupsOfSessionMax})) AS hit
       WHERE is_chosen AND (started_ms < {previousToMs:Int64} OR is_now)`

/**
 * For every cell of a session: the cell, 0, its steps there (of a group only where it had not bought yet), all its
 * steps there, and those before the landmark. And for the error itself: the cell, 1.
 */
const entriesSql = `arrayConcat(
         arrayMap(place -> (place, 0, toInt64(if(group_id = '' OR is_open, countEqual(cells, place), 0)),
                            toInt64(countEqual(cells, place)),
                            toInt64(if(is_open, countEqual(arraySlice(cells, 1, greatest(taken, 1) - 1), place), 0))),
                  arrayDistinct(cells)),
         if(group_id = '', [], [(if(is_open, cell_then, 0), 1, toInt64(0), toInt64(0), toInt64(0))]))`

export type Tallied = SessionTally & {
  /** Everyone affected by a group in the current period, whether or not they had bought by then. */
  met: readonly { groupId: string; segment: string; users: number; sessions: number }[]
  /** All sessions of both periods that took a step before they bought. */
  sessions: number
}

/** Sums of all sessions and of those that each group met, in the period and in the one before. */
export async function selectSessionTally(
  events: Events,
  scope: ImpactScope,
  map: GroupMap,
  limits: ValueLimits,
): Promise<Tallied> {
  const source = sourceOf(scope)
  const cohorts = await selectCohorts(events, source)
  const rows = await events.query<Row>(
    `SELECT group_id, is_now, entry.2 AS is_hit, if(is_hit = 1, ${segmentOf('net')}, '') AS value, is_back, is_open,
            toString(device_key) AS device, entry.1 AS cell,
            if(is_hit = 1 AND net <= 0, toString(cohort_key), '') AS cohort,
            if(is_hit = 0 AND is_open, cell_then, 0) AS towards,
            grouping(device) AS is_total, count() AS entries, countIf(entry.3 > 0) AS in_cell,
            sum(entry.3) AS steps, sumIf(entry.3, has_bought) AS steps_bought,
            sum(length(arrayDistinct(cells)) * entry.3 * entry.3) AS steps_squared,
            sum(entry.4 / length) AS shares, sumIf(entry.4 / length, has_bought) AS shares_bought,
            sum(length(arrayDistinct(cells)) * pow(entry.4 / length, 2)) AS shares_squared,
            sum(entry.5) AS steps_before,
            countIf(has_bought) AS converted, uniqExactIf(person, is_hit = 1) AS users
     FROM view(${hitsSql(source)})
     ARRAY JOIN ${entriesSql} AS entry
     GROUP BY GROUPING SETS ((group_id, is_now, is_hit, value),
                             (group_id, is_now, is_hit, value, device, is_back, is_open, cell, cohort,
                              towards))`,
    { ...source.params, ...groupParams(map), ...limitParams(limits) },
  )
  const own = rows.filter((row) => Number(row.is_total) === 0)
  const moments = own.filter((row) => Number(row.is_hit) === 0).map((row) => toMoments(row, cohorts))
  return {
    moments,
    sessions: moments.reduce(
      (total, { groupId, cell, moments: { sessions } }) =>
        total + (groupId === '' && isFirstStep(cell) ? sessions : 0),
      0,
    ),
    hits: own
      .filter((row) => Number(row.is_hit) === 1 && Number(row.is_open) === 1)
      .map((row) => toHit(row, cohorts)),
    met: rows
      .filter((row) => Number(row.is_total) === 1 && Number(row.is_hit) === 1 && Number(row.is_now) === 1)
      .map((row) => ({
        groupId: String(row.group_id),
        segment: String(row.value),
        users: Number(row.users),
        sessions: Number(row.entries),
      })),
  }
}

function placeOf(row: Row, { devices }: Cohorts) {
  const device = devices.get(String(row.device)) ?? ''
  return {
    groupId: String(row.group_id),
    isCurrent: Number(row.is_now) === 1,
    cell: Number(row.cell),
    stratum: `${device} ${Number(row.is_back) === 1 ? 'returning' : 'new'}`,
  }
}

function toMoments(row: Row, cohorts: Cohorts): MomentRow {
  const moments: Moments = {
    sessions: Number(row.in_cell),
    steps: Number(row.steps),
    stepsBought: Number(row.steps_bought),
    stepsSquared: Number(row.steps_squared),
    shares: Number(row.shares),
    sharesBought: Number(row.shares_bought),
    sharesSquared: Number(row.shares_squared),
  }
  const isOnward = Number(row.is_open) === 1
  return {
    ...placeOf(row, cohorts),
    moments,
    onward: isOnward ? { cell: Number(row.towards), steps: Number(row.steps_before) } : null,
  }
}

function toHit(row: Row, cohorts: Cohorts): HitRow {
  const segment = segments.find((one) => one === row.value) ?? 'new_visitor'
  return {
    ...placeOf(row, cohorts),
    segment,
    cohort: cohorts.texts.get(String(row.cohort)) ?? '',
    sessions: Number(row.entries),
    converted: Number(row.converted),
  }
}
