import {
  answersOf,
  type FreshNames,
  type Made,
  Problem,
  type RouteShape,
  siteBindingOf,
  takesDryRun,
} from '@assay/contract'
import type { FastifyReply } from 'fastify'
import { guards } from './access/admission.ts'
import { audited, isDryRun } from './access/audit-mark.ts'
import { type Bound, forNothing, isElsewhere, withinSite } from './access/bound-key.ts'
import { requirePeopleScope } from './access/people-scope.ts'
import { openRead } from './fresh-read.ts'
import { storableBody } from './input/storable-body.ts'
import { type Call, isServedOn, type Plane } from './plane.ts'

export { chargeGuess, chargeSent, showAllowance } from './limits/charges.ts'
export { type Call, isServedOn, type Plane } from './plane.ts'

/** The answer; or the reply itself if it was already sent, such as 304. */
type Handler<R extends RouteShape> = (call: Call<R>) => Promise<Made<R> | FastifyReply> | Made<R>

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

/** A dry run creates nothing, so it answers 200 where the call itself answers 201 or 202. */
function isTried(route: RouteShape, body: unknown): boolean {
  return takesDryRun(route) && isDryRun(body)
}
