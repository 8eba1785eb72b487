import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { createSiteCurrencies, type SiteCurrencies } from './currencies.ts'
import { exchangeRateRoutes } from './exchange-rate-routes.ts'
import { createRates, type Rates } from './exchange-rates.ts'
import { siteRoutes } from './routes.ts'
import { createSites, type RequireSite, requireSite, type Sites } from './sites.ts'

type Needs = { isClosed: (workspaceId: string) => boolean }
export type SitesModule = Module & {
  known: Sites
  requireSite: RequireSite
  /** What workspaces say other currencies are worth. */
  rates: Rates
  currencies: SiteCurrencies
}

/** The sites of a workspace, their settings, and in which currency their money is shown. */
export async function createSitesModule(platform: Platform, { isClosed }: Needs): Promise<SitesModule> {
  const { control } = platform
  const known = await createSites(control, isClosed)
  const rates = await createRates(control)
  const currencies = createSiteCurrencies(control)
  currencies.onTaken(known.changed)
  return {
    known,
    requireSite: (workspaceId, siteId) => requireSite(known, workspaceId, siteId),
    rates,
    currencies,
    routes: (plane) => {
      siteRoutes(plane, { ...platform, sites: known })
      exchangeRateRoutes(plane, { ...platform, rates })
    },
    workspaceGone: (workspaceId) => {
      rates.forget(workspaceId)
      known.forgetWorkspace(workspaceId)
    },
  }
}
