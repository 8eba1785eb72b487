import {
  type AuditMark,
  answersOf,
  type FreshNames,
  getWorkspaceImport,
  type Input,
  type Made,
  Problem,
  type RateClass,
  type RouteShape,
  siteBindingOf,
  startWorkspaceImport,
  takesDryRun,
  takesSenders,
} from '@assay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { type AuditTrail, audited, isDryRun, type Notes } from './access/audit-mark.ts'
import { type Bound, forNothing, isElsewhere, type SiteOf, withinSite } from './access/bound-key.ts'
import { requirePeopleScope } from './access/people-scope.ts'
import { type CookieSettings, type FindPerson, identifyPerson, isAccessToken } from './access/person.ts'
import {
  authenticate,
  authorise,
  type FindKey,
  type KeyPrincipal,
  keyClassOf,
  type Principal,
  readCredential,
  type SignedIn,
} from './access/principal.ts'
import { type Freshness, type FreshRead, openRead } from './fresh-read.ts'
import { storableBody } from './input/storable-body.ts'
import { type Allowance, allowanceHeaders } from './limits/allowance.ts'
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

/** The answer; or the reply itself if it was already sent, such as 304. */
type Handler<R extends RouteShape> = (call: Call<R>) => Promise<Made<R> | FastifyReply> | Made<R>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Principal | SignedIn | null
  }
  interface FastifyContextConfig {
    /** The declared route; pages, files and probes have none. */
    declared?: RouteShape
  }
}

/**
 * Mounts a handler on a declared route: access, validation and the schema of the answer come from the
 * declaration.
 */
export function serve<R extends RouteShape>(plane: Plane, route: R, handler: Handler<R>): void {
  if (!isServedOn(plane, route)) return
  plane.app.route({
    method: route.method,
    url: route.path,
    config: { declared: route },
    schema: schemaOf(route),
    ...guards(plane, route),
    handler: async (request, reply) => {
      reply.code(isTried(route, request.body) ? 200 : route.success.status)
      // boundary: Fastify has checked params, query and body against the schemas that type them here.
      const call = {
        params: request.params,
        query: request.query,
        body: isReadByGate(route) ? request.body : storableBody(request.body),
        caller: request.caller,
        notes: route.audit && !route.audit.byRule ? { details: {} } : undefined,
        request,
        reply,
      } as Call<R>
      const { fresh } = route
      return fresh === undefined
        ? answer(plane, route, call, handler)
        : answerFresh(plane, route, fresh, call, handler)
    },
  })
}

function answer<R extends RouteShape>(
  plane: Plane,
  route: R,
  call: Call<R>,
  handler: Handler<R>,
): ReturnType<Handler<R>> {
  const { caller } = call.request
  requirePeopleScope(route, call)
  const isBound = caller?.kind === 'key' && caller.siteId !== null
  if (!isBound || siteBindingOf(route)?.by === 'rule') return answerCall(plane, route, call, handler)
  return answerBound(plane, route, call, handler, { ...caller, siteId: caller.siteId ?? '' })
}

/** A read of stored events states how fresh they are. */
async function answerFresh<R extends RouteShape>(
  plane: Plane,
  route: R,
  fresh: FreshNames,
  call: Call<R>,
  handler: Handler<R>,
): Promise<Made<R> | FastifyReply> {
  const { request, reply } = call
  const workspaceId = request.caller?.kind === 'signedIn' ? '' : (request.caller?.workspaceId ?? '')
  const { read, members } = await openRead(plane.freshness, fresh, workspaceId, request, reply)
  // boundary: the type of a call has it exactly where the route is one of these.
  const fullCall = { ...call, read } as Call<R>
  const made = await plane.readTurns.run(workspaceId, goneSignal(reply), () =>
    answer(plane, route, fullCall, handler),
  )
  // A reply is thenable: once it is sent, there is nothing to add to.
  return reply.sent ? reply : { ...made, ...members() }
}

/** Aborted when the connection closes, with or without an answer. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

export function isServedOn({ planes }: Pick<Plane, 'planes'>, { plane, alsoOn }: RouteShape): boolean {
  return planes.includes(plane) || (alsoOn !== undefined && planes.includes(alsoOn))
}

/** Events may contain anything; the gate decides. */
const isReadByGate = ({ plane, holdsEvents }: RouteShape) => plane === 'data' || holdsEvents === true

function answerCall<R extends RouteShape>(
  plane: Plane,
  route: R,
  call: Call<R>,
  handler: Handler<R>,
): ReturnType<Handler<R>> {
  const { audit, invalidates } = route
  const { notes } = call
  const answer = () =>
    audit === undefined || notes === undefined
      ? handler(call)
      : audited(plane.audit, { ...route, audit }, call, notes, () => handler(call))
  const { caller } = call.request
  if (invalidates === undefined || caller === null || caller.kind === 'signedIn' || isDryRun(call.body)) {
    return answer()
  }
  return evicting(() => plane.evictReports(caller.workspaceId), answer)
}

/** Before the caller is answered, so that their next read shows the change. A refusal changed nothing. */
async function evicting<Answer>(evict: () => Promise<void>, answer: () => Promise<Answer> | Answer) {
  let answered: Answer
  try {
    answered = await answer()
  } catch (error) {
    if (!(error instanceof Problem && error.status < 500)) await evict()
    throw error
  }
  await evict()
  return answered
}

/** For a key that is bound to a site, other sites do not exist. */
async function answerBound<R extends RouteShape>(
  plane: Plane,
  route: R,
  call: Call<R>,
  handler: Handler<R>,
  bound: Bound,
): Promise<Made<R> | FastifyReply> {
  const within = await withinSite(route, call, bound, plane.siteOf)
  const answer = await answerCall(plane, route, within, handler)
  return isElsewhere(route, answer, bound.siteId) ? handler(forNothing(route, within)) : answer
}

function schemaOf(route: RouteShape): object {
  return {
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && !route.rawBody && { body: route.body }),
    response: Object.fromEntries(
      answersOf(route).flatMap(({ status, body }) => (body ? [[status, body]] : [])),
    ),
  }
}

type Guard = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * The credential is checked before the body is read, except where it may be in the body: there a request
 * without the header waits until the body is parsed.
 */
function guards(plane: Plane, route: RouteShape): { onRequest?: Guard; preValidation?: Guard } {
  if (route.access === 'siteToken' || route.access === 'vendor') return {}
  if (route.access === 'open')
    return { onRequest: (request, reply, done) => charge(plane, route, request, reply, done) }
  const admit: Guard = (request, reply, done) => {
    const enter = (caller: Principal | SignedIn) => {
      request.caller = caller
      charge(plane, route, request, reply, done)
    }
    const refuse = (error: Error) => refuseUnknown(plane, request, reply, error, done)
    try {
      const found = identify(plane, route, request)
      if (found instanceof Promise) found.then(enter, refuse)
      else enter(found)
    } catch (error) {
      refuse(error instanceof Error ? error : new Error(String(error)))
    }
  }
  if (canBeTriedOut(route)) {
    return { onRequest: admit, preValidation: (...call) => chargeAsTried(plane, route, ...call) }
  }
  if (!takesSenders(route)) return { onRequest: admit }
  return {
    onRequest: (request, reply, done) =>
      request.headers.authorization === undefined ? done() : admit(request, reply, done),
    preValidation: (request, reply, done) => (request.caller === null ? admit(request, reply, done) : done()),
  }
}

function identify(
  { planes, findKey, findPerson, cookies }: Plane,
  route: RouteShape,
  request: FastifyRequest,
): Principal | SignedIn | Promise<Principal | SignedIn> {
  const credential = readCredential(request.headers, request.body, takesSenders(route))
  if (credential !== null && credential !== '' && !isAccessToken(credential)) {
    return authenticate(credential, findKey)
  }
  // People have no access to a separate data plane.
  const isForKeys = route.access === 'record' && !planes.includes('control')
  const asked = isForKeys ? { ...route, access: 'send' as const } : route
  return identifyPerson(request, asked, credential, findPerson, cookies)
}

/** Checks access and rate limit. */
function charge(
  plane: Plane,
  route: RouteShape,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  try {
    // First, so that a refused call counts too, and its headers show the same limit.
    const rate = canBeTriedOut(route) ? 'none' : route.rate
    showAllowance(reply, chargeCaller(plane.limits, rate, request))
    if (request.caller !== null) authorise(request.caller, route)
    requireOpenWorkspace(plane, route, request.caller)
    requireWholeWorkspace(plane, route, request.caller)
    done()
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}

function requireOpenWorkspace(
  { isClosed }: Plane,
  route: RouteShape,
  caller: FastifyRequest['caller'],
): void {
  const isChange = route.access === 'write' || route.access === 'record'
  if (caller?.kind !== 'person' || !isChange || !isClosed(caller.workspaceId)) return
  throw new Problem('conflict', {
    detail: 'This workspace is scheduled for deletion. Cancel the deletion before you change anything.',
  })
}

/** The importer may still read the progress, and resume by starting the same import again. */
function requireWholeWorkspace(
  { isFilling }: Plane,
  route: RouteShape,
  caller: FastifyRequest['caller'],
): void {
  if (caller === null || caller.kind === 'signedIn' || !isFilling(caller.workspaceId)) return
  if (route.id === getWorkspaceImport.id || route.id === startWorkspaceImport.id) return
  throw new Problem('unavailable', {
    detail: 'An import is being put into this workspace.',
    headers: { 'retry-after': '5' },
  })
}

/**
 * A key is charged by the class of the route, a person for all calls together, anyone else by source address.
 */
function chargeCaller(
  limits: Limits,
  rate: RateClass,
  { caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>,
): Allowance | null {
  if (caller === null) return limits.charge(rate, ip)
  if (caller.kind === 'key') return limits.charge(rate, caller.keyId)
  return limits.charge(rate === 'none' ? rate : 'person', caller.userId)
}

/**
 * Decisions §2: on the control plane a dry run counts as a read, and only the body says whether it is one.
 */
function canBeTriedOut(route: RouteShape): boolean {
  return route.rate === 'controlWrite' && takesDryRun(route)
}

/** A dry run creates nothing, so it answers 200 where the call itself answers 201 or 202. */
function isTried(route: RouteShape, body: unknown): boolean {
  return takesDryRun(route) && isDryRun(body)
}

function chargeAsTried(
  plane: Plane,
  route: RouteShape,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const rate: RateClass = isDryRun(request.body) ? 'controlRead' : route.rate
  try {
    showAllowance(reply, chargeCaller(plane.limits, rate, request))
    done()
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Guesses of keys are charged to the source address, so that they reach a limit too. */
function refuseUnknown(
  plane: Plane,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Error,
  done: HookHandlerDoneFunction,
): void {
  try {
    showAllowance(reply, plane.limits.charge('open', request.ip))
    done(refusal)
  } catch (error) {
    done(error instanceof Error ? error : refusal)
  }
}

/** Events sent by a key are charged to the site, and to the address if anyone could have sent them. */
export function chargeSent(
  { limits }: Plane,
  caller: Principal,
  { ip }: Pick<FastifyRequest, 'ip'>,
  siteId: string,
  events: number,
): Allowance | null {
  // A person's calls were already charged when they were authorised.
  if (caller.kind === 'person') return null
  return limits.chargeEvents({ keyClass: keyClassOf(caller), address: ip }, [[siteId, events]])
}

/** Guesses of tokens or addresses are charged to the limit of unknown callers. */
export function chargeGuess(
  { limits }: Plane,
  { ip }: Pick<FastifyRequest, 'ip'>,
  reply: FastifyReply,
): void {
  showAllowance(reply, limits.charge('open', ip))
}

export function showAllowance(reply: FastifyReply, allowance: Allowance | null): void {
  if (allowance !== null) reply.headers(allowanceHeaders(allowance))
}
