import type { AnalyticsModule } from '../analytics/module.ts'
import type { ConsentModule } from '../consent/module.ts'
import type { IdentityModule } from '../identity/module.ts'
import type { IngestModule } from '../ingest/module.ts'
import { erasureStages, type Module } from '../platform/module.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { Platform } from '../platform/platform.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { privacyJobs } from './jobs.ts'
import { archiveData, requestData } from './personal-data.ts'
import { createPrivacy, type Privacy } from './privacy.ts'
import { eventRetentionRoutes } from './retention/routes.ts'
import { privacyRoutes } from './routes.ts'

type Needs = {
  identity: IdentityModule
  consent: ConsentModule
  ingest: IngestModule
  analytics: AnalyticsModule
  sendNotice: SendNotice
  /** All others, for what they store of people. */
  modules: readonly Module[]
}
type PrivacyModule = Module & { privacy: Privacy }

/** Requests of people about their data, and how long events are kept. */
export async function createPrivacyModule(platform: Platform, needs: Needs): Promise<PrivacyModule> {
  const { config, control, files } = platform
  const own = { copies: [archiveData(control, files)], requests: requestData(control) }
  const privacy = await createPrivacy({
    ...platform,
    people: needs.identity.people,
    subjects: needs.consent.subjects,
    writer: needs.ingest.writer,
    sendNotice: needs.sendNotice,
    places: inOrder([...needs.modules, { personalData: own }]),
  })
  const { reading, evictReports, keptRows } = needs.analytics
  const retention = { ...reading, evictReports, keptRows }
  return {
    privacy,
    routes: (plane) => {
      privacyRoutes(plane, { ...platform, privacy })
      eventRetentionRoutes(plane, { ...reading, allowed: config })
    },
    jobs: () => privacyJobs({ ...retention, privacy, logger: platform.logger }),
    personalData: own,
    stop: () => privacy.stop(),
  }
}

/** Every place that holds something of people, in the order in which they are emptied. */
function inOrder(modules: readonly Module[]): PersonalDataPlace[] {
  return erasureStages.flatMap((stage) => modules.flatMap(({ personalData }) => personalData?.[stage] ?? []))
}
