import type { IdentityModule } from '../identity/module.ts'
import { currentPerson } from '../identity/profiles/person.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { allSites } from '../sites/sites.ts'
import { createHealth, type Health } from './health.ts'
import { healthJobs } from './jobs.ts'
import { healthRoutes } from './routes.ts'
import type { HealthContext } from './scope.ts'

type Needs = Pick<HealthContext, 'locate' | 'sendNotice' | 'wanting'> & {
  sites: SitesModule
  identity: IdentityModule
}
type EventHealthModule = Module & { health: Health }

/** Whether each event arrives as it should: volume, properties, delays, duplicates. */
export function createEventHealth(platform: Platform, needs: Needs): EventHealthModule {
  const { people } = needs.identity
  const health = createHealth({
    ...platform,
    ...needs,
    sitesOf: (workspaceId) => allSites(platform.control, workspaceId),
    personOf: (workspaceId, identifiers) => currentPerson(people, workspaceId, identifiers),
  })
  const { requireSite } = needs.sites
  return {
    health,
    routes: (plane) => healthRoutes(plane, { health, allowed: platform.config, requireSite }),
    jobs: () => healthJobs({ health }),
  }
}
