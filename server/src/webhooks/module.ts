import type { IngestModule } from '../ingest/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { RegistryModule } from '../registry/module.ts'
import type { SitesModule } from '../sites/module.ts'
import { webhookJobs } from './jobs.ts'
import { webhookData } from './personal-data.ts'
import { webhookRoutes } from './routes.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

type Needs = { sites: SitesModule; registry: RegistryModule; ingest: IngestModule }
type WebhooksModule = Module & { webhooks: Webhooks }

/** What payment vendors and other systems report, verified and turned into events. */
export async function createWebhooksModule(
  platform: Platform,
  { sites, registry: { registry }, ingest: { ingest } }: Needs,
): Promise<WebhooksModule> {
  const webhooks = await createWebhooks({ ...platform, sites: sites.known, registry, ingest })
  return {
    webhooks,
    routes: (plane) => webhookRoutes(plane, { ...platform, webhooks, requireSite: sites.requireSite }),
    jobs: () => webhookJobs({ webhooks }),
    personalData: { copies: webhookData(platform.control) },
  }
}
