import { batch, getReceipt, group, importEvents, page, screen, siteIngest, track } from '@assay/contract'
import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { unauthenticated } from '../http/principal.ts'
import { type Plane, serve, showAllowance } from '../http/serve.ts'
import { batchText, ingestAnswer, strictRefusal, trackRefusal, trackText } from './answers.ts'
import { readBatchDelivery, readSiteDelivery, readTrackDelivery } from './doors.ts'
import type { Item } from './judging.ts'
import { readReceipt } from './receipt.ts'

/** Doors for one event, and the kind of call that each stands for. */
const singleDoors = [
  [track, 'track'],
  [page, 'page'],
  [screen, 'screen'],
  [group, 'group'],
] as const

export function ingestRoutes(plane: Plane, deps: Deps): void {
  const { ingest, publicUrl } = deps

  for (const [route, type] of singleDoors) {
    serve(plane, route, async ({ body, caller, request, reply }) => {
      const { sender, items } = await readTrackDelivery(deps, body, caller, request, type)
      showAllowance(reply, chargeBySite(plane, items))
      const [result] = (await ingest.submit(items, sender, false)).results
      if (result === undefined) throw new Error('one item in gave no result')
      if (result.outcome === 'reject') throw trackRefusal(result)
      return sendJson(reply, trackText(result, publicUrl()))
    })
  }

  for (const route of [batch, importEvents]) {
    serve(plane, route, async ({ body, caller, request, reply }) => {
      const delivery = await readBatchDelivery(deps, body, caller, request, route === importEvents)
      showAllowance(reply, chargeBySite(plane, delivery.items))
      const isAllOrNothing = isStrict(request.headers.prefer)
      const { results, refused } = await ingest.submit(delivery.items, delivery.sender, isAllOrNothing)
      if (refused) throw strictRefusal(results)
      return sendJson(reply, batchText(request.id, results, `${publicUrl()}/problems`))
    })
  }

  serve(plane, siteIngest, async ({ body, request, reply }) => {
    const delivery = await readSiteDelivery(deps, body, request)
    // The same answer for a wrong site and a wrong token, so that nobody can find out which sites exist.
    if (delivery === null) throw unauthenticated('siteId and token do not belong together.')
    showAllowance(reply, chargeBySite(plane, delivery.items))
    return ingestAnswer((await ingest.submit(delivery.items, delivery.sender, false)).results)
  })

  serve(plane, getReceipt, async ({ params, caller }) =>
    readReceipt(deps, caller.workspaceId, params.event_id),
  )
}

/** A batch may hold events of several sites; each is charged for its own, and the one with least left is shown. */
function chargeBySite(
  plane: Plane,
  items: readonly Item[],
): ReturnType<Plane['limits']['chargeEvents']> | null {
  const [first] = items
  if (first !== undefined && items.every(({ site }) => site === first.site)) {
    return plane.limits.chargeEvents(first.site.id, items.length)
  }
  const counts = new Map<string, number>()
  for (const { site } of items) counts.set(site.id, (counts.get(site.id) ?? 0) + 1)
  const allowances = [...counts].map(([siteId, count]) => plane.limits.chargeEvents(siteId, count))
  return allowances.sort((a, b) => a.remaining - b.remaining)[0] ?? null
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text)
}

/** RFC 7240: preferences are separated by commas. */
function isStrict(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false
  const preferences = [prefer].flat().flatMap((line) => line.split(','))
  return preferences.some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference))
}
