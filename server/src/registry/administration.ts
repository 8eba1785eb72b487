import type { Module } from '../platform/module.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { createBackfills } from './backfills/backfills.ts'
import { catalogRoutes } from './catalog/routes.ts'
import type { QuarantinedEvents } from './contracts/quarantine-port.ts'
import { mappingRoutes } from './mappings/routes.ts'
import type { RegistryModule } from './module.ts'
import { registryRoutes } from './routes.ts'

type RouteNeeds = Parameters<typeof registryRoutes>[1]
type Needs = Pick<RouteNeeds, 'writer' | 'consents' | 'ingest'> & {
  registry: RegistryModule
  sites: SitesModule
  /** Quarantined events that a change of a contract would let pass. */
  held: QuarantinedEvents
  sendNotice: SendNotice
  /** Resolves when what was acknowledged can be read, or with false when that takes too long. */
  flush: (timeoutMs: number) => Promise<boolean>
}

/** How people change the registry: contracts, mappings, elements, back-fills of history. */
export function createRegistryAdministration(platform: Platform, needs: Needs): Module {
  const { sites, flush } = needs
  const { registry, elements, overlays } = needs.registry
  const backfills = createBackfills({ ...platform, registry, overlays, flush })
  const all = { ...platform, ...needs, registry, elements, overlays, backfills }
  const served = { ...all, sites: sites.known, requireSite: sites.requireSite }
  return {
    routes: (plane) => {
      registryRoutes(plane, served)
      mappingRoutes(plane, served)
      catalogRoutes(plane, served)
    },
    resume: () => backfills.resume(),
    close: () => backfills.close(),
  }
}
