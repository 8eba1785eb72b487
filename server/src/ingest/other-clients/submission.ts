import { ingestLimits, isRecord } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyPrincipal } from '../../http/access/principal.ts'
import { type Plane, showAllowance } from '../../http/serve.ts'
import { siteForKey } from '../../sites/named-site.ts'
import { type Verdicts, verdictsOf } from '../answers.ts'
import { type DecodeNeeds, readBatchDelivery } from '../decode.ts'
import { chargeDelivery, requireRoom } from '../handlers.ts'
import type { Ingest } from '../ingest.ts'
import type { ItemResult } from '../item-result.ts'
import type { EventLog } from '../wal/event-log.ts'

export type ClientNeeds = DecodeNeeds & {
  ingest: Pick<Ingest, 'submit'>
  log: Pick<EventLog, 'pendingBytes'>
}
type ClientCall = { body: unknown; caller: KeyPrincipal; request: FastifyRequest; reply: FastifyReply }

/** Judges and stores what another tool's client sent, as a batch of our own. */
export async function submitCalls(
  plane: Plane,
  deps: ClientNeeds,
  { body, caller, request, reply }: ClientCall,
  isHistorical = false,
): Promise<Verdicts> {
  const { batch: calls, sent_at } = translated(body)
  if (isHistorical) requireRoom(deps.log)
  const currency = await currencyOf(deps, caller, request)
  const results: ItemResult[] = []
  for (let start = 0; start < calls.length; start += ingestLimits.batchEventsMax) {
    const batch = calls.slice(start, start + ingestLimits.batchEventsMax)
    const delivery = await readBatchDelivery(
      deps,
      { batch: currency === null ? batch : batch.map((call) => inCurrency(call, currency)), sent_at },
      caller,
      request,
      isHistorical,
    )
    if (!isHistorical) showAllowance(reply, chargeDelivery(plane, delivery, request))
    results.push(...(await deps.ingest.submit(delivery.items, delivery.sender, false)).results)
  }
  return verdictsOf(results)
}

function translated(body: unknown): { batch: unknown[]; sent_at: unknown } {
  if (!isRecord(body) || !Array.isArray(body.batch)) throw new Error('the request was not translated')
  return { batch: body.batch, sent_at: body.sent_at }
}

/** Matomo's clients name no currency: that of the site is meant. */
async function currencyOf(
  { sites }: ClientNeeds,
  caller: KeyPrincipal,
  request: FastifyRequest,
): Promise<string | null> {
  if (request.routeOptions.config.declared?.client !== 'matomo') return null
  return (await siteForKey(sites, caller, undefined)).currency
}

function inCurrency(call: unknown, currency: string): unknown {
  if (!isRecord(call) || call.event !== '$purchase' || !isRecord(call.properties)) return call
  return { ...call, properties: { currency, ...call.properties } }
}
