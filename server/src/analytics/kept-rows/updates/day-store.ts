import { dayMs } from '../../../platform/units.ts'
import { type EventFilter, eventsOf, withoutPeople } from '../../../store/event-filter.ts'
import type { Count, Events } from '../../../store/events.ts'

/** Events of bots too, by the start of their day in UTC. */
export type DaySizes = ReadonlyMap<number, number>

/** How many events each of these days has, at least. */
export async function selectDaySizes(
  events: Events,
  { filters: _, ...filter }: EventFilter,
  days: readonly number[],
): Promise<DaySizes> {
  const range = { fromMs: Math.min(...days), toMs: Math.max(...days) + dayMs }
  const { from, where, params } = eventsOf(withoutPeople({ ...filter, includeBots: true }), range)
  const rows = await events.query<{ day: Count; events: Count }>(
    `SELECT toInt64(floor(toUnixTimestamp64Milli(ts) / ${dayMs})) AS day, count() AS events
     FROM ${from} WHERE ${where} GROUP BY day`,
    params,
  )
  return new Map(rows.map((row) => [Number(row.day) * dayMs, Number(row.events)]))
}

export const eventsIn = (sizes: DaySizes, days: Iterable<number>): number =>
  [...days].reduce((sum, day) => sum + (sizes.get(day) ?? 0), 0)
