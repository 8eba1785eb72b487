import { utcDay } from '../../store/summaries/changes.ts'
import { intervalStarts, type Period } from '../period.ts'

/** A day by the clocks of a zone: [fromMs, toMs). */
export type Day = { fromMs: number; toMs: number }
/** A day that is summed up, and how often its events had been changed before. */
export type BuiltDay = Day & { run: number; changes: number }
/** How often events of a day of UTC were changed, and when last. */
export type Changes = ReadonlyMap<number, { changes: number; atMs: number }>

/** The days that lie in a period as a whole. */
export function daysIn(period: Pick<Period, 'fromMs' | 'toMs' | 'timezone'>): Day[] {
  // The start of the next day is the end of the last one.
  const starts = intervalStarts({ ...period, toMs: period.toMs + 1 }, 'day')
  return starts
    .map((fromMs, index) => ({ fromMs, toMs: starts[index + 1] ?? Number.POSITIVE_INFINITY }))
    .filter(({ fromMs, toMs }) => fromMs >= period.fromMs && toMs <= period.toMs)
}

/** A day of a zone lies in up to three days of UTC. */
export function changesOf({ fromMs, toMs }: Day, changes: Changes): { changes: number; atMs: number } {
  const sum = { changes: 0, atMs: 0 }
  for (let day = utcDay(fromMs); day <= utcDay(toMs - 1); day++) {
    const own = changes.get(day)
    sum.changes += own?.changes ?? 0
    sum.atMs = Math.max(sum.atMs, own?.atMs ?? 0)
  }
  return sum
}

/** Of each of these days a run that counts: one whose events were not changed since. */
export function validDays(
  days: readonly Day[],
  built: readonly BuiltDay[],
  changes: Changes,
): (Day & { run: number })[] {
  const byStart = Map.groupBy(built, ({ fromMs }) => fromMs)
  return days.flatMap((day) => {
    const now = changesOf(day, changes).changes
    const runs = (byStart.get(day.fromMs) ?? [])
      .filter((one) => one.toMs === day.toMs && one.changes === now)
      .map(({ run }) => run)
    return runs.length === 0 ? [] : [{ ...day, run: Math.max(...runs) }]
  })
}

/** What of a period is left when some of its days are taken out. */
export function rangesBetween({ fromMs, toMs }: Day, days: readonly Day[]): Day[] {
  const ranges: Day[] = []
  let atMs = fromMs
  for (const day of days.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (day.fromMs > atMs) ranges.push({ fromMs: atMs, toMs: day.fromMs })
    atMs = day.toMs
  }
  if (atMs < toMs) ranges.push({ fromMs: atMs, toMs })
  return ranges
}
