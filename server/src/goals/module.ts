import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { goalData } from './personal-data.ts'
import { goalRoutes } from './routes.ts'
import { createSiteGoals, type SiteGoals } from './site-goals.ts'

export type GoalsModule = Module & { siteGoals: SiteGoals }

/** What visitors are meant to do, besides buying, subscribing and signing up. */
export async function createGoals(
  platform: Platform,
  { sites }: { sites: SitesModule },
): Promise<GoalsModule> {
  const { control } = platform
  const siteGoals = await createSiteGoals(control)
  return {
    siteGoals,
    routes: (plane) => goalRoutes(plane, { ...platform, requireSite: sites.requireSite, siteGoals }),
    personalData: { copies: goalData(control, siteGoals) },
    workspaceGone: siteGoals.forget,
  }
}
