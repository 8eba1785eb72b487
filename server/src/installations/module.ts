import { installationLimits } from '@assay/contract'
import type { AuthModule } from '../auth/module.ts'
import { createPageFetch } from '../http/page-fetch.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { installationRoutes } from './routes.ts'

type Needs = { sites: SitesModule; auth: AuthModule }

/** Whether the tag of a site is in its pages and works there. */
export function createInstallations(platform: Platform, { sites, auth }: Needs): Module {
  const { pageBytesMax, redirectsMax, fetchSeconds } = installationLimits
  const bounds = { bytesMax: pageBytesMax, redirectsMax, timeoutMs: fetchSeconds * 1_000 }
  const fetchPage = createPageFetch(platform.config.allowPrivateCallbacks, bounds)
  const needs = { ...platform, fetchPage, sites: sites.known, keyFacts: auth.keyRing.facts }
  return { routes: (plane) => installationRoutes(plane, { ...needs, requireSite: sites.requireSite }) }
}
