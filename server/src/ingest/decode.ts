import {
  type CallType,
  type EnvelopeOptions,
  type EventReading,
  type FieldError,
  ingestLimits,
  isRecord,
  Problem,
  readIngest,
  readTrack,
  requireSmallContext,
  type TrackOptions,
  withoutAlias,
} from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import { type KeyPrincipal, keyClassOf } from '../http/access/principal.ts'
import type { Platform } from '../platform/platform.ts'
import { siteForKey, siteNamedBy } from '../sites/named-site.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'
import { aliasItem } from './alias-item.ts'
import type { PlaceLookup } from './enrich/country/place.ts'
import { type RequestFacts, readRequestFacts } from './enrich/request-facts.ts'
import { visitorId } from './enrich/visitor.ts'
import type { Ingest } from './ingest.ts'
import type { Item, Sender } from './validation.ts'

/** What is needed to find sender, source and site. */
export type DecodeNeeds = Pick<Platform, 'now'> & {
  sites: Sites
  ingest: Pick<Ingest, 'visitorSalts'>
  /** The place of an address, from local tables. */
  placeOf: PlaceLookup
  /** Whether a trusted proxy forwarded this request: then its headers for the place count. */
  isFromProxy: (request: FastifyRequest) => boolean
}

/** A decoded request before validation: its workspace and its events. */
export type Delivery = {
  sender: Sender
  items: Item[]
}

/** `/v1/track` and its aliases: the body is one event, of the type of the endpoint. */
export async function readTrackDelivery(
  deps: DecodeNeeds,
  body: unknown,
  caller: KeyPrincipal,
  request: FastifyRequest,
  type: CallType = 'track',
): Promise<Delivery> {
  const sender = keySender(deps, caller, 'track', request)
  const site = await siteForKey(deps.sites, caller, siteNamedBy(body))
  const items = [{ site, reading: read(body, optionsFor(deps, site, sender, request, { type })) }]
  return { sender, items }
}

/** `/v1/identify`: an identify event, regardless of the type in the body. */
export function readIdentifyDelivery(
  deps: DecodeNeeds,
  body: unknown,
  caller: KeyPrincipal,
  request: FastifyRequest,
): Promise<Delivery> {
  const call = isRecord(body) ? { ...body, type: 'identify' } : body
  return readTrackDelivery(deps, call, caller, request, 'identify')
}

/** `/v1/alias`: two ids of one person. */
export async function readAliasDelivery(
  deps: DecodeNeeds,
  body: unknown,
  caller: KeyPrincipal,
  request: FastifyRequest,
): Promise<Delivery> {
  const sender = keySender(deps, caller, 'track', request)
  const site = await siteForKey(deps.sites, caller, siteNamedBy(body))
  if (isRecord(body)) return { sender, items: [aliasItem(body, site, {})] }
  return { sender, items: [{ site, reading: withoutAlias(readTrack(body)) }] }
}

/** `/v1/batch` and `/v1/import`: the envelope has defaults for all events. */
export async function readBatchDelivery(
  deps: DecodeNeeds,
  body: unknown,
  caller: KeyPrincipal,
  request: FastifyRequest,
  isHistorical = false,
): Promise<Delivery> {
  const sender = keySender(deps, caller, 'batch', request)
  const { list, envelope } = readList(body, 'batch')
  const sentAt = envelope.sent_at ?? envelope.sentAt
  requireSmallContext(envelope.context)
  const shared: TrackOptions = { sentAt, context: envelope.context, isHistorical }
  const items: Item[] = []
  // Events of a batch nearly always belong to one site, which is looked up once.
  let last: { named: string | undefined; site: SiteRow; options: TrackOptions } | null = null
  for (const input of list) {
    const named = siteNamedBy(input) ?? siteNamedBy(envelope)
    if (last === null || last.named !== named) {
      const site = await siteForKey(deps.sites, caller, named)
      last = { named, site, options: optionsFor(deps, site, sender, request, shared) }
    }
    const { site, options } = last
    if (isRecord(input) && input.type === 'alias') items.push(aliasItem(input, site, shared))
    else items.push({ site, reading: read(input, options) })
  }
  return { sender, items }
}

/** `/api/ingest`: null when site and token do not belong together. */
export async function readSiteDelivery(
  deps: DecodeNeeds,
  body: unknown,
  request: FastifyRequest,
): Promise<Delivery | null> {
  if (!isRecord(body) || typeof body.siteId !== 'string' || typeof body.token !== 'string') return null
  const site = await deps.sites.byToken(body.siteId, body.token)
  if (site === null) return null
  const sender: Sender = {
    workspaceId: site.workspace_id,
    keyClass: 'public',
    keyId: site.id,
    endpoint: 'ingest',
    storesNothing: false,
    facts: factsOf(deps, request, 'public'),
  }
  const options = publicOptions(deps, site.id, request)
  const items = readList(body, 'events').list.map((input) => ({
    site,
    reading: withoutAlias(readIngest(input, options)),
  }))
  return { sender, items }
}

function keySender(
  deps: DecodeNeeds,
  caller: KeyPrincipal,
  endpoint: Sender['endpoint'],
  request: FastifyRequest,
): Sender {
  const keyClass = keyClassOf(caller)
  return {
    workspaceId: caller.workspaceId,
    keyClass,
    keyId: caller.keyId,
    endpoint,
    storesNothing: caller.keyKind === 'test',
    facts: factsOf(deps, request, keyClass),
  }
}

function factsOf(deps: DecodeNeeds, request: FastifyRequest, credential: Sender['keyClass']): RequestFacts {
  return readRequestFacts(request.headers, {
    credential,
    ip: request.ip,
    trustsPlaceHeaders: deps.isFromProxy(request),
    lookupPlace: deps.placeOf,
  })
}

function read(input: unknown, options: TrackOptions): EventReading {
  return withoutAlias(readTrack(input, options))
}

/** The same for all events of a request to one site. */
function optionsFor(
  deps: DecodeNeeds,
  site: SiteRow,
  sender: Sender,
  request: FastifyRequest,
  shared: TrackOptions,
): TrackOptions {
  const isPublic = sender.keyClass === 'public'
  return isPublic ? { ...shared, ...publicOptions(deps, site.id, request) } : shared
}

/** How events of a public key or a site token are read. */
function publicOptions(deps: DecodeNeeds, siteId: string, request: FastifyRequest): EnvelopeOptions {
  return { fallbackAnonymousId: () => cookielessId(deps, siteId, request), ignoresHistorical: true }
}

/** Visitors without storage are recognised by a hash that lasts a day. */
function cookielessId({ ingest, now }: DecodeNeeds, siteId: string, request: FastifyRequest): string {
  const { visitorSalts } = ingest
  const facts = {
    siteId,
    day: visitorSalts.dayOf(now()),
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
  }
  return visitorId(facts, visitorSalts.saltFor) ?? ''
}

function readList(
  body: unknown,
  member: 'batch' | 'events',
): { list: unknown[]; envelope: Record<string, unknown> } {
  if (!isRecord(body) || !Array.isArray(body[member])) {
    const errors: FieldError[] = [{ field: member, message: 'must be an array of events' }]
    throw new Problem('malformed-request', { detail: `Send the events as an array in "${member}".`, errors })
  }
  const list: unknown[] = body[member]
  const { batchEventsMax } = ingestLimits
  if (list.length > batchEventsMax) {
    throw new Problem('payload-too-large', {
      detail: `${list.length} events are over the limit of ${batchEventsMax} in one request. Send them in parts.`,
    })
  }
  return { list, envelope: body }
}
