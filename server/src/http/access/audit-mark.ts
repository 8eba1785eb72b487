import { type AuditMark, isRecord, Problem, pathParameters, type RouteShape } from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { Principal, SignedIn } from './principal.ts'

/** One action of a caller, as far as it is known. */
export type Act = {
  workspaceId: string
  caller: Principal
  action: AuditMark['action']
  objectId: string
  details: Record<string, unknown>
  request: FastifyRequest
}

/** What a handler knows of its action beyond body and answer. */
export type Notes = {
  /** The workspace of the action, if it is not the caller's. */
  workspaceId?: string
  objectId?: string
  details: Record<string, unknown>
}

type ActResult = 'done' | 'unconfirmed' | 'refused'

/** The audit log. It gets an entry before an action begins, so that none can end unrecorded. */
export type AuditTrail = {
  begin: (act: Act) => Promise<(result: ActResult, act: Act) => Promise<void>>
}

type AuditedCall = {
  params: unknown
  query: unknown
  body: unknown
  caller: Principal | SignedIn | null
  request: FastifyRequest
}

/**
 * Runs a handler whose action must be audited. A refusal changed nothing; the effect of any other failure is
 * unknown, and the entry says so.
 */
export async function audited<Answer>(
  trail: AuditTrail,
  route: RouteShape & { audit: AuditMark },
  call: AuditedCall,
  notes: Notes,
  handle: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const { caller } = call
  if (caller === null || caller.kind === 'signedIn') {
    throw new Error(`${route.id} is audited, and its caller is in no workspace: let its rule record the act`)
  }
  if (isDryRun(call.body)) return handle()
  const finish = await trail.begin(describe(route, call, caller, notes, undefined))
  let answer: Answer
  try {
    answer = await handle()
  } catch (error) {
    const wasRefused = error instanceof Problem && error.status < 500
    await finish(wasRefused ? 'refused' : 'unconfirmed', describe(route, call, caller, notes, undefined))
    throw error
  }
  await finish('done', describe(route, call, caller, notes, answer))
  return answer
}

/** Surface B writes `dry_run`, the others `dryRun`. */
export function isDryRun(body: unknown): boolean {
  return isRecord(body) && (body.dry_run === true || body.dryRun === true)
}

function describe(
  route: RouteShape & { audit: AuditMark },
  { params, query, body, request }: AuditedCall,
  caller: Principal,
  notes: Notes,
  answer: unknown,
): Act {
  const { action, details = [] } = route.audit
  const workspaceId = notes.workspaceId ?? caller.workspaceId
  const inPath = pathParameters(route.path).at(-1)
  return {
    workspaceId,
    caller,
    action,
    objectId: notes.objectId ?? textOf(params, inPath) ?? textOf(answer, 'id', 'key') ?? workspaceId,
    details: { ...pick(details, [body, query, answer]), ...notes.details },
    request,
  }
}

function pick(names: readonly string[], sources: readonly unknown[]): Record<string, unknown> {
  const found = names.map((name): [string, unknown] => {
    const source = sources.find((one) => isRecord(one) && one[name] !== undefined)
    return [name, isRecord(source) ? source[name] : undefined]
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function textOf(source: unknown, ...names: readonly (string | undefined)[]): string | undefined {
  if (!isRecord(source)) return undefined
  const found = names.map((name) => (name === undefined ? undefined : source[name]))
  return found.find((value) => typeof value === 'string')
}
