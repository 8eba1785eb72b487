import { deleteReplay, getReplay, listReplayEvents, listReplays, recordReplay } from '@assay/contract'
import { chargeSent, type Plane, serve, showAllowance } from '../http/serve.ts'
import { siteForKey } from '../sites/named-site.ts'
import type { RequireSite, Sites } from '../sites/sites.ts'
import type { Replays } from './replays.ts'

type Needs = { replays: Replays; sites: Sites; requireSite: RequireSite }

const replaysPerPage = 50
const chunksPerPage = 20

export function replayRoutes(plane: Plane, { replays, sites, requireSite }: Needs): void {
  serve(plane, recordReplay, async ({ body, caller, request, reply }) => {
    const site = await siteForKey(sites, caller, undefined)
    showAllowance(reply, chargeSent(plane, caller, request, site.id, 1))
    if (caller.keyKind === 'test') return { stored: false, reason: 'test_key' }
    return replays.take(site, body, request.headers['sec-gpc'] === '1')
  })

  serve(plane, listReplays, async ({ query, caller: { workspaceId } }) => {
    const { site_id: siteId, session_id: sessionId, person_id: personId } = query
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const wanted = { siteId, sessionId, personId }
    return replays.list(workspaceId, wanted, query.cursor, query.limit ?? replaysPerPage)
  })

  serve(plane, getReplay, ({ params, caller }) => replays.get(caller.workspaceId, params.id))

  serve(plane, listReplayEvents, ({ params, query, caller }) =>
    replays.events(caller.workspaceId, params.id, query.cursor, query.limit ?? chunksPerPage),
  )

  serve(plane, deleteReplay, async ({ params, caller }) => {
    await replays.remove(caller.workspaceId, params.id)
    return undefined
  })
}
