import { listFunnels, Problem, queryDropOff, queryFunnel, updateFunnel } from '@assay/contract'
import { sendCsv, wantsCsv } from '../../http/csv.ts'
import { type Plane, serve } from '../../http/serve.ts'
import type { AnswerNeeds, Answers } from '../answers.ts'
import { isoTime } from '../period.ts'
import { openReading } from '../report-query.ts'
import { discover, discoveryTable, withStates } from './discovery.ts'
import { funnelTable } from './query.ts'
import { selectFunnels, updateFunnelRow } from './state-store.ts'

type Needs = AnswerNeeds & { answers: Answers }

export function funnelRoutes(plane: Plane, deps: Needs): void {
  serve(plane, queryFunnel, async ({ body, caller, request, reply }) => {
    const { format, ...asked } = body
    const funnel = await deps.answers.funnel(caller.workspaceId, asked)
    return wantsCsv(request, format) ? sendCsv(reply, 'funnel', funnelTable(funnel)) : funnel
  })

  serve(plane, queryDropOff, ({ body, caller }) => deps.answers.dropOff(caller.workspaceId, body))

  serve(plane, listFunnels, async ({ query, caller, read, request, reply }) => {
    const { workspaceId } = caller
    // Before the cache is read: the site and the query have to be valid.
    const { site } = await openReading(deps, workspaceId, query)
    const { includeMuted = false, format, ...asked } = query
    const key = `${workspaceId} funnels ${JSON.stringify(asked)}`
    const make = async () => {
      const dataUntilMs = read.dataUntilMs()
      const { filter, period } = await openReading(deps, workspaceId, query)
      return { found: await discover(deps, filter, period), dataUntilMs }
    }
    const { found, dataUntilMs } = read.isAwaited
      ? await deps.kept.ofLarge(key, make, () => true, 'new')
      : await deps.kept.of(key, make)
    read.reachesUntil(dataUntilMs)
    const rows = await selectFunnels(deps.control, workspaceId, site.id)
    const funnels = withStates(found, rows, includeMuted)
    return wantsCsv(request, format) ? sendCsv(reply, 'funnels', discoveryTable(funnels)) : funnels
  })

  serve(plane, updateFunnel, async ({ params, body, caller }) => {
    const row = await updateFunnelRow(deps.control, caller.workspaceId, params.id, body)
    if (row === null) throw new Problem('not-found', { detail: 'There is no such funnel.' })
    return {
      id: row.id,
      siteId: row.site_id,
      name: row.own_name || row.found_name,
      status: row.status,
      firstSeen: isoTime(row.first_seen.getTime()),
      lastSeen: isoTime(row.last_seen.getTime()),
    }
  })
}
