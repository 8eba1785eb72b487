import { segments } from '@assay/contract'
import type { Events } from '../store/events.ts'
import type { Moments } from './baseline.ts'
import { cellSql, isFirstStep } from './landmark.ts'
import { type GroupMap, groupExpression, groupParams } from './occurrence-store.ts'
import { cohortsSql, type ImpactScope, type Source, sessionsSql, sourceOf } from './session-store.ts'
import type { HitRow, MomentRow, SessionTally } from './session-tally.ts'
import { buyersSql, limitParams, segmentOf, type ValueLimits } from './value-store.ts'

type Count = string | number
type Row = Record<string, Count>

const stageAt = (ms: string) => `multiIf(checkout_ms > 0 AND checkout_ms <= ${ms}, 3,
              cart_ms > 0 AND cart_ms <= ${ms}, 2, product_ms > 0 AND product_ms <= ${ms}, 1, 0)`

/**
 * Every session with the cell of each step before its first purchase, and when each group of errors first met it. One
 * level below the other: an expression that names others of its own level is copied into each of them by the store.
 */
export const pathsSql = (source: Source) => `
      SELECT *, arrayMap((step, stage, later, number) -> ${cellSql('stage', 'later', 'number', 'step')},
                         risk, stages, laters, arrayEnumerate(risk)) AS cells
      FROM (
        SELECT *, arrayMap((stage, before) -> toUInt8(stage = before), stages,
                           arraySlice(arrayPushFront(stages, 255), 1, length(stages))) AS laters
        FROM (
          SELECT *, arrayMap(step -> ${stageAt('started_ms + step')}, risk) AS stages
          FROM (
            SELECT person, started_ms, product_ms, cart_ms, checkout_ms, bought_ms, length, is_now, is_back,
                   occurrences, orders, c.first_device AS first_device, c.cohort AS cohort,
                   round(arraySum(one -> if(one.1 < started_ms, one.3, 0.), b.history), 4) AS net,
                   arrayFilter(step -> bought_ms = 0 OR started_ms + step < bought_ms, steps) AS risk
            FROM (
              SELECT * EXCEPT (person_key), person_key AS person,
                     toUInt8(started_ms >= {currentMs:Int64}) AS is_now,
                     toUInt8(min(started_ms) OVER (PARTITION BY person_key) < started_ms) AS is_back
              FROM ${source.asCurrent(sessionsSql(source))}
            ) AS s LEFT ANY JOIN (${cohortsSql(source)}) AS c ON s.cohort_hash = c.cohort_hash
              LEFT ANY JOIN (${buyersSql(source)}) AS b ON s.person = b.buyer
          )
        )
      )`

/**
 * Every session once for all and once for each group that met it, with the landmark: the last step at the time of the
 * error, and the stage then, which the page of the error itself may have raised.
 */
const hitsSql = (source: Source) => `
      SELECT *, ${stageAt('hit_ms')} AS stage_then, arrayCount(step -> started_ms + step <= hit_ms, risk) AS taken,
             toUInt8(group_id != '' AND (bought_ms = 0 OR bought_ms > hit_ms)) AS is_open
      FROM (
        SELECT *, hit.1 AS group_id, hit.2 AS hit_ms
        FROM (
          SELECT * EXCEPT (errors), arrayJoin(arrayConcat([('', toInt64(0))], arrayZip(errors.1, errors.2))) AS hit
          FROM (
            SELECT *, arrayDistinct(cells) AS places,
                   arrayReduce('minMap', arrayMap(error_key -> [${groupExpression}], occurrences.1),
                               arrayMap(ms -> [ms], occurrences.2)) AS errors
            FROM (${pathsSql(source)})
          )
        )
      )`

/**
 * A row a cell of a session, with its steps there, all and those before the landmark, at which it was like any other
 * session without the error; and a row more for the error itself.
 */
const entriesSql = (source: Source) => `
      SELECT * EXCEPT (cells, places, before, cell_then, entry), entry.1 AS cell, entry.2 AS is_hit,
             entry.3 AS whole, entry.4 AS early
      FROM (
        SELECT *, length(places) AS places_count, arrayJoin(arrayConcat(
                 arrayMap(place -> (place, 0, toInt64(countEqual(cells, place)), toInt64(countEqual(before, place))),
                          if(group_id = '' OR is_open, places, [])),
                 if(group_id = '', [], [(if(is_open, cell_then, 0), 1, toInt64(0), toInt64(0))]))) AS entry
        FROM (
          SELECT group_id, is_now, first_device, is_back, is_open, person, net, cohort, length,
                 toUInt8(bought_ms > 0) AS has_bought, cells, places,
                 arraySlice(cells, 1, if(taken = 0, 0, taken - 1)) AS before,
                 ${cellSql(
                   'stage_then',
                   'toUInt8(taken > 0 AND stages[taken] = stage_then AND laters[taken] = 1)',
                   'greatest(taken, 1)',
                   'risk[taken]',
                 )} AS cell_then
          FROM (${hitsSql(source)})
        )
      )`

/** What each row adds: all of a session to all, and to a group what its sessions add less. */
const sumsSql = (source: Source) => `
      SELECT group_id, is_now, first_device, is_back, is_open, person, length, has_bought, cell, is_hit,
             if(group_id = '', whole, early - whole) AS steps,
             places_count * if(group_id = '', whole * whole, early * early - whole * whole) AS squares,
             if(group_id = '', 1, (early > 0) - 1) AS sessions, if(group_id = '', 0, early) AS later,
             if(is_hit = 1, ${segmentOf('net')}, '') AS value,
             if(is_hit = 1 AND net <= 0, cohort, '') AS cohort_key
      FROM (${entriesSql(source)})`

export type Tallied = SessionTally & {
  /** Everybody whom a group met in the current period, whether or not they had bought by then. */
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
  const rows = await events.query<Row>(
    `SELECT group_id, is_now, is_hit, value, first_device, is_back, is_open, cell, cohort_key,
            grouping(first_device) AS is_total, count() AS entries, sum(sessions) AS in_cell,
            sum(steps) AS all_steps, sumIf(steps, has_bought) AS steps_bought, sum(squares) AS steps_squared,
            sum(steps / length) AS shares, sumIf(steps / length, has_bought) AS shares_bought,
            sum(squares / length / length) AS shares_squared, sum(later) AS steps_later,
            sumIf(later, has_bought) AS steps_bought_later, sum(later / length) AS shares_later,
            sumIf(later / length, has_bought) AS shares_bought_later,
            countIf(has_bought) AS converted, uniqExactIf(person, is_hit = 1) AS users
     FROM (${sumsSql(source)})
     GROUP BY GROUPING SETS ((group_id, is_now, is_hit, value),
                             (group_id, is_now, is_hit, value, first_device, is_back, is_open, cell, cohort_key))`,
    { ...source.params, ...groupParams(map), ...limitParams(limits) },
  )
  const own = rows.filter((row) => Number(row.is_total) === 0)
  const moments = own.filter((row) => Number(row.is_hit) === 0).map(toMoments)
  return {
    moments,
    sessions: moments.reduce(
      (total, { groupId, cell, moments: { sessions } }) =>
        total + (groupId === '' && isFirstStep(cell) ? sessions : 0),
      0,
    ),
    hits: own.filter((row) => Number(row.is_hit) === 1 && Number(row.is_open) === 1).map(toHit),
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

const placeOf = (row: Row) => ({
  groupId: String(row.group_id),
  isCurrent: Number(row.is_now) === 1,
  cell: Number(row.cell),
  stratum: `${row.first_device} ${Number(row.is_back) === 1 ? 'returning' : 'new'}`,
})

function toMoments(row: Row): MomentRow {
  const moments: Moments = {
    sessions: Number(row.in_cell),
    steps: Number(row.all_steps),
    stepsBought: Number(row.steps_bought),
    stepsSquared: Number(row.steps_squared),
    shares: Number(row.shares),
    sharesBought: Number(row.shares_bought),
    sharesSquared: Number(row.shares_squared),
    stepsLater: Number(row.steps_later),
    stepsBoughtLater: Number(row.steps_bought_later),
    sharesLater: Number(row.shares_later),
    sharesBoughtLater: Number(row.shares_bought_later),
  }
  return { ...placeOf(row), moments }
}

function toHit(row: Row): HitRow {
  const segment = segments.find((one) => one === row.value) ?? 'new_visitor'
  return {
    ...placeOf(row),
    segment,
    cohort: String(row.cohort_key),
    sessions: Number(row.entries),
    converted: Number(row.converted),
  }
}
