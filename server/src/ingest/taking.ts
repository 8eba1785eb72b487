import { boundIssues, Problem, readTrack } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Allowance } from '../http/limits.ts'
import type { KeyPrincipal } from '../http/principal.ts'
import { type Plane, showAllowance } from '../http/serve.ts'
import { aliasPerson } from '../identity/binding.ts'
import { readAlias } from '../identity/wire.ts'
import { batchText, strictRefusal, trackRefusal, trackText } from './answers.ts'
import type { Delivery } from './doors.ts'
import type { ItemResult } from './street.ts'

/** One event in, its verdict out. */
export async function answerOne(
  plane: Plane,
  { ingest, publicUrl }: Deps,
  { request, reply }: Pick<BatchCall, 'request' | 'reply'>,
  delivery: Delivery,
): Promise<FastifyReply> {
  showAllowance(reply, chargeDelivery(plane, delivery, request))
  const { sender, items } = delivery
  const [result] = (await ingest.submit(items, sender, false)).results
  if (result === undefined) throw new Error('one item in gave no result')
  if (result.outcome === 'reject') throw trackRefusal(result)
  return sendJson(reply, trackText(result, publicUrl()))
}

type BatchCall = { caller: KeyPrincipal; request: FastifyRequest; reply: FastifyReply }

/** One result an item, in input order. */
export async function answerBatch(
  plane: Plane,
  deps: Deps,
  { caller, request, reply }: BatchCall,
  delivery: Delivery,
): Promise<FastifyReply> {
  showAllowance(reply, chargeDelivery(plane, delivery, request))
  const { sender, items, aliases } = delivery
  const { results, refused } = await deps.ingest.submit(items, sender, isStrict(request.headers.prefer))
  if (refused) throw strictRefusal(boundIssues(results, request.bodyCharacters))
  // In their order, since one alias may build on another.
  const merged: ItemResult[] = [...results]
  for (const [index, { input }] of aliases) merged.splice(index, 0, await merge(deps, caller, input))
  const bounded = boundIssues(merged, request.bodyCharacters)
  return sendJson(reply, batchText(request.id, bounded, `${deps.publicUrl()}/problems`))
}

async function merge(
  { people, newId }: Deps,
  caller: KeyPrincipal,
  input: Readonly<Record<string, unknown>>,
): Promise<ItemResult> {
  const reading = readTrack(input, { type: 'alias' })
  const base = {
    eventId: (reading.kind === 'alias' ? reading.alias.eventId : undefined) ?? newId('evt'),
    name: '',
    duplicate: false,
    duplicateOf: '',
  }
  try {
    await aliasPerson(people, caller, readAlias(input))
    return { ...base, outcome: 'accept', issues: [] }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const [first] = error.options.errors ?? []
    const issue = {
      code: 'malformed_event',
      severity: 'reject',
      field: first?.field ?? 'type',
      message: error.options.detail,
      expected: 'two identities that may be one',
      actual: error.slug,
    } as const
    return { ...base, outcome: 'reject', issues: [issue] }
  }
}

/** A batch may hold events of several sites; each is charged for its own, and an alias as much as an event. */
export function chargeDelivery(
  plane: Plane,
  { sender: { keyClass }, items, aliases }: Delivery,
  { ip }: Pick<FastifyRequest, 'ip'>,
): Allowance {
  const sender = { keyClass, address: ip }
  const [first] = items
  const isOfOneSite = first !== undefined && items.every(({ site }) => site === first.site)
  if (isOfOneSite && aliases.size === 0)
    return plane.limits.chargeEvents(sender, [[first.site.id, items.length]])
  const counts = new Map<string, number>()
  for (const { site } of [...items, ...aliases.values()]) counts.set(site.id, (counts.get(site.id) ?? 0) + 1)
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
