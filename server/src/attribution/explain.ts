import {
  type AttributionPolicy,
  attributionLimits,
  attributionModels,
  type Explanation,
  type getTouchpoints,
  type Made,
  Problem,
} from '@assay/contract'
import type { FreshRead } from '../http/fresh-read.ts'
import { findPerson, readPerson, requirePerson } from '../identity/profiles/person.ts'
import { iso } from '../platform/clock.ts'
import { selectDays, selectState } from './computation/day-store.ts'
import { dayOf, reachOf } from './computation/days.ts'
import type { Context } from './context.ts'
import { unitsByChannel, unitsOfTouches } from './models/channel-credits.ts'
import { creditOf } from './models/credit.ts'
import type { Fit } from './models/credits.ts'
import { fitOf, toFitShape } from './models/fit-shape.ts'
import { assembleOne, consentOf, readOutcomes } from './paths/collection.ts'
import { type OutcomeRow, selectComputed } from './paths/outcome-store.ts'
import { toOutcome } from './paths/outcomes.ts'
import { type Consideration, consider, type Exclusion, toTouchpoint, windowStartMs } from './paths/touch.ts'
import { selectTouchesOf, toTouch } from './paths/touch-store.ts'
import { readPolicy } from './policy.ts'

/** The complete trace of one outcome under the live policy, compared with the report's data. */
export async function explain(
  context: Context,
  workspaceId: string,
  outcomeId: string,
  read: Reach,
): Promise<Explanation> {
  const policy = await readPolicy(context.control, workspaceId)
  const outcome = await requireOutcome(context, workspaceId, outcomeId, policy)
  const { found } = await touchesOf(context, workspaceId, outcome, policy)
  const state = await selectState(context.control, workspaceId)
  const outcomeMs = Number(outcome.ms)
  await noteReach(context, workspaceId, policy, outcomeMs, read)
  const touchIds = found.considered.map(({ id }) => id)
  return {
    outcome: toOutcome(outcome),
    policy_version: policy.version,
    model: policy.model,
    window: { from: iso(windowStartMs(outcomeMs, policy.lookback_days)), to: iso(outcomeMs) },
    ...creditsOf(policy, outcomeMs, found, fitOf(state)),
    excluded: found.excluded.map(toExcluded),
    data_driven: toFitShape(state),
    identity: await identityOf(context, workspaceId, outcome),
    computed: await computedOf(context, workspaceId, outcome, touchIds),
  }
}

function creditsOf(policy: AttributionPolicy, outcomeMs: number, { considered }: Consideration, fit: Fit) {
  const [first = [], last = [], linear = [], decay = [], position = [], driven = []] = attributionModels.map(
    (model) => unitsOfTouches(model, policy, outcomeMs, considered, fit).map(creditOf),
  )
  const rows = considered.map((touch, index) => {
    const alternatives = {
      first: first[index] ?? 0,
      last: last[index] ?? 0,
      linear: linear[index] ?? 0,
      time_decay: decay[index] ?? 0,
      position: position[index] ?? 0,
      data_driven: driven[index] ?? 0,
    }
    return { touchpoint: toTouchpoint(touch), credit: alternatives[policy.model], alternatives }
  })
  const byChannel = attributionModels.map((model) => {
    const sums = unitsByChannel(model, policy, outcomeMs, considered, fit)
    return [
      model,
      Object.fromEntries([...sums].map(([channel, units]) => [channel, creditOf(units)])),
    ] as const
  })
  return {
    considered: rows,
    unattributed: considered.length === 0 ? 1 : 0,
    alternatives: Object.fromEntries(byChannel),
  }
}

async function requireOutcome(
  context: Context,
  workspaceId: string,
  outcomeId: string,
  policy: AttributionPolicy,
): Promise<OutcomeRow> {
  const place = await context.locate(workspaceId, outcomeId)
  const sites = place === null ? [] : await context.sitesOf(workspaceId)
  const site = sites.find(({ id }) => id === place?.siteId)
  if (place !== null && site !== undefined) {
    const range = { fromMs: place.tsMs, toMs: place.tsMs + 1 }
    const [row] = await readOutcomes(context, [site], policy, range, { eventId: outcomeId })
    if (row !== undefined) return row
  }
  throw new Problem('not-found', { detail: 'There is no such outcome under the live policy.' })
}

async function touchesOf(
  context: Context,
  workspaceId: string,
  outcome: OutcomeRow,
  policy: AttributionPolicy,
) {
  const whole = await findPerson(context.people, workspaceId, outcome.owner_id)
  const originalIds = whole?.originalIds ?? [outcome.original_id]
  const sites = await context.sitesOf(workspaceId)
  const consented = await consentOf(context, workspaceId, policy, sites, [outcome.owner_id])
  const rows = await selectTouchesOf(
    context.events,
    workspaceId,
    originalIds,
    attributionLimits.touchpointsMax,
  )
  const touches = rows.map(toTouch)
  return { found: assembleOne(context, policy, outcome, touches, consented(outcome.owner_id)) }
}

async function identityOf(
  { people }: Context,
  workspaceId: string,
  outcome: OutcomeRow,
): Promise<Explanation['identity']> {
  const whole = await findPerson(people, workspaceId, outcome.owner_id)
  const person = whole === null ? null : await readPerson(people, workspaceId, outcome.owner_id)
  return {
    person_id: outcome.owner_id,
    original_person: outcome.original_id,
    people: (person?.identifiers ?? []).map(({ person_id, type, confidence }) => ({
      person_id,
      type,
      confidence,
    })),
  }
}

async function computedOf(
  { control, events }: Context,
  workspaceId: string,
  outcome: OutcomeRow,
  touchIds: readonly string[],
): Promise<Explanation['computed']> {
  const day = dayOf(Number(outcome.ms))
  const [row] = await selectDays(control, workspaceId, day, day)
  const run = row?.outcome_run ?? null
  const stored =
    run === null ? null : await selectComputed(events, workspaceId, outcome.event_id, { day, run })
  if (stored === null) return null
  return {
    policy_version: stored.policy_version,
    touchpoints: stored.touch_ids,
    is_current: stored.touch_ids.join('\n') === touchIds.join('\n'),
  }
}

type Reach = Pick<FreshRead, 'reachesUntil'>

/** Touchpoints are as of the last job that checked the days of the window. */
async function noteReach(
  { control }: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  atMs: number,
  read: Reach,
): Promise<void> {
  const window = { from: dayOf(windowStartMs(atMs, policy.lookback_days)), to: dayOf(atMs) }
  const days = await selectDays(control, workspaceId, window.from, window.to)
  const untilByDay = new Map(days.map((row) => [row.day, row.touches_until]))
  read.reachesUntil(reachOf(window, (day) => untilByDay.get(day)))
}

/** All touchpoints of a person, as an outcome at this moment would see them. */
export async function readTouchpoints(
  context: Context,
  workspaceId: string,
  personId: string,
  read: Reach,
): Promise<Made<typeof getTouchpoints>> {
  const { personId: current, originalIds } = await requirePerson(context.people, workspaceId, personId)
  const policy = await readPolicy(context.control, workspaceId)
  await noteReach(context, workspaceId, policy, context.now(), read)
  const sites = await context.sitesOf(workspaceId)
  const consented = await consentOf(context, workspaceId, policy, sites, [current])
  const rows = await selectTouchesOf(
    context.events,
    workspaceId,
    originalIds,
    attributionLimits.touchpointsMax,
  )
  const found = consider(context.now(), rows.map(toTouch), policy, context.classify, consented(current))
  return {
    person_id: current,
    policy_version: policy.version,
    considered: found.considered.map(toTouchpoint),
    excluded: found.excluded.map(toExcluded),
  }
}

function toExcluded({ touch, reason, duplicateOf }: Exclusion) {
  return { touchpoint: toTouchpoint(touch), reason, duplicate_of: duplicateOf }
}
