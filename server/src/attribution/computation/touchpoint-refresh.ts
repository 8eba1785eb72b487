import type { AttributionPolicy } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { SiteRow } from '../../sites/sites.ts'
import type { Overlay } from '../../store/event-source.ts'
import type { Context } from '../context.ts'
import { sourceOf } from '../paths/collection.ts'
import { selectDayInputs, selectDaysOf } from '../paths/outcome-store.ts'
import { extractTouches } from '../paths/touch-store.ts'
import {
  markAllOutdated,
  markOutdated,
  saveFollowed,
  saveReach,
  saveTouchRuns,
  selectChangedPeople,
  selectDays,
  selectHeads,
  selectState,
} from './day-store.ts'
import { addDays, type DayRange, daysFrom, neighbours, startMs } from './days.ts'

/** Events whose sessions one statement groups: about 200 MB of the engine's memory. */
const extractEventsMax = 700_000
/** Ids per statement; if more people changed, everything is computed again. */
const changedPeopleMax = 5_000

/**
 * Refreshes the touchpoints of a range and of its look-back window, and marks the computed days that changed:
 * late events, merges, reversals, consent, back-fills. Unchanged days are left alone. Returns whether rows
 * were replaced, which still have to be deleted.
 */
export async function followChanges(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  range: DayRange,
): Promise<{ isReplacing: boolean }> {
  const until = new Date(context.dataUntilMs(workspaceId))
  await followPeople(context, workspaceId)
  const sites = await context.sitesOf(workspaceId)
  const first = addDays(range.from, -policy.lookback_days - 1)
  const inputs = await readInputs(context, workspaceId, sites, first, range.to)
  const known = new Map(
    (await selectDays(context.control, workspaceId, first, range.to)).map((row) => [row.day, row]),
  )
  const changed = [...inputs].filter(([day, now]) => {
    const row = known.get(day)
    return row === undefined || row.touch_run === null || row.inputs !== now
  })
  const reached = changed.flatMap(([day]) => daysFrom(day, addDays(day, policy.lookback_days + 1)))
  await markOutdated(context.control, workspaceId, [...new Set(reached)])
  for (const days of neighbours(
    changed.map(([day]) => day),
    (day) => eventsIn(inputs.get(day)),
    extractEventsMax,
  )) {
    await extract(context, workspaceId, sites, days, inputs)
  }
  await saveReach(context.control, workspaceId, 'touches', { from: first, to: range.to }, until)
  return { isReplacing: changed.some(([day]) => (known.get(day)?.touch_run ?? null) !== null) }
}

async function followPeople({ control, events }: Context, workspaceId: string): Promise<void> {
  const state = await selectState(control, workspaceId)
  const heads = await selectHeads(control, workspaceId)
  if (heads.people_seq === state.people_seq && heads.consent_seq === state.consent_seq) return
  const people = await selectChangedPeople(control, workspaceId, state, changedPeopleMax + 1)
  if (people.length > changedPeopleMax) await markAllOutdated(control, workspaceId)
  else if (people.length > 0) {
    await markOutdated(control, workspaceId, await selectDaysOf(events, workspaceId, people))
  }
  await saveFollowed(control, workspaceId, heads.people_seq, heads.consent_seq)
}

async function readInputs(
  { events, overlays }: Context,
  workspaceId: string,
  sites: readonly SiteRow[],
  first: string,
  last: string,
): Promise<Map<string, string>> {
  const siteIds = sites.map(({ id }) => id)
  const found = await selectDayInputs(events, workspaceId, siteIds, startMs(first), startMs(last) + dayMs)
  const readOverlays = await overlays.of(workspaceId)
  return new Map(
    daysFrom(first, last).map(
      (day) => [day, `${found.get(day) ?? ''}${overlaysOn(readOverlays, day)}`] as const,
    ),
  )
}

/** The number of events of a day when its inputs were recorded. */
export function eventsIn(inputs: string | undefined): number {
  return Number.parseInt(inputs ?? '', 10) || 0
}

/** A back-fill affects the days of its events, and through orders that count once also later ones. */
function overlaysOn(readOverlays: readonly Overlay[], day: string): string {
  const fromMs = startMs(day)
  return readOverlays
    .filter((overlay) => overlay.fromMs < fromMs + dayMs && (overlay.hasOrders || fromMs < overlay.toMs))
    .map(({ generation }) => ` ${generation}`)
    .sort()
    .join('')
}

async function extract(
  context: Context,
  workspaceId: string,
  sites: readonly SiteRow[],
  days: readonly string[],
  inputs: ReadonlyMap<string, string>,
): Promise<void> {
  const run = context.newId('run')
  const range = { fromMs: startMs(days[0] ?? ''), toMs: startMs(days.at(-1) ?? '') + dayMs }
  if (days.some((day) => inputs.get(day) !== '')) {
    for (const site of sites) {
      const source = await sourceOf(context, site, range)
      await extractTouches(context.events, source, { workspaceId, siteId: site.id, ...range, run })
    }
  }
  const rows = days.map((day) => ({ day, inputs: inputs.get(day) ?? '' }))
  await saveTouchRuns(context.control, workspaceId, rows, run)
}
