import { checkInstallation, installationLimits, Problem } from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { RequireSite } from '../sites/sites.ts'
import { type CheckNeeds, checkSite, readAddress } from './check.ts'

export function installationRoutes(plane: Plane, deps: CheckNeeds & { requireSite: RequireSite }): void {
  let running = 0
  serve(plane, checkInstallation, async ({ body, caller }) => {
    const site = await deps.requireSite(caller.workspaceId, body.siteId)
    const url = readAddress(body.url, site.domain)
    if (running >= installationLimits.checksAtOnce) {
      throw new Problem('rate-limited', {
        detail: 'Too many checks run at this moment. Try again in a minute.',
      })
    }
    running += 1
    try {
      return await checkSite(deps, site, url)
    } finally {
      running -= 1
    }
  })
}
