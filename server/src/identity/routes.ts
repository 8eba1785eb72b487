import {
  alias,
  getPerson,
  getTimeline,
  identify,
  listLedger,
  mergePeople,
  resolveIdentity,
  reverseMerge,
  verifyLedger,
} from '@assay/contract'
import type { Deps } from '../deps.ts'
import { actorIdOf, type KeyPrincipal, type Principal } from '../http/principal.ts'
import { type Call, chargeSent, type Plane, serve, showAllowance } from '../http/serve.ts'
import { siteForKey, siteNamedBy } from '../sites/named-site.ts'
import { aliasPerson, identifyPerson } from './binding.ts'
import { checkLedger, readLedger } from './ledger-reading.ts'
import { mergeOnPurpose, reverseEntry } from './merging.ts'
import { readPerson } from './person.ts'
import { requireWriter, resolve } from './resolve.ts'
import { readTimeline } from './timeline.ts'
import { readAlias, readIdentify } from './wire.ts'

function isTestKey(caller: Principal): boolean {
  return caller.kind === 'key' && caller.keyKind === 'test'
}

export function identityRoutes(plane: Plane, { people, events, overlays, sites, consentOf }: Deps): void {
  serve(plane, resolveIdentity, ({ body, caller }) => {
    if (body.read_only !== true) requireWriter(caller.scopes, isTestKey(caller))
    return resolve(people, caller.workspaceId, body, actorIdOf(caller))
  })

  serve(plane, getPerson, async ({ params, caller: { workspaceId } }) => {
    const person = await readPerson(people, workspaceId, params.id)
    const consent = await consentOf(workspaceId, [person.person_id, ...person.merged_ids])
    return { ...person, consent }
  })

  serve(plane, getTimeline, ({ params, query, caller }) =>
    readTimeline({ events, people, overlays }, caller.workspaceId, params.id, query),
  )

  serve(plane, mergePeople, ({ body, caller }) =>
    mergeOnPurpose(people, caller.workspaceId, body, actorIdOf(caller)),
  )

  serve(plane, listLedger, ({ query, caller }) => readLedger(people, caller.workspaceId, query))

  serve(plane, verifyLedger, ({ caller }) => checkLedger(people.control, caller.workspaceId))

  serve(plane, reverseMerge, ({ params, body, caller }) =>
    reverseEntry(people, caller.workspaceId, params.id, body, actorIdOf(caller)),
  )

  serve(plane, identify, async ({ body, caller, request, reply }) => {
    await chargeOne(body, caller, request, reply)
    return identifyPerson(people, caller, readIdentify(body))
  })

  serve(plane, alias, async ({ body, caller, request, reply }) => {
    await chargeOne(body, caller, request, reply)
    return aliasPerson(people, caller, readAlias(body))
  })

  /** As much as an event, of the site that the key is bound to or that is named. */
  async function chargeOne(
    body: unknown,
    caller: KeyPrincipal,
    request: Call<typeof identify>['request'],
    reply: Call<typeof identify>['reply'],
  ): Promise<void> {
    const site = await siteForKey(sites, caller, siteNamedBy(body))
    showAllowance(reply, chargeSent(plane, caller, request, site.id, 1))
  }
}
