import type { ConsentModule } from '../consent/module.ts'
import type { IdentityModule } from '../identity/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { createOutgoing, type Outgoing } from './dispatch.ts'
import { destinationJobs } from './jobs.ts'
import { publishEntries } from './people-notices.ts'
import { dispatchData } from './personal-data.ts'
import { destinationRoutes } from './routes.ts'

type Needs = { identity: IdentityModule; consent: ConsentModule; sites: SitesModule }
export type DestinationsModule = Module & { outgoing: Outgoing }

/** Events and notices that go out to a customer's own systems. */
export async function createDestinations(
  platform: Platform,
  { identity, consent, sites }: Needs,
): Promise<DestinationsModule> {
  const outgoing = await createOutgoing({ ...platform, consents: consent.consents })
  identity.people.onEntries((sql, workspaceId, rows) =>
    publishEntries(outgoing.sendNotice, sql, workspaceId, rows),
  )
  return {
    outgoing,
    routes: (plane) => destinationRoutes(plane, { ...platform, outgoing, requireSite: sites.requireSite }),
    jobs: () => destinationJobs({ outgoing }),
    personalData: { copies: dispatchData(platform.control) },
    workspaceGone: (workspaceId) => outgoing.destinations.forget(workspaceId),
    stop: () => outgoing.sending.stop(),
  }
}
