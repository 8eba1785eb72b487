import { dayMs } from '../../platform/units.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { ownBytes } from '../sequences/sequences.ts'
import type { RowBounds } from '../tally/row-bounds.ts'
import { selectRows } from '../tally/row-store.ts'
import type { KeptInput } from './kept-read.ts'
import { changedSpans, type Part, type Span } from './part-changes.ts'

/** The starts of the days that are kept, and the parts of the table that they were read from. */
export type KeptDays = { days: ReadonlySet<number>; parts: readonly Part[] }

export const noDays: KeptDays = { days: new Set(), parts: [] }

/** Which of the days are as they were read, and which are not. */
export function stillKept(
  { days, parts }: KeptDays,
  now: readonly Part[],
): { kept: Set<number>; drop: number[] } {
  const changed = days.size === 0 ? [] : changedSpans(parts, now)
  const hasChanged = (day: number) => changed.some(({ fromMs, toMs }) => fromMs < day + dayMs && day < toMs)
  return {
    kept: new Set([...days].filter((day) => !hasChanged(day))),
    drop: [...days].filter(hasChanged),
  }
}

/** Reads the days that are not kept; those that follow each other with one statement. */
export async function readDays(
  events: Events,
  filter: EventFilter,
  days: readonly number[],
  kept: ReadonlySet<number>,
  bounds: RowBounds,
): Promise<KeptInput['fresh']> {
  const { filters: _, ...unfiltered } = filter
  const whole = { ...unfiltered, includeBots: true }
  const fresh: { span: Span; rows: Uint8Array<ArrayBuffer> }[] = []
  let left = bounds.bytesMax
  for (const span of runsOf(days.filter((day) => !kept.has(day)))) {
    const own = { ...bounds, bytesMax: Math.max(1, left) }
    const rows = await selectRows(events, whole, span, own)
    left -= rows.byteLength
    fresh.push({ span, rows: ownBytes(rows) })
  }
  return fresh
}

function runsOf(days: readonly number[]): Span[] {
  const spans: Span[] = []
  for (const day of [...new Set(days)].sort((one, other) => one - other)) {
    const last = spans.at(-1)
    if (last?.toMs === day) last.toMs = day + dayMs
    else spans.push({ fromMs: day, toMs: day + dayMs })
  }
  return spans
}
