import { createDefinition, getCatalog, listDefinitions, sdkConfig, updateDefinition } from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import type { SendNotice } from '../../platform/notices.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import { siteForKey } from '../../sites/named-site.ts'
import type { RequireSite, Sites } from '../../sites/sites.ts'
import type { Overlays } from '../backfills/overlays.ts'
import { isKnownTag } from '../contracts/code.ts'
import { sendPublishedNotice } from '../contracts/publication-notice.ts'
import type { Registry } from '../registry.ts'
import { readCatalog } from './catalog.ts'
import { changeMatch, defineEvent, listDefined } from './definitions.ts'
import type { Elements } from './elements.ts'
import { configOf } from './elements.ts'

type Needs = Platform & {
  registry: Registry
  elements: Elements
  overlays: Overlays
  sites: Sites
  requireSite: RequireSite
  sendNotice: SendNotice
}

/** A definition that was just made is in the browsers soon, and a busy page asks rarely. */
const configSeconds = 300

export function catalogRoutes(plane: Plane, deps: Needs): void {
  definitionRoutes(plane, deps)
  const { control, events, elements, overlays, sites, requireSite, now } = deps

  serve(plane, getCatalog, async ({ query, caller }) => {
    const { siteId, source, needsReview, cursor = '', limit = pageDefault } = query
    if (siteId !== undefined) await requireSite(caller.workspaceId, siteId)
    const readOverlays = await overlays.of(caller.workspaceId)
    const all = await readCatalog(control, events, caller.workspaceId, siteId ?? null, now(), readOverlays)
    const wanted = all.filter(
      (event) =>
        event.name > cursor &&
        (source === undefined || event.source === source) &&
        (needsReview === undefined || event.needsReview === needsReview),
    )
    const { page: data, next } = pageOf(wanted, limit, ({ name }) => name)
    return { data, nextCursor: next }
  })

  serve(plane, sdkConfig, async ({ query, caller, request, reply }) => {
    const site = await siteForKey(sites, caller, query.site_id)
    const { config, etag } = configOf(await elements.of(caller.workspaceId), site.id)
    reply.headers({ etag, 'cache-control': `private, max-age=${configSeconds}`, vary: 'authorization' })
    return isKnownTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : config
  })
}

function definitionRoutes(
  plane: Plane,
  { control, registry, elements, sendNotice, requireSite, now }: Needs,
): void {
  serve(plane, createDefinition, async ({ body, caller: { workspaceId } }) => {
    if (body.siteId !== undefined) await requireSite(workspaceId, body.siteId)
    const defined = await defineEvent(control, now, workspaceId, body)
    await registry.changed(workspaceId, { contracts: [defined.id] })
    await sendPublishedNotice(control, sendNotice, workspaceId, [defined.id])
    if (defined.match !== null) await elements.changed(workspaceId)
    return defined
  })

  serve(plane, listDefinitions, ({ query, caller: { workspaceId } }) =>
    listDefined(control, workspaceId, query.cursor ?? null, query.limit ?? pageDefault),
  )

  serve(plane, updateDefinition, async ({ params, body, caller: { workspaceId } }) => {
    if (body.siteId !== undefined) await requireSite(workspaceId, body.siteId)
    const changed = await changeMatch(control, workspaceId, params.id, body.match, body.siteId)
    await elements.changed(workspaceId)
    return changed
  })
}
