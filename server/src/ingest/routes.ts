import {
  alias,
  batch,
  boundIssues,
  getReceipt,
  group,
  identify,
  importEvents,
  listRecentEvents,
  type Output,
  Problem,
  page,
  readKeyKind,
  screen,
  segmentSettings,
  siteIngest,
  track,
} from '@assay/contract'
import { missingScopes, unauthenticated } from '../http/access/principal.ts'
import { chargeGuess, type Plane, serve, showAllowance } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequireSite } from '../sites/sites.ts'
import { ingestAnswer } from './answers.ts'
import {
  type DecodeNeeds,
  readAliasDelivery,
  readBatchDelivery,
  readIdentifyDelivery,
  readSiteDelivery,
  readTrackDelivery,
} from './decode.ts'
import {
  answerBatch,
  answerBound,
  answerOne,
  chargeDelivery,
  notForPublicKeys,
  requireRoom,
} from './handlers.ts'
import type { Ingest } from './ingest.ts'
import { otherClientRoutes } from './other-clients/routes.ts'
import { type ReceiptNeeds, readReceipt } from './receipts/receipt.ts'
import type { EventLog } from './wal/event-log.ts'

type Needs = Platform &
  DecodeNeeds &
  ReceiptNeeds & { ingest: Ingest; requireSite: RequireSite; log: Pick<EventLog, 'pendingBytes'> }

/** Endpoints for one event, and the type of call of each. */
const singleEndpoints = [
  [track, 'track'],
  [page, 'page'],
  [screen, 'screen'],
  [group, 'group'],
] as const

export function ingestRoutes(plane: Plane, deps: Needs): void {
  const { ingest } = deps

  for (const [route, type] of singleEndpoints) {
    serve(plane, route, async (call) => {
      const { body, caller, request } = call
      return answerOne(plane, deps, call, await readTrackDelivery(deps, body, caller, request, type))
    })
  }

  serve(plane, identify, async (call) => {
    const { body, caller, request } = call
    return answerBound(plane, deps, call, await readIdentifyDelivery(deps, body, caller, request))
  })

  serve(plane, alias, async (call) => {
    const { body, caller, request } = call
    return answerBound(plane, deps, call, await readAliasDelivery(deps, body, caller, request))
  })

  for (const route of [batch, importEvents]) {
    serve(plane, route, async (call) => {
      const { body, caller, request } = call
      const isImport = route === importEvents
      if (isImport && caller.keyKind === 'public') throw notForPublicKeys
      if (isImport) requireRoom(deps.log)
      const delivery = await readBatchDelivery(deps, body, caller, request, isImport)
      return answerBatch(plane, deps, call, delivery, { isImport })
    })
  }

  otherClientRoutes(plane, deps)

  serve(plane, segmentSettings, ({ params }) => settingsFor(params.write_key, deps.dataUrl()))

  serve(plane, siteIngest, async ({ body, request, reply }) => {
    const delivery = await readSiteDelivery(deps, body, request)
    // The same answer for a wrong site and a wrong token, so that it does not reveal which sites exist.
    if (delivery === null) {
      chargeGuess(plane, request, reply)
      throw unauthenticated('siteId and token do not belong together.')
    }
    showAllowance(reply, chargeDelivery(plane, delivery, request))
    const { results } = await ingest.submit(delivery.items, delivery.sender, false)
    return ingestAnswer(boundIssues(results, request.bodyCharacters))
  })

  serve(plane, listRecentEvents, async ({ query, caller }) => {
    const site = await deps.requireSite(caller.workspaceId, query.site_id)
    const { after, outcome } = query
    const seesPeople = missingScopes(caller.scopes, ['identity:read']).length === 0
    return ingest.recent.read(site.id, { after, outcome, seesPeople, nowMs: deps.now() })
  })

  serve(plane, getReceipt, async ({ params, caller }) =>
    readReceipt(deps, caller.workspaceId, params.event_id),
  )
}

function settingsFor(writeKey: string, dataUrl: string): Output<typeof segmentSettings> {
  if (readKeyKind(writeKey) === null) throw new Problem('not-found', { detail: 'This is not an Assay key.' })
  const { host, protocol } = new URL(dataUrl)
  const target = { apiKey: writeKey, apiHost: `${host}/v1`, protocol: protocol.replace(':', '') }
  return {
    integrations: { 'Segment.io': target },
    plan: { track: { __default: { enabled: true, integrations: {} } } },
  }
}
