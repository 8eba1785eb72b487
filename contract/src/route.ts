import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Scope } from './credentials.ts'
import { isRecord } from './gate/raw-event.ts'
import { commonProblems, type ProblemSlug } from './problems.ts'
import { type FreshNames, type FreshOf, freshShapes } from './reads.ts'
import type { OtherClient } from './vendors/index.ts'

/**
 * Who may call a route.
 * - `open`: anyone. `siteToken`: the body contains the site's token.
 * - `send`: any key that may send events. `vendor`: a signature over the body.
 * - `record`: any key that may send events, as with `send`, and people within their role.
 * - `read`, `write`: secret keys within their scopes, and people within their role; a read-only key only
 *   reads.
 * - `person`: any signed-in person, for what is theirs rather than a workspace's.
 */
type Access = 'open' | 'siteToken' | 'send' | 'record' | 'vendor' | 'read' | 'write' | 'person'

/** Which rate limit a call counts towards. `ingest` counts events, not calls. */
export type RateClass =
  | 'none'
  | 'open'
  | 'ingest'
  | 'apiRead'
  | 'apiWrite'
  | 'controlRead'
  | 'controlWrite'
  /** Attempts to sign in, by source address. */
  | 'signIn'
  /** Calls of a signed-in person, regardless of the class of the route. */
  | 'person'

/** What a successful call writes to the audit log. */
export type AuditMark = {
  /** The type of the object, a dot, and what happened to it. */
  action: `${string}.${string}`
  /** Members of the body, or else of the answer, stored with the entry. Never a secret. */
  details?: readonly string[]
  /** The rule behind the route writes the entry itself, in the transaction of the change. */
  byRule?: true
}

export type Success<Body extends TSchema | null = TSchema | null> = {
  status: 200 | 201 | 202 | 204 | 302
  body: Body
}

export type RouteShape = {
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in the specifications: `/api/v1/sites/:id`. */
  path: string
  plane: 'data' | 'control'
  /** The other plane, if the route is served on both. */
  alsoOn?: 'data' | 'control'
  access: Access
  scope?: Scope
  /** Another scope that also grants access. */
  orScope?: Scope
  /** A scope that is needed besides. */
  andScope?: Scope
  rate: RateClass
  tag: string
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  body?: TSchema
  /** The body is passed on unvalidated, because the gate must see what was sent. */
  rawBody?: boolean
  /** The request is that of another tool's client, and is translated into a batch before anything reads it. */
  client?: OtherClient
  /** The body contains events or parts of them, which may have any texts: the gate validates them. */
  holdsEvents?: true
  success: Success
  /**
   * It reads stored events: the answer says how fresh they are, in members of this spelling. See reads.ts.
   */
  fresh?: FreshNames
  /** Can also answer text/csv. */
  csv?: true
  /** Another success in some cases, such as a dry run that does not start a job. */
  otherSuccess?: Success
  /** Everything that changes access, contracts, policies, settings or people is audited. Dry runs are not. */
  audit?: AuditMark
  /** It changes what reads answer about stored events, so cached reports of the workspace are dropped. */
  invalidates?: 'reports'
  /** Problems of this route besides the common ones. */
  problems: readonly ProblemSlug[]
}

type Part<Shape> = Shape extends TSchema ? Static<Shape> : undefined
export type Input<R extends RouteShape> = {
  params: Part<R['params']>
  query: Part<R['query']>
  body: Part<R['body']>
}
/** What the handler returns; the freshness is added by the HTTP layer. */
export type Made<R extends RouteShape> =
  | Part<R['success']['body']>
  | (R extends { otherSuccess: Success } ? Part<R['otherSuccess']['body']> : never)
export type Output<R extends RouteShape> = Made<R> &
  (R extends { fresh: infer Names extends FreshNames } ? FreshOf<Names> : unknown)

/**
 * The input of a call: only the parts that the route has. Distributes over unions, because the combined parts
 * of all routes are more than the compiler can handle.
 */
export type CallInput<R extends RouteShape> = R extends RouteShape ? InputOf<R> : never
type InputOf<R extends RouteShape> = (R extends { params: TObject }
  ? { params: Static<R['params']> }
  : object) &
  (R extends { query: TObject } ? { query: Static<R['query']> } : object) &
  (R extends { body: TSchema } ? { body: Static<R['body']> } : object)

/** Declares a route. Validation, types, OpenAPI, client and tests are derived from it. */
export function route<const R extends RouteShape>(definition: R): R {
  return definition
}

/**
 * All problems of a route, including those of workspaces that the caller cannot see or that are being
 * deleted.
 */
export function problemsOf(route: RouteShape): readonly ProblemSlug[] {
  const ofPeople = problemsOfPeople[route.access] ?? []
  return [...new Set([...route.problems, ...commonProblems, ...ofPeople])]
}

/** Whether a call supports a dry run: surface B writes `dry_run`, the others `dryRun`. */
export function takesDryRun({ body }: Pick<RouteShape, 'body'>): boolean {
  const properties: unknown = body !== undefined && 'properties' in body ? body.properties : null
  return isRecord(properties) && ('dry_run' in properties || 'dryRun' in properties)
}

/** All success answers of a route. A dry run creates nothing, so it answers 200. */
export function answersOf(route: RouteShape): readonly Success[] {
  const { otherSuccess } = route
  const success = withFreshness(route)
  if (otherSuccess !== undefined) return [success, otherSuccess]
  const isMade = success.status === 201 || success.status === 202
  return isMade && takesDryRun(route) ? [success, { ...success, status: 200 }] : [success]
}

function withFreshness({ success, fresh }: RouteShape): Success {
  const { status, body } = success
  if (fresh === undefined || body === null) return success
  const added = freshShapes[fresh]
  if (!Type.IsObject(body)) return { status, body: Type.Intersect([body, added]) }
  const { type: _type, required: _required, properties, ...options } = body
  return { status, body: Type.Object({ ...properties, ...added.properties }, options) }
}

const problemsOfPeople: Partial<Record<Access, readonly ProblemSlug[]>> = {
  read: ['not-found'],
  write: ['not-found', 'conflict'],
  record: ['not-found', 'conflict'],
}

/** Whether keys that only send events may call it. */
export function takesSenders({ access }: Pick<RouteShape, 'access'>): boolean {
  return access === 'send' || access === 'record'
}

/** Path parameters of `/a/:id/b`, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z_]+)/g)].map((match) => match[1] ?? '')
}
