import type { ConsentModule } from '../consent/module.ts'
import type { IdentityModule } from '../identity/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { replayJobs } from './jobs.ts'
import { replayData } from './personal-data.ts'
import { createReplays, type Replays } from './replays.ts'
import { replayRoutes } from './routes.ts'

type Needs = { sites: SitesModule; identity: IdentityModule; consent: ConsentModule }
type ReplaysModule = Module & { replays: Replays }

/** Recorded visits. */
export function createReplaysModule(
  platform: Platform,
  { sites: { known, requireSite }, identity: { people }, consent: { consents } }: Needs,
): ReplaysModule {
  const retentionDays = platform.config.replayDays
  const replays = createReplays({ ...platform, people, consents, retentionDays })
  return {
    replays,
    routes: (plane) => replayRoutes(plane, { replays, sites: known, requireSite }),
    jobs: ({ removalNowMs }) => replayJobs({ replays, removalNowMs }),
    personalData: { copies: replayData(platform.control, replays) },
  }
}
