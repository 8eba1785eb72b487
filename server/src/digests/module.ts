import type { AnalyticsModule } from '../analytics/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { openVault } from '../platform/secrets/vault.ts'
import type { ReportsModule } from '../reports/module.ts'
import { digestJobs } from './jobs.ts'
import { digestData } from './personal-data.ts'
import { digestRoutes } from './routes.ts'
import { createSending, type Sending, type SendingNeeds } from './sending/sender.ts'
import { createTestAllowance } from './sending/test-allowance.ts'
import { createUnsubscribeLinks } from './subscriptions/unsubscribe-links.ts'

type Needs = {
  analytics: AnalyticsModule
  reports: ReportsModule
  isClosed: (workspaceId: string) => boolean
}
type DigestsModule = Module & {
  sending: Sending
  /** What it sends with, for another node in tests. */
  sendingNeeds: SendingNeeds
}

/** Boards and the overview by mail, every week or month. */
export async function createDigests(
  { config, mailer, publicUrl, control }: Platform,
  { analytics: { reading }, reports: { answerQuestion }, isClosed }: Needs,
): Promise<DigestsModule> {
  const vault = await openVault(control, config)
  const links = createUnsubscribeLinks({ control, vault, publicUrl })
  const sendingNeeds = {
    ...reading,
    answerQuestion,
    mailer,
    publicUrl,
    links,
    isClosed,
  }
  const sending = createSending(sendingNeeds)
  const chargeTest = createTestAllowance(reading.now)
  return {
    sending,
    sendingNeeds,
    routes: (plane) => digestRoutes(plane, { ...sendingNeeds, sending, chargeTest }),
    jobs: (running) => digestJobs(sending, running),
    personalData: { copies: digestData(control) },
    stop: sending.stop,
  }
}
