import { randomInt } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { dayMs, hourMs, minuteMs } from '../../platform/units.ts'
import type { SiteRow } from '../../sites/sites.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { locks } from '../../store/locks.ts'
import {
  countUnused,
  type DayRun,
  deleteSite,
  deleteUnused,
  deleteUnusedNumbers,
  hasSoundNumbers,
  insertDay,
  insertNumbers,
  insertValues,
  insertVisits,
  registerSites,
  selectFirstEventMs,
  selectSites,
  selectStoreState,
} from './build-store.ts'
import { changesOf, type Day, daysIn, validDays } from './days.ts'
import { type Site, selectBuilt } from './read-store.ts'

export type BuildWorld = {
  control: Control
  events: Events
  now: Clock
  /** Null where it is gone. */
  findSite: (workspaceId: string, siteId: string) => Promise<Pick<SiteRow, 'timezone'> | null>
}

export type BuildLimits = {
  /** Events within a month from which on a site is summed up. */
  eventsMin: number
  /** How long ago a day must have ended, and its events must have been changed. */
  endedMs: number
  quietMs: number
  daysPerRun: number
}

export const buildLimits: BuildLimits = {
  // An overview of fewer takes some 50 ms as it is.
  eventsMin: 20_000,
  // Loads give notice of events that are older than an hour (server/src/ingest/loader), so a day is never read while
  // one of its events is on its way unnoticed.
  endedMs: 2 * hourMs,
  // A statement that changes events has ended by then, or is seen among the unfinished ones.
  quietMs: 15 * minuteMs,
  // Some seconds of work where a day has 100,000 events.
  daysPerRun: 31,
}

/** As far as `randomInt` goes: two runs of a site never have the same number. */
const runMax = 2 ** 48 - 1
/** Two of the longest periods, which a read compares, and the day that has begun. */
const daysMax = 802

export type BuildProgress = { sites: number; daysBuilt: number; daysMissing: number }

/** Sums up finished days of large sites, the latest first. One node at a time; each step may be cut short. */
export async function buildSummaries(
  world: BuildWorld,
  limits: BuildLimits,
  onFailure: ItemFailure,
): Promise<BuildProgress> {
  const { control, events } = world
  const progress = { sites: 0, daysBuilt: 0, daysMissing: 0 }
  await control.exclusively(locks.buildingOfSummaries, async () => {
    await registerSites(events, limits.eventsMin)
    const buildSite = async (site: Site) => {
      const left = { ...limits, daysPerRun: limits.daysPerRun - progress.daysBuilt }
      const { daysBuilt, daysMissing } = await buildDays(world, site, left)
      progress.sites += 1
      progress.daysBuilt += daysBuilt
      progress.daysMissing += daysMissing
    }
    await forEachItem(await selectSites(events, limits.quietMs), buildSite, onFailure)
  })
  return progress
}

async function buildDays(
  world: BuildWorld,
  site: Site,
  limits: BuildLimits,
): Promise<Omit<BuildProgress, 'sites'>> {
  const { events, findSite, now } = world
  const found = await findSite(site.workspaceId, site.siteId)
  const { nowMs, isChanging } = await selectStoreState(events)
  // A day is over when it is over by both clocks.
  const endMs = Math.min(nowMs, now()) - limits.endedMs
  const days = found === null ? [] : await finishedDays(events, site, found.timezone, endMs)
  if (days.length === 0) return { daysBuilt: 0, daysMissing: 0 }
  const span = { fromMs: days[0]?.fromMs ?? 0, toMs: endMs }
  const { built, changes } = await selectBuilt(events, site, span)
  const valid = validDays(days, built, changes)
  const validStarts = new Set(valid.map(({ fromMs }) => fromMs))
  const missing = days.filter(({ fromMs }) => !validStarts.has(fromMs)).reverse()
  const isQuiet = (day: Day) => changesOf(day, changes).atMs <= nowMs - limits.quietMs
  const due = isChanging ? [] : missing.filter(isQuiet).slice(0, Math.max(0, limits.daysPerRun))
  if (due.length === 0) return { daysBuilt: 0, daysMissing: missing.length }
  await requireSoundNumbers(events, site)
  const runs = valid.map(({ run }) => run)
  for (const day of due) {
    const run = randomInt(1, runMax)
    await buildDay(events, { ...site, ...day, run }, changesOf(day, changes).changes)
    runs.push(run)
  }
  await tidyUp(events, site, runs)
  return { daysBuilt: due.length, daysMissing: missing.length - due.length }
}

async function finishedDays(events: Events, site: Site, timezone: string, endMs: number): Promise<Day[]> {
  const firstMs = await selectFirstEventMs(events, site)
  if (firstMs === null) return []
  const fromMs = Math.max(firstMs - dayMs, endMs - daysMax * dayMs)
  if (fromMs >= endMs) return []
  return daysIn({ fromMs, toMs: endMs, timezone }).filter(({ toMs }) => toMs > firstMs)
}

/** The day itself comes last: before it nothing is read of what the others wrote. */
async function buildDay(events: Events, day: DayRun, changes: number): Promise<void> {
  await insertNumbers(events, day)
  await insertValues(events, day)
  await insertVisits(events, day)
  await insertDay(events, day, changes)
}

/** Two nodes that built at once, whatever the lock said, would have numbered people twice: then all is made again. */
async function requireSoundNumbers(events: Events, site: Site): Promise<void> {
  if (await hasSoundNumbers(events, site)) return
  await deleteSite(events, site)
  throw new Error(`numbers of ${site.siteId} were given twice; its days are summed up again`)
}

/** Of rows that are not read any more; removing them writes whole tables again. */
const unusedShareMax = 0.2

async function tidyUp(events: Events, site: Site, runs: readonly number[]): Promise<void> {
  const { unused, all } = await countUnused(events, site, runs)
  if (unused > all * unusedShareMax) await deleteUnused(events, site, runs)
  await deleteUnusedNumbers(events, site)
}
