import { dayMs } from '../../../platform/units.ts'
import type { EventFilter } from '../../../store/event-filter.ts'
import type { Events } from '../../../store/events.ts'
import { changesOf, type Part, type Span, spanOf } from './part-changes.ts'
import { selectDaysOf } from './part-store.ts'

/** The starts of the days that are kept, those without rows among them, and the parts that they were read from. */
export type KeptDays = { days: ReadonlySet<number>; summed: ReadonlySet<number>; parts: readonly Part[] }

export const noDays: KeptDays = { days: new Set(), summed: new Set(), parts: [] }

/** Which of the days are as they were read, and which are not. */
export async function stillKept(
  events: Events,
  site: EventFilter,
  { days, summed, parts }: KeptDays,
  now: readonly Part[],
): Promise<{ days: Set<number>; summed: Set<number>; drop: number[] }> {
  const changed = days.size === 0 ? nothing : await changedDays(events, site, parts, now)
  const isKept = (day: number) => !changed(day)
  return {
    days: new Set([...days].filter(isKept)),
    summed: new Set([...summed].filter(isKept)),
    drop: [...days].filter(changed),
  }
}

const nothing = () => false

/** What is in a new part is looked up in it: most are of other sites, or of one day with an event that came late. */
async function changedDays(
  events: Events,
  site: EventFilter,
  before: readonly Part[],
  now: readonly Part[],
): Promise<(day: number) => boolean> {
  const { added, gone } = changesOf(before, now)
  const daysOf = added.length === 0 ? new Map<string, number[]>() : await selectDaysOf(events, site, added)
  const found = new Set([...daysOf.values()].flat())
  const spans = [...gone, ...added.filter(({ name }) => !daysOf.has(name))].map(spanOf)
  const isWithin = ({ fromMs, toMs }: Span, day: number) => fromMs < day + dayMs && day < toMs
  return (day) => found.has(day) || spans.some((span) => isWithin(span, day))
}
