import type { GoalsModule } from '../goals/module.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { IdentityModule } from '../identity/module.ts'
import type { MatchPeople } from '../identity/people-list/filter.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { RegistryModule } from '../registry/module.ts'
import type { SitesModule } from '../sites/module.ts'
import { type Answers, createAnswers } from './answers.ts'
import { createReportEviction } from './cache/large-reads.ts'
import { createReportCache, type ReportCache } from './cache/report-cache.ts'
import { analyticsJobs } from './jobs.ts'
import { createKeptRows, type KeptRows } from './kept-rows/kept-rows.ts'
import { rowFiles, rowFolder } from './kept-rows/personal-data.ts'
import { createMatching } from './people-filter.ts'
import type { ReadingDeps } from './report-query.ts'
import { analyticsRoutes } from './routes.ts'
import { createComputeWorker } from './sequences/compute-worker.ts'
import { createFigures } from './tally/figures.ts'
import { rowBounds } from './tally/row-bounds.ts'

type Needs = {
  sites: SitesModule
  identity: IdentityModule
  registry: RegistryModule
  goals: GoalsModule
  freshness: Freshness
}
export type AnalyticsModule = Module & {
  /** What every report reads with. */
  reading: ReadingDeps
  kept: ReportCache
  /** What routes answer, for what is saved of them. */
  answers: Answers
  /** Finds people by filters. */
  matchPeople: MatchPeople
  /** Evicts cached reports of a workspace, on every node. */
  evictReports: (workspaceId: string) => Promise<void>
  /** Columns of events that reports are counted from. */
  keptRows: KeptRows
}

/** What happens on a site: overview, live, funnels, flow, journeys, retention. */
export async function createAnalytics(platform: Platform, needs: Needs): Promise<AnalyticsModule> {
  const { sites, identity, registry, freshness } = needs
  const { config, control, now, failures } = platform
  const { people } = identity
  const { overlays, superseded } = registry
  const { known, requireSite, rates } = sites
  const { siteGoals } = needs.goals
  const computeWorker = createComputeWorker()
  // Another node would not know what lies here.
  const files = control.shared
    ? undefined
    : {
        folder: `${config.dataDir}/${rowFolder}`,
        onFailure: (error: unknown) => failures.report('kept rows', error),
      }
  const keptRows = createKeptRows(platform, computeWorker, { ...rowBounds, files })
  const readKept = keptRows.read
  const read = {
    sites: known,
    requireSite,
    rates,
    overlays,
    superseded,
    people,
    siteGoals,
    freshness,
    readKept,
  }
  const reading = { ...platform, ...read }
  const kept = createReportCache(now, (error) => failures.report('cached reports', error))
  const evictReports = await createReportEviction(control, kept)
  const readFigures = createFigures(platform, { computeWorker, readKept })
  const answering = { ...reading, kept, computeWorker, readFigures }
  const answers = createAnswers(answering)
  return {
    reading,
    kept,
    answers,
    matchPeople: createMatching(reading),
    evictReports,
    keptRows,
    routes: (plane) => analyticsRoutes(plane, { ...answering, answers, registry: registry.registry }),
    jobs: () => analyticsJobs({ kept }),
    // A path can hold a name, so what was read before goes with the person.
    personalData: {
      caches: [
        { kind: 'memory', name: 'kept_answers', erase: evictReports },
        { kind: 'memory', name: 'kept_rows', erase: keptRows.forget },
        rowFiles(keptRows),
      ],
    },
    workspaceGone: (workspaceId) => {
      kept.forget(`${workspaceId} `)
      keptRows.forget(workspaceId).catch((error: unknown) => failures.report('kept rows', error))
    },
    close: async () => {
      await kept.close()
      await keptRows.save()
      await computeWorker.close()
    },
  }
}
