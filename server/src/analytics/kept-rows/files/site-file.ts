import { renameSync, rmSync } from 'node:fs'
import { stampOf } from '../../../platform/files/stamp.ts'
import { KeyNumbers, type KeyTable } from '../../sequences/key-numbers.ts'
import type { Chunk } from '../../tally/chunk.ts'
import { type RowNumbers, type TextName, TextNumbers } from '../../tally/row-numbers.ts'
import { KeptDay, type RowKind, type WholeRollups } from '../kept-day.ts'
import { KeptSite } from '../kept-site.ts'
import { type DaySums, SummedDay } from '../summed-day.ts'
import type { Part as StorePart } from '../updates/part-changes.ts'
import { ColumnWriter, readColumns } from './column-file.ts'

/** Which days of a site are kept, those without rows among them, and the parts that they were read from. */
export type SiteState = { days: readonly number[]; summed: readonly number[]; parts: readonly StorePart[] }

/** What is before the days. */
type Opening = { stamp: string; key: string; state: SiteState; numbers: SavedNumbers; days: number }
type SavedNumbers = { sessions: KeyTable; people: KeyTable; texts: Record<TextName, readonly string[]> }
type SavedDay = { start: number } & (
  | { rows: Record<RowKind, Chunk>; counted: WholeRollups }
  | { sums: DaySums }
)

/** What rows and sums mean depends on the code that asked for them and counted: another build reads none of them. */
const ownSources = ['server/src/analytics', 'server/src/store']
/** Of a file that is being written. */
export const draftSuffix = '.new'

// bounded: the same sources are said each time.
const stamps = new Map<string, string>()

function stampWith(sources: readonly string[]): string {
  const all = [...ownSources, ...sources]
  const known = stamps.get(all.join(' ')) ?? stampOf(all)
  stamps.set(all.join(' '), known)
  return known
}

/** Writes all that is kept of a site. There is either the whole file or none. */
export function writeSite(
  path: string,
  site: KeptSite,
  { key, sources, state }: { key: string; sources: readonly string[]; state: SiteState },
): void {
  const draft = path + draftSuffix
  rmSync(draft, { force: true })
  const writer = new ColumnWriter(draft)
  let isWhole = false
  try {
    const opening: Opening = {
      stamp: stampWith(sources),
      key,
      state,
      numbers: savedNumbers(site.numbers),
      days: site.days.size,
    }
    writer.write(opening)
    for (const [start, day] of site.days) writer.write(savedDay(start, day))
    isWhole = true
  } finally {
    writer.close()
    if (!isWhole) rmSync(draft, { force: true })
  }
  renameSync(draft, path)
}

/** Null where there is no such file, or one that this code cannot read. */
export function readSite(
  path: string,
  key: string,
  sources: readonly string[],
): { site: KeptSite; state: SiteState } | null {
  const values = readColumns(path)
  try {
    // boundary: it is what this code wrote, which the stamp says.
    const opening = values.next().value as Opening
    if (opening.stamp !== stampWith(sources) || opening.key !== key) return null
    const site = new KeptSite(restoredNumbers(opening.numbers))
    for (const value of values) {
      // boundary: as above.
      const day = value as SavedDay
      site.put(day.start, restoredDay(day, site.numbers))
    }
    return site.days.size === opening.days ? { site, state: opening.state } : null
  } catch {
    // The store has everything that the file has.
    return null
  } finally {
    values.return(undefined)
  }
}

const savedNumbers = ({ sessions, people, texts }: RowNumbers): SavedNumbers => ({
  sessions: sessions.table,
  people: people.table,
  texts: eachName(texts, (numbers) => numbers.texts),
})

const restoredNumbers = ({ sessions, people, texts }: SavedNumbers): RowNumbers => ({
  sessions: KeyNumbers.from(sessions),
  people: KeyNumbers.from(people),
  texts: eachName(texts, (list) => new TextNumbers(list)),
})

function eachName<From, To>(of: Readonly<Record<TextName, From>>, make: (one: From) => To) {
  const made = Object.entries<From>(of).map(([name, one]) => [name, make(one)] as const)
  // boundary: one for each name.
  return Object.fromEntries(made) as Record<TextName, To>
}

function savedDay(start: number, day: KeptDay | SummedDay): SavedDay {
  if (day instanceof SummedDay) return { start, sums: day.sums }
  return { start, rows: { people: day.people, bots: day.bots }, counted: day.counted }
}

function restoredDay(day: SavedDay, numbers: RowNumbers): KeptDay | SummedDay {
  return 'sums' in day ? new SummedDay(day.sums) : new KeptDay(day.start, day.rows, numbers, day.counted)
}
