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
  const { context, jobs } = attribution
  const { control, now } = context

  serve(plane, getAttributionPolicy, ({ query, caller }) =>
    readPolicy(control, caller.workspaceId, query.version),
  )

  serve(plane, setAttributionPolicy, ({ body, caller: { workspaceId } }) => {
    const { dry_run: isDry = false, model, ...rest } = body
    const change = { ...rest, ...(model !== undefined && { model: attributionModelOf(model) }) }
    return isDry ? previewPolicy(context, workspaceId, change) : savePolicy(control, workspaceId, change, now)
  })

  serve(plane, computeAttribution, async ({ body, caller }) => {
    const job = await jobs.start(caller.workspaceId, readDays(body, now()))
    return { job_id: job.id, status: job.status }
  })

  serve(plane, getAttributionJob, ({ params, caller }) => jobs.get(caller.workspaceId, params.id))

  serve(plane, getTouchpoints, ({ params, caller, read }) =>
    readTouchpoints(context, caller.workspaceId, params.personId, read),
  )

  serve(plane, listOutcomes, async ({ query: { site_id: siteId, from, to, ...page }, caller }) =>
    readOutcomePage(
      context,
      await requireSite(caller.workspaceId, siteId),
      readDays({ from, to }, now()),
      page,
    ),
  )

  serve(plane, explainOutcome, ({ params, caller, read }) =>
    explain(context, caller.workspaceId, params.outcomeId, read),
  )

  serve(plane, getAttributionReport, async ({ query, caller: { workspaceId }, read }) => {
    const { group_by: groupBy = 'channel', site_id: siteId = null, event = null, from, to } = query
    const currency = siteId === null ? null : (await requireSite(workspaceId, siteId)).currency
    const asked = { groupBy, siteId, currency, event }
    return readReport(context, workspaceId, { ...readDays({ from, to }, now()), ...asked }, read)
  })
}

/** What each channel has now and would have, over the last days. */
async function previewPolicy(context: Context, workspaceId: string, change: Partial<PolicySettings>) {
  const before = await readPolicy(context.control, workspaceId)
  const after = changedPolicy(before, change)
  const fit = fitOf(await selectState(context.control, workspaceId))
  const today = dayOf(context.now())
  const range = { from: addDays(today, 1 - attributionLimits.dryRunDays), to: today }
  await context.flush()
  const tryOne = (policy: AttributionPolicy) => tryPolicy(context, workspaceId, policy, range, fit)
  const furthest = before.lookback_days > after.lookback_days ? before : after
  const [old, young] = await context.alone(workspaceId, async () => {
    await followChanges(context, workspaceId, furthest, range)
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
    period: { from: new Date(startMs(range.from)).toISOString(), to: new Date(context.now()).toISOString() },
    outcomes: { before: old?.outcomes ?? 0, after: young?.outcomes ?? 0 },
    channels,
  }
}
