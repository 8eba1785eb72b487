import { createHash } from 'node:crypto'
import type { AttributionPolicy } from '@assay/contract'
import type { Context } from '../context.ts'
import { settingsOf, unitsByChannel } from '../models/channel-credits.ts'
import { creditUnits, type Fit, fitPaths } from '../models/credits.ts'
import type { PathCount } from '../models/paths.ts'
import { type Assembled, assemble } from '../paths/collection.ts'
import { type ComputedRow, insertComputed, selectConvertingPaths } from '../paths/outcome-store.ts'
import { directChannel } from '../paths/touch.ts'
import { type DayRun, deleteOldRuns, selectFacts, selectNullPaths } from '../paths/touch-store.ts'
import { type DayRow, saveFit, saveOutcomeRuns, saveReach, selectDays, selectState } from './day-store.ts'
import { addDays, type DayRange, daysFrom, neighbours } from './days.ts'
import { eventsIn, followChanges } from './touchpoint-refresh.ts'

/** Progress callback of a computation; if it throws, the computation stops. */
export type Progress = { daysComputed: number; daysUnchanged: number; outcomes: number; share: number }
type Report = (progress: Progress) => Promise<void>

/** Events of days that are computed together: their outcomes, about ten thousand, are in memory. */
const chunkEventsMax = 2_000_000
/** An insert costs as much as thousands of rows. */
const rowsPerInsert = 10_000
/** Training period of the data-driven model: long enough for rare paths, short enough to follow changes. */
const fitDays = 90
/** Rarer paths beyond this number are ignored. */
const nullPathsMax = 100_000

const noFit: Fit = {
  method: 'fallback',
  wanted: 'markov',
  reason: 'too_few_outcomes',
  conversions: 0,
  nulls: 0,
  channels: 0,
}

/**
 * Computes the days of a range in which something changed, and trains the model on all that is computed then.
 */
export async function computeRange(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  range: DayRange,
  report: Report,
): Promise<Progress> {
  const until = new Date(context.dataUntilMs(workspaceId))
  const { isReplacing } = await followChanges(context, workspaceId, policy, range)
  const since = addDays(range.from, -policy.lookback_days - 1)
  const rows = await selectDays(context.control, workspaceId, since, range.to)
  const inRange = rows.filter(({ day }) => day >= range.from)
  const due = inRange.filter((row) => isDue(row, policy))
  const touchRuns = touchRunsOf(rows)
  const progress = { daysComputed: 0, daysUnchanged: inRange.length - due.length, outcomes: 0, share: 0 }
  const eventsOn = eventsByDay(due)
  for (const days of neighbours([...eventsOn.keys()], (day) => eventsOn.get(day) ?? 0, chunkEventsMax)) {
    const isAlive = () => report(progress)
    progress.outcomes += await computeDays(context, workspaceId, policy, days, touchRuns, isAlive)
    progress.daysComputed += days.length
    progress.share = progress.daysComputed / (due.length + 1)
    await report(progress)
  }
  await saveReach(context.control, workspaceId, 'outcomes', range, until)
  await learn(context, workspaceId, policy, range.to)
  // Deleting rewrites parts, so it is done only if there are obsolete rows.
  if (isReplacing || due.some(({ outcome_run }) => outcome_run !== null)) {
    await sweep(context, workspaceId, since, range.to)
  }
  return { ...progress, share: 1 }
}

function isDue(row: DayRow, policy: AttributionPolicy): boolean {
  return row.outcome_run === null || row.is_outdated || row.policy_version !== policy.version
}

function eventsByDay(rows: readonly DayRow[]): Map<string, number> {
  return new Map(rows.map(({ day, inputs }) => [day, eventsIn(inputs)]))
}

function touchRunsOf(rows: readonly DayRow[]): DayRun[] {
  return rows.flatMap(({ day, touch_run: run }) => (run === null ? [] : [{ day, run }]))
}

export function outcomeRunsOf(rows: readonly DayRow[]): DayRun[] {
  return rows.flatMap(({ day, outcome_run: run }) => (run === null ? [] : [{ day, run }]))
}

async function computeDays(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  days: readonly string[],
  touchRuns: readonly DayRun[],
  isAlive: () => Promise<void>,
): Promise<number> {
  const run = context.newId('run')
  const counts = new Map(days.map((day) => [day, 0]))
  for await (const portion of assemble(context, workspaceId, policy, days, touchRuns)) {
    const rows = portion.map((one) => toRow(workspaceId, run, policy, one))
    for (let at = 0; at < rows.length; at += rowsPerInsert) {
      await insertComputed(context.events, rows.slice(at, at + rowsPerInsert))
    }
    for (const { day } of rows) counts.set(day, (counts.get(day) ?? 0) + 1)
    await isAlive()
  }
  const done = [...counts].map(([day, outcomes]) => ({ day, outcomes }))
  await saveOutcomeRuns(context.control, workspaceId, done, run, policy.version)
  return done.reduce((sum, { outcomes }) => sum + outcomes, 0)
}

function toRow(workspaceId: string, run: string, policy: AttributionPolicy, one: Assembled): ComputedRow {
  const { outcome, considered, people } = one
  const channels = considered.map(({ channel }) => channel)
  const path = { channels, touchMs: considered.map(({ ms }) => ms), outcomeMs: Number(outcome.ms) }
  return {
    workspace_id: workspaceId,
    site_id: outcome.site_id,
    day: outcome.day,
    run,
    outcome_id: outcome.event_id,
    ts: new Date(Number(outcome.ms)).toISOString().replace('T', ' ').replace('Z', ''),
    name: outcome.name,
    person_id: outcome.owner_id,
    people,
    amount: outcome.amount,
    currency: outcome.currency,
    touch_ids: considered.map(({ id }) => id),
    channels,
    sources: considered.map(({ source }) => source),
    campaigns: considered.map(({ utmCampaign }) => utmCampaign || '(none)'),
    decay_units: creditUnits('time_decay', path, settingsOf(policy), noFit).map(String),
    policy_version: policy.version,
  }
}

/**
 * Trains on the outcomes of the last days, and on the paths of people without one; only if any of it is new.
 */
async function learn(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  lastDay: string,
): Promise<void> {
  const rows = await selectDays(context.control, workspaceId, addDays(lastDay, 1 - fitDays), lastDay)
  const state = await selectState(context.control, workspaceId)
  const from = nameOf(policy, state.people_seq, rows)
  if (state.fitted_from === from) return
  const [touchRuns, outcomeRuns] = [touchRunsOf(rows), outcomeRunsOf(rows)]
  const converting = await selectConvertingPaths(context.events, workspaceId, outcomeRuns)
  const nulls = await nullPaths(context, workspaceId, policy, touchRuns, outcomeRuns)
  const paths = converting.map(({ path, outcomes }) => ({
    channels: path,
    conversions: Number(outcomes),
    nulls: 0,
  }))
  const fit = fitPaths(policy.data_driven, [...paths, ...nulls])
  await saveFit(context.control, workspaceId, fit, policy.version, from, new Date(context.now()))
}

/**
 * The identity ledger is part of it: a merge of two people without an outcome joins their paths, and changes
 * no day.
 */
function nameOf(policy: AttributionPolicy, peopleSeq: number, rows: readonly DayRow[]): string {
  const runs = rows.map(({ day, touch_run, outcome_run }) => [day, touch_run, outcome_run])
  return createHash('sha256')
    .update(JSON.stringify([policy.version, peopleSeq, runs]))
    .digest('hex')
}

async function nullPaths(
  { events, classify }: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  touchRuns: readonly DayRun[],
  outcomeRuns: readonly DayRun[],
): Promise<PathCount[]> {
  const facts = await selectFacts(events, workspaceId, touchRuns)
  if (facts.length === 0) return []
  const channelOf = facts.map((row) => {
    const { referrer_host, utm_source, utm_medium, utm_campaign, click_id_type } = row
    const arrival = {
      referrerHost: referrer_host,
      utmSource: utm_source,
      utmMedium: utm_medium,
      utmCampaign: utm_campaign,
      clickIdType: click_id_type,
    }
    return classify(arrival, policy.touchpoint_rules).channel
  })
  const names = [...new Set(channelOf)].sort()
  const numbers = new Map(names.map((name, index) => [name, index]))
  const rows = await selectNullPaths(
    events,
    workspaceId,
    touchRuns,
    outcomeRuns,
    {
      facts: facts.map((row) => BigInt(row.facts)),
      numbers: channelOf.map((name) => numbers.get(name) ?? 0),
    },
    nullPathsMax,
  )
  const excludes = new Set(policy.exclude_channels)
  return rows.map(({ path, people }) => {
    const channels = path
      .map((number) => names[number] ?? directChannel)
      .filter((name) => !excludes.has(name))
    const others = channels.filter((name) => name !== directChannel)
    const isLeft = policy.ignore_direct && others.length > 0
    return { channels: isLeft ? others : channels, conversions: 0, nulls: Number(people) }
  })
}

/** Deletes rows that belong to no day any more. */
async function sweep(context: Context, workspaceId: string, first: string, last: string): Promise<void> {
  const rows = await selectDays(context.control, workspaceId, first, last)
  await deleteOldRuns(context.events, 'attribution_touches', workspaceId, first, last, touchRunsOf(rows))
  await deleteOldRuns(context.events, 'attribution_outcomes', workspaceId, first, last, outcomeRunsOf(rows))
}

/**
 * Credit of each channel under a policy over some days, whose touchpoints are up to date; nothing is stored.
 */
export async function tryPolicy(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  range: DayRange,
  fit: Fit,
): Promise<{ outcomes: number; channels: Map<string, number> }> {
  const since = addDays(range.from, -policy.lookback_days - 1)
  const rows = await selectDays(context.control, workspaceId, since, range.to)
  const touchRuns = touchRunsOf(rows)
  const eventsOn = eventsByDay(rows)
  const channels = new Map<string, number>()
  let outcomes = 0
  for (const days of neighbours(
    daysFrom(range.from, range.to),
    (day) => eventsOn.get(day) ?? 0,
    chunkEventsMax,
  )) {
    for await (const portion of assemble(context, workspaceId, policy, days, touchRuns)) {
      outcomes += portion.length
      for (const one of portion) addCredits(channels, policy, one, fit)
    }
  }
  return { outcomes, channels }
}

function addCredits(
  channels: Map<string, number>,
  policy: AttributionPolicy,
  one: Assembled,
  fit: Fit,
): void {
  for (const [channel, units] of unitsByChannel(
    policy.model,
    policy,
    Number(one.outcome.ms),
    one.considered,
    fit,
  )) {
    channels.set(channel, (channels.get(channel) ?? 0) + units)
  }
}
