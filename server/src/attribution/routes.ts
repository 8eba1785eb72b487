import {
  type AttributionPolicy,
  attributionLimits,
  attributionModelOf,
  computeAttribution,
  explainOutcome,
  getAttributionJob,
  getAttributionPolicy,
  getAttributionReport,
  getTouchpoints,
  listOutcomes,
  type PolicySettings,
  setAttributionPolicy,
} from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Attribution } from './attribution.ts'
import { tryPolicy } from './computation/computation.ts'
import { selectState } from './computation/day-store.ts'
import { addDays, dayOf, readDays, startMs } from './computation/days.ts'
import { followChanges } from './computation/touchpoint-refresh.ts'
import type { Context } from './context.ts'
import { explain, readTouchpoints } from './explain.ts'
import { creditOf } from './models/credit.ts'
import { fitOf } from './models/fit-shape.ts'
import { readOutcomePage } from './paths/outcomes.ts'
import { changedPolicy, readPolicy, savePolicy } from './policy.ts'
import { readReport } from './report.ts'

type Needs = { attribution: Attribution; requireSite: RequireSite }

export function attributionRoutes(plane: Plane, { attribution, requireSite }: Needs): void {
  const { room, jobs } = attribution
  const { control, now } = room

  serve(plane, getAttributionPolicy, ({ query, caller }) =>
    readPolicy(control, caller.workspaceId, query.version),
  )

  serve(plane, setAttributionPolicy, ({ body, caller: { workspaceId } }) => {
    const { dry_run: isDry = false, model, ...rest } = body
    const change = { ...rest, ...(model !== undefined && { model: attributionModelOf(model) }) }
    return isDry ? previewPolicy(room, workspaceId, change) : savePolicy(control, workspaceId, change, now)
  })

  serve(plane, computeAttribution, async ({ body, caller }) => {
    const job = await jobs.start(caller.workspaceId, readDays(body, now()))
    return { job_id: job.id, status: job.status }
  })

  serve(plane, getAttributionJob, ({ params, caller }) => jobs.get(caller.workspaceId, params.id))

  serve(plane, getTouchpoints, ({ params, caller, read }) =>
    readTouchpoints(room, caller.workspaceId, params.personId, read),
  )

  serve(plane, listOutcomes, async ({ query: { site_id: siteId, from, to, ...page }, caller }) =>
    readOutcomePage(room, await requireSite(caller.workspaceId, siteId), readDays({ from, to }, now()), page),
  )

  serve(plane, explainOutcome, ({ params, caller, read }) =>
    explain(room, caller.workspaceId, params.outcomeId, read),
  )

  serve(plane, getAttributionReport, async ({ query, caller: { workspaceId }, read }) => {
    const { group_by: groupBy = 'channel', site_id: siteId = null, event = null, from, to } = query
    const currency = siteId === null ? null : (await requireSite(workspaceId, siteId)).currency
    const asked = { groupBy, siteId, currency, event }
    return readReport(room, workspaceId, { ...readDays({ from, to }, now()), ...asked }, read)
  })
}

/** What each channel has now and would have, over the last days. */
async function previewPolicy(room: Context, workspaceId: string, change: Partial<PolicySettings>) {
  const before = await readPolicy(room.control, workspaceId)
  const after = changedPolicy(before, change)
  const fit = fitOf(await selectState(room.control, workspaceId))
  const today = dayOf(room.now())
  const range = { from: addDays(today, 1 - attributionLimits.dryRunDays), to: today }
  await room.flush()
  const tryOne = (policy: AttributionPolicy) => tryPolicy(room, workspaceId, policy, range, fit)
  const furthest = before.lookback_days > after.lookback_days ? before : after
  const [old, young] = await room.alone(workspaceId, async () => {
    await followChanges(room, workspaceId, furthest, range)
    return [await tryOne(before), await tryOne(after)]
  })
  const names = [...new Set([...(old?.channels.keys() ?? []), ...(young?.channels.keys() ?? [])])].sort()
  const channels = names.map((channel) => {
    const had = creditOf(old?.channels.get(channel) ?? 0)
    const has = creditOf(young?.channels.get(channel) ?? 0)
    return { channel, before: had, after: has, change: has - had }
  })
  return {
    dry_run: true as const,
    policy: after,
    period: { from: new Date(startMs(range.from)).toISOString(), to: new Date(room.now()).toISOString() },
    outcomes: { before: old?.outcomes ?? 0, after: young?.outcomes ?? 0 },
    channels,
  }
}
