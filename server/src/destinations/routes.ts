import {
  createDestination,
  type Dispatch,
  deleteDestination,
  getDestination,
  listDestinations,
  listDispatches,
  Problem,
  replayDispatches,
  rotateDestinationSecret,
  testDestination,
  updateDestination,
} from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Target } from './destinations.ts'
import type { Outgoing } from './dispatch.ts'
import { type DispatchRow, putBackDispatches, selectDispatches } from './dispatch-store.ts'
import { retryUntil } from './sender.ts'

type Needs = Pick<Platform, 'control' | 'now'> & { outgoing: Outgoing; requireSite: RequireSite }

const keepPreviousHoursDefault = 24

export function destinationRoutes(plane: Plane, deps: Needs): void {
  const { requireSite } = deps
  const { destinations } = deps.outgoing
  const show = async (target: Target) => {
    const [shown] = await destinations.show(target.workspace_id, [target])
    if (shown === undefined) throw new Error('nothing was shown')
    return shown
  }
  const withSecret = async (target: Target) => ({
    ...(await show(target)),
    secret: target.secrets[0]?.secret ?? '',
  })

  serve(plane, createDestination, async ({ body, caller }) => {
    if (body.site_id) await requireSite(caller.workspaceId, body.site_id)
    return withSecret(await destinations.create(caller.workspaceId, body))
  })

  serve(plane, listDestinations, async ({ caller }) => {
    const targets = await destinations.list(caller.workspaceId)
    return { data: await destinations.show(caller.workspaceId, targets) }
  })

  serve(plane, getDestination, async ({ params, caller }) =>
    show(await destinations.own(caller.workspaceId, params.id)),
  )

  serve(plane, updateDestination, async ({ params, body, caller }) => {
    const target = await destinations.own(caller.workspaceId, params.id)
    if (body.site_id) await requireSite(caller.workspaceId, body.site_id)
    return show(await destinations.update(target, body))
  })

  serve(plane, rotateDestinationSecret, async ({ params, body, caller }) => {
    const target = await destinations.own(caller.workspaceId, params.id)
    const hours = body.keep_previous_hours ?? keepPreviousHoursDefault
    return withSecret(await destinations.rotate(target, hours))
  })

  serve(plane, deleteDestination, async ({ params, caller }) => {
    await destinations.remove(await destinations.own(caller.workspaceId, params.id))
    return undefined
  })
  dispatchRoutes(plane, deps)
}

function dispatchRoutes(plane: Plane, { control, outgoing, now }: Needs): void {
  const { destinations, sending } = outgoing

  serve(plane, testDestination, async ({ params, caller }) =>
    toDispatch(await sending.test(await destinations.own(caller.workspaceId, params.id))),
  )

  serve(plane, listDispatches, async ({ params, query, caller }) => {
    const target = await destinations.own(caller.workspaceId, params.id)
    const limit = query.limit ?? pageDefault
    const before = query.cursor ?? null
    const rows = await selectDispatches(control, target.id, query.status ?? null, before, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toDispatch), next_cursor: next }
  })

  serve(plane, replayDispatches, async ({ params, body, caller }) => {
    const target = await destinations.own(caller.workspaceId, params.id)
    const nowMs = now()
    const id = body.delivery_id ?? null
    const replayed = await putBackDispatches(control, target.id, id, new Date(nowMs), retryUntil(nowMs))
    if (id !== null && replayed === 0) {
      throw new Problem('not-found', { detail: 'There is no such delivery of this destination.' })
    }
    return { replayed }
  })
}

function toDispatch(row: DispatchRow): Dispatch {
  const { id, destination_id, kind, type, status, attempts, response_status, error } = row
  return {
    id,
    destination_id,
    kind,
    type,
    status,
    attempts,
    response_status,
    error,
    created_at: row.created_at.toISOString(),
    next_attempt_at: row.next_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
  }
}
