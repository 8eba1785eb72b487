import type { Plane } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Auth } from './auth.ts'
import { keyRoutes } from './keys/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { oauthRoutes } from './sign-in/oauth-routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

export function authRoutes(plane: Plane, needs: Platform & Auth & { requireSite: RequireSite }): void {
  keyRoutes(plane, needs)
  signInRoutes(plane, needs)
  oauthRoutes(plane, needs)
  sessionRoutes(plane, needs)
}
