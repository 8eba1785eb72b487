import type { ConsentModule } from '../consent/module.ts'
import type { IngestModule } from '../ingest/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { RegistryModule } from '../registry/module.ts'
import type { SitesModule } from '../sites/module.ts'
import { createDecisions, type Decisions } from './decisions.ts'
import { quarantineJobs } from './jobs.ts'
import { quarantineRoutes } from './routes.ts'

type Needs = { sites: SitesModule; registry: RegistryModule; consent: ConsentModule; ingest: IngestModule }
type QuarantineModule = Module & { decisions: Decisions }

/** Events that wait for a decision: to be released through the gate again, or discarded. */
export function createQuarantine(platform: Platform, needs: Needs): QuarantineModule {
  const { ingest, writer } = needs.ingest
  const { registry } = needs.registry
  const { consents } = needs.consent
  const decisions = createDecisions({
    ...platform,
    sites: needs.sites.known,
    registry,
    consents,
    ingest,
    writer,
  })
  return {
    decisions,
    routes: (plane) => quarantineRoutes(plane, { ...platform, quarantine: decisions }),
    jobs: ({ removalNowMs }) => quarantineJobs({ ...platform, removalNowMs }),
  }
}
