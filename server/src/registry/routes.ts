import {
  archiveContract,
  createContract,
  deprecateContract,
  generateCode,
  getContract,
  getSeverities,
  installPack,
  listContracts,
  listPacks,
  publishContract,
  setSeverities,
  validateEvents,
} from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { generateFor, isKnownTag } from './code.ts'
import { listPage, readContract, toContract, toEventContract } from './contracts.ts'
import { install, listAllPacks } from './installing.ts'
import * as registering from './registering.ts'
import { countHeldThatPass, replayTraffic } from './replay.ts'
import { changeSeverities, readSeverities } from './severities.ts'
import type { ContractRow } from './store.ts'
import { judgeForNothing } from './validate.ts'

const pageDefault = 50
/** What was held just now is still in the log; usually half a second, longer only while the store is behind. */
const flushMsMax = 10_000

export function registryRoutes(plane: Plane, deps: Deps): void {
  contractRoutes(plane, deps)
  stateRoutes(plane, deps)
  packRoutes(plane, deps)
  gateRoutes(plane, deps)
}

function contractRoutes(plane: Plane, deps: Deps): void {
  const { control, events, registry, now } = deps

  serve(plane, listContracts, ({ query, caller }) =>
    listPage(control, caller.workspaceId, { ...query, limit: query.limit ?? pageDefault }),
  )

  serve(plane, getContract, ({ params, query, caller }) =>
    readContract(control, caller.workspaceId, params.key, query.version),
  )

  serve(plane, createContract, async ({ body, caller: { workspaceId } }) => {
    const isDryRun = body.dry_run ?? false
    const planned = await registering.registerContract(control, now, workspaceId, body, true)
    const draft = toEventContract(planned.row)
    const days = body.replay_days
    // Before anything is stored, so that a store that is away leaves nothing half done.
    const replay =
      days === undefined ? null : await replayTraffic(events, registry, workspaceId, draft, days, now())
    const held = body.status === 'published' ? await countHeld(deps, workspaceId, planned.row) : null
    const { row, compatibility, isUnchanged } = isDryRun
      ? planned
      : await registering.registerContract(control, now, workspaceId, body, false)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: [row.key] })
    return {
      ...toContract(row),
      compatibility: { ...compatibility, breaks: [...compatibility.breaks] },
      unchanged: isUnchanged,
      dry_run: isDryRun,
      ...(replay !== null && { replay }),
      ...(held !== null && { held }),
    }
  })
}

async function countHeld(
  { events, registry, writer, now }: Deps,
  workspaceId: string,
  row: ContractRow,
): Promise<{ would_pass: number }> {
  await writer.flush(flushMsMax)
  const contract = toEventContract(row)
  return { would_pass: await countHeldThatPass(events, registry, workspaceId, contract, now()) }
}

function stateRoutes(plane: Plane, deps: Deps): void {
  const { control, registry, now } = deps

  serve(plane, publishContract, async ({ params: { key }, body, caller: { workspaceId } }) => {
    const isDryRun = body.dry_run ?? false
    const publish = (dry: boolean) =>
      registering.publishContract(control, now, workspaceId, key, body.version, dry)
    const planned = await publish(true)
    const held = await countHeld(deps, workspaceId, planned)
    const row = isDryRun ? planned : await publish(false)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: [key] })
    return { ...toContract(row), dry_run: isDryRun, held }
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

function packRoutes(plane: Plane, { control, registry, now }: Deps): void {
  serve(plane, listPacks, () => listAllPacks())

  serve(plane, installPack, async ({ params, body, caller: { workspaceId } }) => {
    const { status = 'published', dry_run: isDryRun = false } = body
    const answer = await install(control, now, workspaceId, params.key, status, isDryRun)
    if (!isDryRun) await registry.changed(workspaceId, { contracts: answer.installed })
    return answer
  })

  serve(plane, generateCode, async ({ query, caller, request, reply }) => {
    const { language, environment = 'production' } = query
    const { code, etag } = await generateFor(control, caller.workspaceId, language, environment)
    reply.headers({ etag, 'cache-control': 'private, no-cache' })
    return isKnownTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : code
  })
}

function gateRoutes(plane: Plane, { control, registry, sites, now }: Deps): void {
  serve(plane, validateEvents, ({ body, caller }) => judgeForNothing(registry, sites, caller, body, now()))

  serve(plane, getSeverities, async ({ caller }) => ({
    data: await readSeverities(control, caller.workspaceId),
  }))

  serve(plane, setSeverities, async ({ body, caller: { workspaceId } }) => {
    const severities = await changeSeverities(control, workspaceId, body)
    await registry.changed(workspaceId, 'rules')
    return { severities }
  })
}
