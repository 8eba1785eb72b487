import { type EventFilter, sequencesOf, subjectKey, type TimeRange } from '../../store/event-filter.ts'
import type { Count, Events } from '../../store/events.ts'
import { detail, unseenEvents } from '../sequences/sequence-store.ts'
import { type FunnelPlan, levelOf, onlySteps, paramsOf, stepConditions } from './funnel-store.ts'

/** Kinds of events as they were sent; those of rarer ones count together. */
const nextKindsMax = 10_000

/** An empty name stands for those who did nothing more. */
type NextRow = { event_name: string; about: string; subjects: Count; dropped: Count }

/**
 * What came first after the last event that fits the step, of those who took it and not the next one. Only their keys
 * are in memory: the events of a site are many more.
 */
export function selectNext(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  plan: FunnelPlan,
  step: number,
): Promise<NextRow[]> {
  const { from, where, params } = sequencesOf(filter, range, plan.by)
  const steps = stepConditions(plan.steps)
  const key = subjectKey(plan.by)
  const isStep = steps[step - 1]?.sql ?? '0'
  return events.query<NextRow>(
    `SELECT next.1 AS event_name, next.2 AS about, count() AS subjects, sum(count()) OVER () AS dropped
     FROM (
       SELECT argMinIf((e.seen_name, e.seen_about), (e.seen_at, e.came, e.seen_id),
                       (e.seen_at, e.came) > d.last) AS next
       FROM (
         SELECT ${key} AS subject, ts AS seen_at, arrival AS came, event_id AS seen_id,
                toString(name) AS seen_name, ${detail} AS seen_about
         FROM ${from} WHERE ${where} AND name NOT IN ${unseenEvents}
       ) AS e
       RIGHT JOIN (
         SELECT ${key} AS subject, maxIf((ts, arrival), ${isStep}) AS last
         FROM ${from} WHERE ${where}${onlySteps(plan.order, steps)}
         GROUP BY subject HAVING ${levelOf(plan, steps)} = {level:UInt8}
       ) AS d ON e.subject = d.subject
       GROUP BY d.subject
     ) GROUP BY event_name, about ORDER BY event_name = '' DESC, subjects DESC, event_name, about
     LIMIT ${nextKindsMax}`,
    { ...params, ...paramsOf(steps), level: step },
  )
}
