import {
  answersOf,
  ingestLimits,
  isRecord,
  type ProblemSlug,
  problems,
  problemsOf,
  type RouteShape,
} from '@assay/contract'
import { hangMs, type Reply } from './connection.ts'
import type { HostileRequest } from './request.ts'

/** Where 503 is an answer that is meant, and why. */
const busyRoutes: Readonly<Record<string, string>> = {
  requestMagicLink: 'a thousand that wait are enough',
  getReceipt: 'the events store may be behind',
  releaseQuarantined: 'the events store may be behind',
  discardQuarantined: 'the events store may be behind',
  startBackfill: 'the events store may be behind',
  createContract: 'the events store may be behind, so the quarantine is uncertain',
}

/** A verdict names each issue, and an answer repeats ids; more than this a request cannot make of itself. */
const answerFactorMax = 6
const answerBytesFree = 32 * 1024
/** A refusal says what is wrong, not what was sent. */
const refusalBytesMax = 24 * 1024
/** No single request may hold a caller up for longer on a busy machine. */
const answerMsMax = 60_000

/** What is wrong with an answer, or null: nothing may be answered that is not documented. */
export function faultOf(request: HostileRequest, reply: Reply): string | null {
  if (reply.status === 0) return faultOfSilence(request, reply)
  if (reply.ms > answerMsMax) return `took ${Math.round(reply.ms)} ms`
  if (reply.status < 400) return faultOfSuccess(request, reply)
  return faultOfRefusal(request, reply)
}

/**
 * A body over the limit is refused before it has been read, and a client that still writes may miss the
 * answer.
 */
function faultOfSilence({ body }: HostileRequest, reply: Reply): string | null {
  const bytes = body === undefined ? 0 : Buffer.byteLength(body)
  if (bytes > ingestLimits.bodyBytesMax && reply.ms < hangMs) return null
  return `no answer: ${reply.text}`
}

function faultOfSuccess({ route, body, path }: HostileRequest, { status, bytes }: Reply): string | null {
  const expected = [...answersOf(route).map(({ status }) => status), 304]
  if (!expected.includes(status)) return `answered ${status}, which is not documented`
  if (route.plane !== 'data') return null
  const sent = path.length + (body === undefined ? 0 : Buffer.byteLength(body))
  const isOver = bytes > answerBytesFree + answerFactorMax * sent
  return isOver ? `answered ${bytes} bytes to ${sent}` : null
}

function faultOfRefusal(request: HostileRequest, { status, contentType, text, bytes }: Reply): string | null {
  if (!contentType.startsWith('application/problem+json')) return `answered ${status} as ${contentType}`
  const slug = slugOf(text)
  if (slug === null) return `answered ${status} without a known type`
  if (problems[slug].status !== status) return `answered ${status} as ${slug}`
  if (slug === 'internal') return 'answered 500'
  if (slug === 'unavailable' && !mayBeBusy(request)) return 'answered 503'
  if (!isDocumented(request, slug)) return `answered ${slug}, which is not documented`
  return bytes > refusalBytesMax ? `refused with ${bytes} bytes` : null
}

/** A workspace that is being filled says so, and reads take turns. */
function mayBeBusy({ route, as }: HostileRequest): boolean {
  return busyRoutes[route.id] !== undefined || as === 'spareLive' || route.fresh !== undefined
}

/** What stands in a path may make it another path, which is documented as little as any that does not exist. */
function isDocumented({ route, label }: HostileRequest, slug: ProblemSlug): boolean {
  const elsewhere = label.startsWith(':') || label.startsWith('path') || label.startsWith('method')
  if (elsewhere && ['not-found', 'method-not-allowed', 'unauthenticated'].includes(slug)) return true
  return documentedFor(route).has(slug)
}

const documented = new Map<string, ReadonlySet<ProblemSlug>>()

function documentedFor(route: RouteShape): ReadonlySet<ProblemSlug> {
  const known = documented.get(route.id) ?? new Set(problemsOf(route))
  documented.set(route.id, known)
  return known
}

function slugOf(text: string): ProblemSlug | null {
  const body: unknown = JSON.parse(text)
  const type = isRecord(body) && typeof body.type === 'string' ? body.type : ''
  const slug = type.split(/[/#]/).pop() ?? ''
  return isSlug(slug) ? slug : null
}

function isSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problems, text)
}
