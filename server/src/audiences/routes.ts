import {
  createAudience as createAudienceRoute,
  deleteAudience,
  everyoneRules,
  getAudience,
  listAudienceMembers,
  listAudiences,
  Problem,
  updateAudience,
} from '@assay/contract'
import { sendCsv, wantsCsv } from '../http/csv.ts'
import type { FreshRead } from '../http/fresh-read.ts'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { AudienceWorld } from './audiences.ts'
import {
  changeAudience,
  createAudience,
  previewAudience,
  readMembers,
  refreshAudience,
  removeAudience,
  requireAudience,
  toAudience,
} from './audiences.ts'
import { type AudienceRow, selectAudiences } from './store.ts'

type Needs = AudienceWorld & { requireSite: RequireSite }

export function audienceRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite } = deps

  serve(plane, listAudiences, async ({ query, caller: { workspaceId }, read }) => {
    if (query.siteId !== undefined) await requireSite(workspaceId, query.siteId)
    const limit = query.limit ?? pageDefault
    const siteId = query.siteId ?? null
    const rows = await selectAudiences(control, workspaceId, siteId, query.cursor ?? '', limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    for (const row of page) read.reachesUntil(countedUntil(row))
    return {
      data: page.map(toAudience),
      nextCursor: next,
    }
  })

  serve(plane, createAudienceRoute, async ({ body, caller: { workspaceId } }) => {
    const site = await requireSite(workspaceId, body.siteId)
    const { rules = everyoneRules, filters = [] } = body
    if (body.rules === undefined && filters.length === 0) throw missing('rules', 'or filters are needed')
    if (body.dryRun === true) return previewAudience(deps, site, { rules, filters })
    const { name, description = '' } = body
    if (name === undefined) throw missing('name', 'is needed unless it is a dry run')
    return toAudience(await createAudience(deps, site, { name, description, rules, filters }))
  })

  /** The last count, or a new one for callers that wait for all events. */
  const countedAudience = async (workspaceId: string, id: string, read: FreshRead) => {
    const known = await requireAudience(control, workspaceId, id)
    const row = read.isAwaited ? await refreshAudience(deps, known) : known
    read.reachesUntil(countedUntil(row))
    return row
  }

  serve(plane, getAudience, async ({ params, caller, read }) =>
    toAudience(await countedAudience(caller.workspaceId, params.id, read)),
  )

  serve(plane, updateAudience, async ({ params, body, caller }) => {
    const row = await requireAudience(control, caller.workspaceId, params.id)
    const site = await requireSite(caller.workspaceId, row.site_id)
    return toAudience(await changeAudience(deps, site, row, body))
  })

  serve(plane, deleteAudience, async ({ params, caller }) => {
    await removeAudience(deps, caller.workspaceId, params.id)
    return undefined
  })

  serve(plane, listAudienceMembers, async ({ params, query, caller, read, request, reply }) => {
    const row = await countedAudience(caller.workspaceId, params.id, read)
    const { state = 'joined', cursor = '', limit = pageDefault } = query
    const members = await readMembers(deps, row, state, cursor, limit)
    if (!wantsCsv(request, query.format)) return members
    if (members.nextCursor !== null) {
      reply.header(
        'link',
        `<?format=csv&state=${state}&limit=${limit}&cursor=${members.nextCursor}>; rel="next"`,
      )
    }
    return sendCsv(reply, 'members', {
      columns: ['personId', 'joinedAt', 'leftAt'],
      rows: members.data.map(({ personId, joinedAt, leftAt }) => [personId, joinedAt, leftAt]),
    })
  })
}

function countedUntil({ data_until, size_at }: AudienceRow): number {
  return (data_until ?? size_at).getTime()
}

function missing(field: string, message: string): Problem {
  return new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}
