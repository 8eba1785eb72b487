import type { AuditMark, FreshNames, Input, RouteShape } from '@assay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditTrail, Notes } from './access/audit-mark.ts'
import type { SiteOf } from './access/bound-key.ts'
import type { CookieSettings, FindPerson } from './access/person.ts'
import type { FindKey, KeyPrincipal, Principal, SignedIn } from './access/principal.ts'
import type { Freshness, FreshRead } from './fresh-read.ts'
import type { Limits } from './limits/limits.ts'
import type { ReadTurns } from './limits/read-turns.ts'

/** Where routes are mounted: one HTTP application, and what is needed to authorise a caller. */
export type Plane = {
  app: FastifyInstance
  planes: readonly RouteShape['plane'][]
  findKey: FindKey
  findPerson: FindPerson
  cookies: CookieSettings
  limits: Limits
  audit: AuditTrail
  /** Drops cached reports of a workspace, on every node. */
  evictReports: (workspaceId: string) => Promise<void>
  /** The site of an object that a route names by its id, for keys that are bound to a site. */
  siteOf: SiteOf
  /** Whether a workspace is being deleted: its members may still read, but change nothing. */
  isClosed: (workspaceId: string) => boolean
  freshness: Freshness
  /** One for all planes of the process. */
  readTurns: ReadTurns
  /** Whether an import is being applied to a workspace: no one may see half of it. */
  isFilling: (workspaceId: string) => boolean
}

type Callers = {
  open: null
  siteToken: null
  vendor: null
  send: KeyPrincipal
  record: Principal
  read: Principal
  write: Principal
  person: SignedIn
}
type CallerOf<R extends RouteShape> = Callers[R['access']]

export type Call<R extends RouteShape> = Input<R> & {
  caller: CallerOf<R>
  /** What the audit log cannot read from body and answer. */
  notes: R extends { audit: { byRule: true } }
    ? undefined
    : R extends { audit: AuditMark }
      ? Notes
      : undefined
  /** Freshness of the answer. */
  read: R extends { fresh: FreshNames } ? FreshRead : undefined
  request: FastifyRequest
  reply: FastifyReply
}

export function isServedOn({ planes }: Pick<Plane, 'planes'>, { plane, alsoOn }: RouteShape): boolean {
  return planes.includes(plane) || (alsoOn !== undefined && planes.includes(alsoOn))
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Principal | SignedIn | null
  }
  interface FastifyContextConfig {
    /** The declared route; pages, files and probes have none. */
    declared?: RouteShape
  }
}
