import type { Retention } from '@assay/contract'
import type { Table } from '../http/csv.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import type { ReadKept } from './kept-rows/kept-rows.ts'
import { intervalStarts, isComplete, isoTime, type Period, toPeriod } from './period.ts'
import { retentionRead } from './retention-rows.ts'
import { selectRetention } from './retention-store.ts'
import { shareOf } from './statistics.ts'

type RetentionOptions = {
  firstEvent: string | undefined
  returnEvent: string | undefined
  interval: Retention['interval']
}

/** Days for a month, and so on; otherwise the table has too many cells. */
export function chooseRetentionInterval(
  { fromMs, toMs }: Period,
  wanted: RetentionOptions['interval'] | undefined,
) {
  const days = (toMs - fromMs) / 86_400_000
  return wanted ?? (days <= 32 ? 'day' : days <= 190 ? 'week' : 'month')
}

export async function readRetention(
  { events, readKept }: { events: Events; readKept: ReadKept },
  filter: EventFilter,
  period: Period,
  { firstEvent, returnEvent, interval }: RetentionOptions,
): Promise<Retention> {
  const starts = intervalStarts(period, interval)
  const plan = { firstEvent, returnEvent, starts }
  const span = { fromMs: period.fromMs, toMs: period.toMs }
  const kept = await readKept(retentionRead, filter, [span], plan)
  const rows = kept ?? (await selectRetention(events, filter, period, plan))
  const people = new Map(rows.map((row) => [`${row.cohort} ${row.bucket}`, Number(row.people)]))
  const cohorts = starts.map((start, index) => {
    const size = people.get(`${start} 0`) ?? 0
    const returned = starts.slice(index + 1).map((later, distance) => {
      const count = people.get(`${start} ${later}`) ?? 0
      const isOver = isComplete(later, period, interval)
      return { after: distance + 1, people: count, share: shareOf(count, size), isComplete: isOver }
    })
    return {
      start: isoTime(start),
      people: size,
      isComplete: isComplete(start, period, interval),
      returned,
    }
  })
  return {
    siteId: filter.siteId,
    period: toPeriod(period),
    interval,
    firstEvent: firstEvent ?? null,
    returnEvent: returnEvent ?? null,
    cohorts,
    overall: overallOf(cohorts),
  }
}

function overallOf(cohorts: Retention['cohorts']): Retention['overall'] {
  const longest = cohorts[0]?.returned.length ?? 0
  return Array.from({ length: longest }, (_, index) => {
    const complete = cohorts.filter(({ returned }) => returned[index]?.isComplete === true)
    const people = complete.reduce((sum, { returned }) => sum + (returned[index]?.people ?? 0), 0)
    const of = complete.reduce((sum, cohort) => sum + cohort.people, 0)
    return { after: index + 1, people, of, share: shareOf(people, of) }
  })
}

export function retentionTable({ cohorts }: Retention): Table {
  return {
    columns: ['cohort', 'people', 'after', 'returned', 'share', 'is_complete'],
    rows: cohorts.flatMap(({ start, people, returned }) =>
      returned.map((one) => [start, people, one.after, one.people, one.share, one.isComplete]),
    ),
  }
}
