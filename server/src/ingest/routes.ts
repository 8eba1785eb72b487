import { batch, getReceipt, Problem, siteIngest, track } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { unauthenticated } from '../http/principal.ts'
import { type Plane, serve, showAllowance } from '../http/serve.ts'
import { batchAnswer, ingestAnswer, strictRefusal, trackAnswer, trackRefusal } from './answers.ts'
import { type Doors, openDoors } from './doors.ts'
import type { Item, Sender } from './judging.ts'
import type { Submission } from './pipeline.ts'
import { readReceipt } from './receipt.ts'

export function ingestRoutes(plane: Plane, deps: Deps): void {
  const { ingest, events, writer, publicUrl } = deps
  const doors = openDoors(deps)

  serve(plane, track, async ({ body, caller, request, reply }) => {
    const sender = doors.keySender(caller, 'track', request)
    const item = await doors.readItem(body, caller, sender, request, {})
    showAllowance(reply, plane.limits.chargeEvents(item.site.id, 1))
    const { results } = await ingest.submit([item], sender, false)
    const [result] = results
    if (result === undefined) throw new Error('one item in gave no result')
    if (result.outcome === 'reject') throw trackRefusal(result)
    return trackAnswer(result, publicUrl())
  })

  serve(plane, batch, async ({ body, caller, request, reply }) => {
    const sender = doors.keySender(caller, 'batch', request)
    const items = await doors.readBatch(body, caller, sender, request)
    chargeBySite(plane, items, (allowance) => showAllowance(reply, allowance))
    const isStrict = /(?:^|[\s,;])handling=strict(?:$|[\s,;])/i.test(String(request.headers.prefer ?? ''))
    const submission = await ingest.submit(items, sender, isStrict)
    if (submission.refused) throw strictRefusal(submission.results)
    return batchAnswer(request.id, submission.results, `${publicUrl()}/problems`)
  })

  serve(plane, siteIngest, async ({ body, request, reply }) => {
    const { site, sender, items } = await readSiteRequest(doors, body, request)
    showAllowance(reply, plane.limits.chargeEvents(site, items.length))
    return ingestAnswer((await submitAll(deps, items, sender)).results)
  })

  serve(plane, getReceipt, async ({ params, caller }) =>
    readReceipt(
      events,
      writer,
      caller.workspaceId,
      params.event_id,
      ingest.hashId(caller.workspaceId, 'event', params.event_id),
    ),
  )
}

function submitAll({ ingest }: Deps, items: readonly Item[], sender: Sender): Promise<Submission> {
  return ingest.submit(items, sender, false)
}

type SiteRequest = { site: string; sender: Sender; items: Item[] }

async function readSiteRequest(
  doors: Doors,
  body: unknown,
  request: Parameters<Doors['readSiteItems']>[2],
): Promise<SiteRequest> {
  const site = await doors.siteOfToken(body)
  // The same answer for a wrong site and a wrong token, so that nobody can find out which sites exist.
  if (site === null) throw unauthenticated('siteId and token do not belong together.')
  const sender = doors.siteSender(site, request)
  return { site: site.id, sender, items: doors.readSiteItems(body, site, request) }
}

/** A batch may hold events of several sites; each is charged for its own, and the one with least left is shown. */
function chargeBySite(
  plane: Plane,
  items: readonly Item[],
  show: (allowance: ReturnType<Plane['limits']['chargeEvents']>) => void,
): void {
  const counts = new Map<string, number>()
  for (const { site } of items) counts.set(site.id, (counts.get(site.id) ?? 0) + 1)
  const allowances = [...counts].map(([siteId, count]) => plane.limits.chargeEvents(siteId, count))
  const least = allowances.sort((a, b) => a.remaining - b.remaining)[0]
  if (least) show(least)
  if (items.length === 0)
    throw new Problem('malformed-request', { detail: 'batch is empty. Send at least one event.' })
}
