import { type Bound, boundIssues, Problem } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Allowance } from '../http/limits/allowance.ts'
import { type Plane, showAllowance } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import { batchText, strictRefusal, trackRefusal, trackText } from './answers.ts'
import type { Delivery } from './decode.ts'
import type { Ingest } from './ingest.ts'
import type { ItemResult } from './item-result.ts'
import type { EventLog } from './wal/event-log.ts'

type Needs = Pick<Platform, 'publicUrl'> & { ingest: Pick<Ingest, 'submit' | 'identify'> }

export const notForPublicKeys = new Problem('insufficient-scope', {
  detail: 'Send past events with a secret key from your server: anyone can read a public key.',
})

/** Past events that wait to be stored, in the log; then senders of them wait, and those of today do not. */
const importPendingBytesMax = 64 * 1024 * 1024

/** An import has no limit but this: it goes as fast as the store does. */
export function requireRoom({ pendingBytes }: Pick<EventLog, 'pendingBytes'>): void {
  if (pendingBytes < importPendingBytesMax) return
  throw new Problem('unavailable', {
    detail: 'The events of this import are being stored. Nothing of this request was taken; send it again.',
    headers: { 'retry-after': '1' },
  })
}

/** One event in, its verdict out. */
export async function answerOne(
  plane: Plane,
  { ingest, publicUrl }: Needs,
  { request, reply }: SentCall,
  delivery: Delivery,
): Promise<FastifyReply> {
  showAllowance(reply, chargeDelivery(plane, delivery, request))
  const { sender, items } = delivery
  const [result] = (await ingest.submit(items, sender, false)).results
  if (result === undefined) throw new Error('one item in gave no result')
  if (result.outcome === 'reject') throw trackRefusal(result)
  return sendJson(reply, trackText(result, publicUrl()))
}

type SentCall = { request: FastifyRequest; reply: FastifyReply }

/** One result per item, in input order. */
export async function answerBatch(
  plane: Plane,
  deps: Needs,
  { request, reply }: SentCall,
  delivery: Delivery,
  { isImport }: { isImport: boolean },
): Promise<FastifyReply> {
  if (!isImport) showAllowance(reply, chargeDelivery(plane, delivery, request))
  const { sender, items } = delivery
  const { results, refused } = await deps.ingest.submit(items, sender, isStrict(request.headers.prefer))
  if (refused) throw strictRefusal(boundIssues(results, request.bodyCharacters))
  const bounded = boundIssues(results, request.bodyCharacters)
  return sendJson(reply, batchText(request.id, bounded, `${deps.publicUrl()}/problems`))
}

/** An identify or alias call; returns its verdict and its effect on people. */
export async function answerBound(
  plane: Plane,
  { ingest }: Needs,
  { request, reply }: SentCall,
  delivery: Delivery,
): Promise<Bound> {
  showAllowance(reply, chargeDelivery(plane, delivery, request))
  const { sender, items } = delivery
  const [item] = items
  if (item === undefined) throw new Error('one call in gave no item')
  const isAlias = item.alias !== undefined
  const [result] = isAlias
    ? (await ingest.submit(items, sender, false)).results
    : [await ingest.identify(item, sender)]
  if (result === undefined) throw new Error('one item in gave no result')
  if (result.refusal !== undefined) throw isAlias ? result.refusal : withEvent(result.refusal, result)
  if (result.outcome === 'reject' || result.bound === undefined) throw trackRefusal(result)
  const { eventId, outcome, duplicate, issues, bound } = result
  return { ...bound, event_id: eventId, outcome, duplicate, issues: [...issues] }
}

/** The answer says that the event is stored although the person is not identified. */
function withEvent({ slug, options }: Problem, { eventId, outcome }: ItemResult): Problem {
  return new Problem(slug, { ...options, members: { ...options.members, event_id: eventId, outcome } })
}

/**
 * A batch may contain events of several sites; each site is charged for its own, and an alias counts like an
 * event.
 */
export function chargeDelivery(
  plane: Plane,
  { sender: { keyClass }, items }: Delivery,
  { ip }: Pick<FastifyRequest, 'ip'>,
): Allowance {
  const sender = { keyClass, address: ip }
  const [first] = items
  const isOfOneSite = first !== undefined && items.every(({ site }) => site === first.site)
  if (isOfOneSite) return plane.limits.chargeEvents(sender, [[first.site.id, items.length]])
  const counts = new Map<string, number>()
  for (const { site } of items) counts.set(site.id, (counts.get(site.id) ?? 0) + 1)
  return plane.limits.chargeEvents(sender, [...counts])
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text)
}

/** RFC 7240: preferences are separated by commas. */
function isStrict(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false
  const preferences = [prefer].flat().flatMap((line) => line.split(','))
  return preferences.some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference))
}
