import {
  archiveContract,
  changeContracts,
  createContract,
  deprecateContract,
  generateCode,
  getContract,
  getSeverities,
  installPack,
  listContracts,
  listPacks,
  listProposals,
  publishContract,
  setSeverities,
  validateEvents,
} from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { SendNotice } from '../platform/notices.ts'
import { pageDefault } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import { siteForKey } from '../sites/named-site.ts'
import type { RequireSite, Sites } from '../sites/sites.ts'
import { changeAll } from './contracts/change.ts'
import { generateFor, isKnownTag } from './contracts/code.ts'
import { listPage, nextOf, readContract, toContract, toEventContract } from './contracts/contracts.ts'
import { install, listAllPacks } from './contracts/pack-installation.ts'
import { sendPublishedNotice } from './contracts/publication-notice.ts'
import type { QuarantinedEvents } from './contracts/quarantine-port.ts'
import { countQuarantined, releaseQuarantined } from './contracts/quarantine-port.ts'
import * as registering from './contracts/registration.ts'
import { type Judges, judgeForNothing } from './proposals/dry-run.ts'
import { readProposals } from './proposals/proposals.ts'
import { replayTraffic } from './proposals/replay.ts'
import { countUnregistered } from './proposals/unregistered-names.ts'
import type { Registry } from './registry.ts'
import { changeSeverities, readSeverities } from './severities.ts'

type Needs = Platform & {
  registry: Registry
  sites: Sites
  requireSite: RequireSite
  held: QuarantinedEvents
  sendNotice: SendNotice
  writer: Parameters<typeof countQuarantined>[1]
  consents: Judges['consents']
  ingest: Pick<Judges, 'botReasonOf'>
}

export function registryRoutes(plane: Plane, deps: Needs): void {
  contractRoutes(plane, deps)
  stateRoutes(plane, deps)
  changeRoutes(plane, deps)
  packRoutes(plane, deps)
  gateRoutes(plane, deps)
}

function contractRoutes(plane: Plane, deps: Needs): void {
  const { control, events, registry, held, writer, requireSite, now, sendNotice } = deps

  serve(plane, listContracts, ({ query, caller }) =>
    listPage(control, caller.workspaceId, { ...query, limit: query.limit ?? pageDefault }),
  )

  serve(plane, getContract, ({ params, query, caller }) =>
    readContract(control, caller.workspaceId, params.key, query.version),
  )

  serve(plane, createContract, async ({ body, caller }) => {
    const { workspaceId } = caller
    const isDryRun = body.dry_run ?? false
    const siteId = body.site_id
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const planned = await registering.registerContract(control, now, workspaceId, body, true)
    const draft = toEventContract(planned.row)
    const days = body.replay_days
    // Before anything is stored, so that a store that is away leaves nothing half done.
    const replay =
      days === undefined ? null : await replayTraffic(events, registry, workspaceId, draft, days, now())
    const isPublished = body.status === 'published'
    const wouldPass = isPublished
      ? await countQuarantined(held, writer, { workspaceId, siteId }, planned.row)
      : 0
    const { row, compatibility, isUnchanged } = isDryRun
      ? planned
      : await registering.registerContract(control, now, workspaceId, body, false)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: [row.key] })
    if (isPublished && !isDryRun) await sendPublishedNotice(control, sendNotice, workspaceId, [row.key])
    const isReleasing = isPublished && !isDryRun && body.release === true
    const released = isReleasing ? await releaseQuarantined(held, caller, row, siteId) : 0
    return {
      ...toContract(row),
      compatibility: { ...compatibility, breaks: [...compatibility.breaks] },
      unchanged: isUnchanged,
      next: nextOf(row),
      dry_run: isDryRun,
      ...(replay !== null && { replay }),
      ...(isPublished && { held: { would_pass: wouldPass, released } }),
    }
  })
}

function stateRoutes(plane: Plane, deps: Needs): void {
  const { control, registry, held, writer, requireSite, sendNotice, now } = deps

  serve(plane, publishContract, async ({ params: { key }, body, caller }) => {
    const { workspaceId } = caller
    const isDryRun = body.dry_run ?? false
    const siteId = body.site_id
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const publish = (dry: boolean) =>
      registering.publishContract(control, now, workspaceId, key, body.version, dry)
    const planned = await publish(true)
    const wouldPass = await countQuarantined(held, writer, { workspaceId, siteId }, planned)
    const row = isDryRun ? planned : await publish(false)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: [key] })
    if (!isDryRun) await sendPublishedNotice(control, sendNotice, workspaceId, [key])
    const released =
      body.release === true && !isDryRun ? await releaseQuarantined(held, caller, row, siteId) : 0
    return { ...toContract(row), dry_run: isDryRun, held: { would_pass: wouldPass, released } }
  })

  serve(plane, deprecateContract, async ({ params: { key }, body, caller: { workspaceId } }) => {
    const row = await registering.deprecateContract(control, workspaceId, key, body.replaced_by)
    await registry.changed(workspaceId, { contracts: [key] })
    return toContract(row)
  })

  serve(plane, archiveContract, async ({ params: { key }, caller: { workspaceId } }) => {
    const row = await registering.archiveContract(control, workspaceId, key)
    await registry.changed(workspaceId, { contracts: [key] })
    return toContract(row)
  })
}

function changeRoutes(plane: Plane, { control, registry, sendNotice, now }: Needs): void {
  serve(plane, changeContracts, async ({ body, caller: { workspaceId } }) => {
    const isDryRun = body.dry_run ?? false
    const results = await changeAll(control, now, workspaceId, body)
    const changed = results.filter(({ change }) => change !== 'none').map(({ key }) => key)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: changed })
    if (!isDryRun) await sendPublishedNotice(control, sendNotice, workspaceId, changed)
    return { dry_run: isDryRun, changed, results: [...results] }
  })
}

function packRoutes(plane: Plane, { control, registry, sendNotice, now }: Needs): void {
  serve(plane, listPacks, () => listAllPacks())

  serve(plane, installPack, async ({ params, body, caller: { workspaceId } }) => {
    const { status = 'published', dry_run: isDryRun = false } = body
    const answer = await install(control, now, workspaceId, params.key, status, isDryRun)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: answer.installed })
    if (!isDryRun) await sendPublishedNotice(control, sendNotice, workspaceId, answer.installed)
    return answer
  })

  serve(plane, generateCode, async ({ query, caller, request, reply }) => {
    const wanted = { ...query, environment: query.environment ?? 'production' }
    const { code, etag } = await generateFor(control, caller.workspaceId, wanted)
    reply.headers({ etag, 'cache-control': 'private, no-cache' })
    return isKnownTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : code
  })
}

function gateRoutes(plane: Plane, deps: Needs): void {
  const { control, events, registry, consents, ingest, sites, requireSite, now } = deps

  serve(plane, validateEvents, ({ body, caller, request }) =>
    judgeForNothing(
      { registry, consents, botReasonOf: ingest.botReasonOf },
      sites,
      caller,
      body,
      request.bodyCharacters,
      now(),
    ),
  )

  serve(plane, listProposals, async ({ query, caller }) => {
    const { workspaceId } = caller
    const { site_id } = query
    const site = await (site_id === undefined
      ? siteForKey(sites, caller, undefined)
      : requireSite(workspaceId, site_id))
    const known = await registry.knowledge(workspaceId, site.id)
    return readProposals(events, known, workspaceId, query, now())
  })

  serve(plane, getSeverities, async ({ query: { site_id, days = 7 }, caller: { workspaceId } }) => {
    if (site_id !== undefined) await requireSite(workspaceId, site_id)
    const policy = await readSeverities(control, workspaceId)
    const unregistered = await countUnregistered(events, workspaceId, site_id, days, now())
    return { ...policy, unregistered }
  })

  serve(plane, setSeverities, async ({ body, caller: { workspaceId } }) => {
    const policy = await changeSeverities(control, workspaceId, body)
    await registry.changed(workspaceId, 'rules')
    return policy
  })
}
