import {
  createShare,
  getShare,
  getShared,
  getSharedResult,
  listShares,
  Problem,
  revokeShare,
  updateShare,
} from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import type { Limits } from '../http/limits/limits.ts'
import { isServedOn, type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import { plainPage, type Section, sharedPage } from './page/page.ts'
import { stylePolicy } from './page/style.ts'
import { answerShared, type SharedNeeds, type SharedPeriod } from './shared-results.ts'
import { sharedBoard, toView } from './shared-view.ts'
import { addShare, changeShare, removeShare, requireShare, type ShareWorld, toShare } from './shares.ts'
import { type ShareRow, selectShares } from './store.ts'
import { secureShared, type Visit } from './visit.ts'

type Needs = ShareWorld & SharedNeeds & { visit: Visit; publicUrl: () => string }

export function shareRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite, publicUrl } = deps

  serve(plane, listShares, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectShares(control, workspaceId, siteId, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toShare), nextCursor: next }
  })

  serve(plane, createShare, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.siteId)
    const wanted = { ...body, owner: actorIdOf(caller) }
    const { share, token } = await addShare(deps, caller.workspaceId, wanted)
    return { ...share, token, url: `${publicUrl()}/share/${token}` }
  })

  serve(plane, getShare, async ({ params, caller }) =>
    toShare(await requireShare(control, caller.workspaceId, params.id)),
  )

  serve(plane, updateShare, ({ params, body, caller }) =>
    changeShare(deps, caller.workspaceId, params.id, body),
  )

  serve(plane, revokeShare, async ({ params, caller }) => {
    await removeShare(control, caller.workspaceId, params.id)
    return undefined
  })

  sharedRoutes(plane, deps)
  if (isServedOn(plane, getShared)) pageRoute(plane, deps)
}

/** What a visitor without an account reaches, and nothing else. */
function sharedRoutes(plane: Plane, deps: Needs): void {
  serve(plane, getShared, async ({ params, request, reply }) => {
    secureShared(reply, [], null)
    const row = await deps.visit(params.token, request, plane.limits)
    secureShared(reply, row.origins, null)
    return toView(deps, row, await sharedBoard(deps, row))
  })

  serve(plane, getSharedResult, async ({ params, query, request, reply }) => {
    secureShared(reply, [], null)
    const row = await deps.visit(params.token, request, plane.limits)
    secureShared(reply, row.origins, null)
    return answerShared(deps, row, await sharedBoard(deps, row), params.tile, query, plane.limits)
  })
}

function pageRoute(plane: Plane, deps: Needs): void {
  plane.app.get<{ Params: { token: string }; Querystring: { window?: unknown } }>(
    '/share/:token',
    async (request, reply) => {
      reply.type('text/html; charset=utf-8')
      secureShared(reply, [], stylePolicy('system'))
      try {
        plane.limits.charge('open', request.ip)
        const row = await deps.visit(request.params.token, request, plane.limits)
        secureShared(reply, row.origins, stylePolicy(row.theme))
        return await pageOfShare({ ...deps, limits: plane.limits }, row, periodIn(request.query.window))
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        reply.code(error.status).headers({ ...error.options.headers })
        return plainPage('This link cannot be shown', error.options.detail)
      }
    },
  )
}

const periodIn = (window: unknown): SharedPeriod => (typeof window === 'string' ? { window } : {})

type PageNeeds = Needs & { limits: Limits }

async function pageOfShare(deps: PageNeeds, row: ShareRow, period: SharedPeriod): Promise<string> {
  const board = await sharedBoard(deps, row)
  const view = await toView(deps, row, board)
  const sections: Section[] = []
  for (const tile of view.tiles) {
    const title = tile.title ?? ''
    if (tile.type === 'text') sections.push({ title, text: tile.text })
    else sections.push({ title, ...(await shownResult(deps, row, board, tile.id, period)) })
  }
  return sharedPage(view, sections)
}

/** A tile that cannot be answered, as the filters of the link do not fit it, leaves the others as they are. */
async function shownResult(
  deps: PageNeeds,
  row: ShareRow,
  board: Parameters<typeof answerShared>[2],
  tileId: string,
  period: SharedPeriod,
) {
  try {
    return { result: await answerShared(deps, row, board, tileId, period, deps.limits) }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { text: error.options.detail }
    throw error
  }
}
