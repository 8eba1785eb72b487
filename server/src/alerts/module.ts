import type { AnalyticsModule } from '../analytics/module.ts'
import { createDelivery } from '../http/outbound-address.ts'
import type { Module } from '../platform/module.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Platform } from '../platform/platform.ts'
import { openVault } from '../platform/secrets/vault.ts'
import { type AlertJobDeps, alertJobs } from './jobs.ts'
import { createSlackSeal } from './messages/channels.ts'
import { createUnsubscribeLinks } from './messages/unsubscribe.ts'
import { unsubscribePage } from './messages/unsubscribe-page.ts'
import { alertData } from './personal-data.ts'
import { alertRoutes } from './routes.ts'

type Needs = {
  analytics: AnalyticsModule
  sendNotice: SendNotice
  isClosed: (workspaceId: string) => boolean
}
type AlertsModule = Module & { alertWork: AlertJobDeps }

/** Metrics that are watched, and messages when they leave their limits and come back. */
export async function createAlerts(
  platform: Platform,
  { analytics, sendNotice, isClosed }: Needs,
): Promise<AlertsModule> {
  const { config, mailer, publicUrl } = platform
  const { reading } = analytics
  const vault = await openVault(reading.control, config)
  const slack = createSlackSeal(vault)
  const links = createUnsubscribeLinks(vault, publicUrl)
  const deliver = createDelivery(config.allowPrivateCallbacks)
  const world = { ...reading, slack, sendNotice }
  const alertWork = {
    checking: { ...world, isClosed },
    sending: { ...world, mailer, deliver, links, publicUrl },
  }
  return {
    alertWork,
    routes: (plane) => {
      alertRoutes(plane, world)
      unsubscribePage(plane, { ...reading, links })
    },
    jobs: (running) => alertJobs(alertWork, running),
    personalData: { copies: alertData(reading.control) },
  }
}
