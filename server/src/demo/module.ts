import type { AuthModule } from '../auth/module.ts'
import type { IngestModule } from '../ingest/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import type { WorkspacesModule } from '../workspaces/module.ts'
import { createDemos, type Demos } from './demo.ts'
import { demoRoutes } from './routes.ts'

type Needs = { workspaces: WorkspacesModule; auth: AuthModule; sites: SitesModule; ingest: IngestModule }
type DemoModule = Module & { demos: Demos }

/** Workspaces with made-up traffic, to look around in. */
export function createDemo(platform: Platform, { workspaces, auth, sites, ingest }: Needs): DemoModule {
  const demos = createDemos({
    ...platform,
    sites: sites.known,
    ingest: ingest.ingest,
    closeWorkspace: workspaces.closed.close,
    userChanged: workspaces.membershipChanges.changed,
  })
  return {
    demos,
    routes: (plane) => demoRoutes(plane, { demos, signIn: auth.signIn }),
    close: () => demos.close(),
  }
}
