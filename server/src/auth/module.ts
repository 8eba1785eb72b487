import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import type { WorkspacesModule } from '../workspaces/module.ts'
import { type Auth, openAuth } from './auth.ts'
import { authJobs } from './jobs.ts'
import { authRoutes } from './routes.ts'

type Needs = { sites: SitesModule; workspaces: WorkspacesModule }
export type AuthModule = Module & Auth

/** Who calls: API keys, sessions of people, and how people sign in. */
export async function createAuth(platform: Platform, { sites, workspaces }: Needs): Promise<AuthModule> {
  const auth = await openAuth(platform, workspaces.closed.has)
  const { keyRing, sessions, signIn } = auth
  workspaces.membershipChanges.onChanged(sessions.userChanged)
  return {
    ...auth,
    routes: (plane) => authRoutes(plane, { ...platform, ...auth, requireSite: sites.requireSite }),
    jobs: () => authJobs(auth),
    workspaceGone: (workspaceId) => keyRing.forgetWorkspace(workspaceId),
    close: async () => {
      await sessions.saveUse()
      await keyRing.saveUse()
      await signIn.close()
    },
  }
}
