import {
  getWorkspaceImport,
  Problem,
  type RateClass,
  type RouteShape,
  startWorkspaceImport,
  takesSenders,
} from '@assay/contract'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { canBeTriedOut, chargeCaller, showAllowance } from '../limits/charges.ts'
import type { Plane } from '../plane.ts'
import { isDryRun } from './audit-mark.ts'
import { identifyPerson, isAccessToken } from './person.ts'
import { authenticate, authorise, type Principal, readCredential, type SignedIn } from './principal.ts'

type Guard = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * The credential is checked before the body is read, except where it may be in the body: there a request
 * without the header waits until the body is parsed.
 */
export function guards(plane: Plane, route: RouteShape): { onRequest?: Guard; preValidation?: Guard } {
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
