import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Scope } from './credentials.ts'
import { isRecord } from './gate/raw-event.ts'
import { commonProblems, type ProblemSlug } from './problems.ts'
import { type FreshNames, type FreshOf, freshShapes } from './reads.ts'

/**
 * Who may call a route.
 * - `open`: anyone. `siteToken`: the body carries the site's token.
 * - `send`: any key that may hand in events. `vendor`: a signature over the body.
 * - `record`: any key that may hand in events, as with `send`, and people within their role.
 * - `read`, `write`: secret keys within their scopes, and people within their role; a read-only key only reads.
 * - `person`: whoever is signed in, for what is theirs rather than a workspace's.
 */
export type Access = 'open' | 'siteToken' | 'send' | 'record' | 'vendor' | 'read' | 'write' | 'person'

/** Which counter a call is charged to. `ingest` counts events, not calls. */
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
  /** What a signed-in person calls, whatever the class of the route. */
  | 'person'

/** What a call that succeeded leaves in the audit log. */
export type AuditMark = {
  /** The type of the object, a dot, and what happened to it. */
  action: `${string}.${string}`
  /** Members of the body, or else of the answer, that are kept with the entry. Never a secret. */
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
  /** As the seeds write it: `/api/v1/sites/:id`. */
  path: string
  plane: 'data' | 'control'
  /** The other plane, where the route is served on both. */
  alsoOn?: 'data' | 'control'
  access: Access
  scope?: Scope
  /** Another scope that lets a caller in as well. */
  orScope?: Scope
  rate: RateClass
  tag: string
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  body?: TSchema
  /** The body is handed over unjudged, since the gate must see what was sent. */
  rawBody?: boolean
  /** The body holds events or parts of them, whose texts may be any: the gate judges them as it would elsewhere. */
  holdsEvents?: true
  success: Success
  /** It reads stored events: the answer says how far they reach, in members that are named so. See reads.ts. */
  fresh?: FreshNames
  /** Answers text/csv too, where it is asked for. */
  csv?: true
  /** What it answers instead in some cases, such as a dry run that does not start a job. */
  otherSuccess?: Success
  /** Everything that changes access, contracts, policies, settings or people is written down. Dry runs are not. */
  audit?: AuditMark
  /** It changes what reads say of events that are stored already, so cached reports of the workspace are dropped. */
  invalidates?: 'reports'
  /** What this route may answer beyond the common problems. */
  problems: readonly ProblemSlug[]
}

type Part<Shape> = Shape extends TSchema ? Static<Shape> : undefined
export type Input<R extends RouteShape> = {
  params: Part<R['params']>
  query: Part<R['query']>
  body: Part<R['body']>
}
/** What serves the route answers; how fresh it is, the edge adds. */
export type Made<R extends RouteShape> =
  | Part<R['success']['body']>
  | (R extends { otherSuccess: Success } ? Part<R['otherSuccess']['body']> : never)
export type Output<R extends RouteShape> = Made<R> &
  (R extends { fresh: infer Names extends FreshNames } ? FreshOf<Names> : unknown)

/**
 * What a caller writes: only the parts that the route has. One route at a time, also where any of many is meant: the
 * parts of all routes crossed with each other would be more than the compiler can hold.
 */
export type CallInput<R extends RouteShape> = R extends RouteShape ? InputOf<R> : never
type InputOf<R extends RouteShape> = (R extends { params: TObject }
  ? { params: Static<R['params']> }
  : object) &
  (R extends { query: TObject } ? { query: Static<R['query']> } : object) &
  (R extends { body: TSchema } ? { body: Static<R['body']> } : object)

/** Declares a route. Everything else (validation, types, OpenAPI, client, tests) is derived from the value. */
export function route<const R extends RouteShape>(definition: R): R {
  return definition
}

/**
 * Everything that a route may answer: a person may name a workspace that is not there for them, or want to change
 * something in one that is going to be deleted.
 */
export function problemsOf(route: RouteShape): readonly ProblemSlug[] {
  const ofPeople = problemsOfPeople[route.access] ?? []
  return [...new Set([...route.problems, ...commonProblems, ...ofPeople])]
}

/** Whether a call can be tried out: surface B says `dry_run`, the others `dryRun`. */
export function takesDryRun({ body }: Pick<RouteShape, 'body'>): boolean {
  const properties: unknown = body !== undefined && 'properties' in body ? body.properties : null
  return isRecord(properties) && ('dry_run' in properties || 'dryRun' in properties)
}

/** Every success that a route may answer with. Nothing was made by a dry run, so it is 200. */
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
