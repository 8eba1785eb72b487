import { type EventFilter, sequencesOf, type TimeRange } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'

export type RetentionRow = { cohort: Count; bucket: Count; people: Count }

export type RetentionPlan = {
  firstEvent: string | undefined
  returnEvent: string | undefined
  /** Starts of the intervals. */
  starts: readonly number[]
}

/** How many people of each cohort were active in which interval. Interval 0 is the cohort itself. */
export function selectRetention(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
  { firstEvent, returnEvent, starts }: RetentionPlan,
): Promise<RetentionRow[]> {
  const { from, where, params } = sequencesOf(filter, range, 'person')
  const isFirst = firstEvent === undefined ? '1' : 'name = {firstEvent:String}'
  const isReturn = returnEvent === undefined ? '1' : 'name = {returnEvent:String}'
  const bucket = 'roundDown(toUnixTimestamp64Milli(ts), {starts:Array(Int64)})'
  return events.query<RetentionRow>(
    `SELECT cohort, bucket, count() AS people
     FROM (
       SELECT minIf(${bucket}, ${isFirst}) AS cohort, countIf(${isFirst}) AS firsts,
              groupUniqArrayIf(${bucket}, ${isReturn}) AS returns
       FROM ${from} WHERE ${where} AND (${isFirst} OR ${isReturn}) GROUP BY person_key
     )
     ARRAY JOIN arrayConcat([toInt64(0)], arrayFilter(one -> one > cohort, returns)) AS bucket
     WHERE firsts > 0 GROUP BY cohort, bucket`,
    {
      ...params,
      starts,
      ...(firstEvent !== undefined && { firstEvent }),
      ...(returnEvent !== undefined && { returnEvent }),
    },
  )
}
