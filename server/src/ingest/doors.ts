import {
  type FieldError,
  ingestLimits,
  isRecord,
  Problem,
  type Reading,
  readIngest,
  readTrack,
} from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Principal } from '../http/principal.ts'
import type { SiteRow } from '../sites/sites.ts'
import { readRequestFacts } from './enrich/request-facts.ts'
import { visitorId } from './enrich/visitor.ts'
import type { EventReading, Item, Sender } from './judging.ts'

/** Reads what comes in by the doors: whose it is, and which events it holds. Nothing is judged here. */
export type Doors = {
  keySender: (caller: Principal, door: Sender['door'], request: FastifyRequest) => Sender
  siteSender: (site: SiteRow, request: FastifyRequest) => Sender
  readItem: (
    input: unknown,
    caller: Principal,
    sender: Sender,
    request: FastifyRequest,
    batch: BatchFacts,
  ) => Promise<Item>
  readBatch: (body: unknown, caller: Principal, sender: Sender, request: FastifyRequest) => Promise<Item[]>
  siteOfToken: (body: unknown) => Promise<SiteRow | null>
  readSiteItems: (body: unknown, site: SiteRow, request: FastifyRequest) => Item[]
}

/** What the envelope of a batch says for events that do not say it themselves. */
export type BatchFacts = { sentAt?: unknown; context?: unknown; siteId?: string | undefined }

export function openDoors({ sites, ingest, now, countryOf, trustProxy }: Deps): Doors {
  const facts = (request: FastifyRequest, credential: Sender['keyClass']) =>
    readRequestFacts(request.headers, {
      credential,
      ip: request.ip,
      trustsCountryHeaders: trustProxy,
      lookupCountry: countryOf,
    })

  /** Visitors who keep nothing on their device are told apart by a hash that lasts a day. */
  const cookieless = (siteId: string, request: FastifyRequest) => () => {
    const userAgent = request.headers['user-agent'] ?? ''
    const day = ingest.visitorSalts.dayOf(now())
    return visitorId({ siteId, day, ip: request.ip, userAgent }, ingest.visitorSalts.saltFor) ?? ''
  }

  async function siteOf(caller: Principal, named: string | undefined): Promise<SiteRow> {
    if (caller.siteId !== null && named !== undefined && named !== caller.siteId) throw noSuchSite()
    const wanted = caller.siteId ?? named
    const site =
      wanted === undefined ? sites.first(caller.workspaceId) : sites.own(caller.workspaceId, wanted)
    const found = site instanceof Promise ? await site : site
    if (found === null) throw noSuchSite()
    return found
  }

  function read(
    input: unknown,
    site: SiteRow,
    sender: Sender,
    request: FastifyRequest,
    batch: BatchFacts,
  ): EventReading {
    return withoutAlias(
      readTrack(input, {
        ...(sender.keyClass === 'public' && { fallbackAnonymousId: cookieless(site.id, request) }),
        ...(batch.sentAt !== undefined && { sentAt: batch.sentAt }),
        ...(batch.context !== undefined && { context: batch.context }),
      }),
    )
  }

  const readItem: Doors['readItem'] = async (input, caller, sender, request, batch) => {
    const site = await siteOf(caller, siteNamedBy(input) ?? batch.siteId)
    return { site, reading: read(input, site, sender, request, batch) }
  }

  return {
    keySender: (caller, door, request) => {
      const keyClass = caller.keyKind === 'public' ? 'public' : 'secret'
      return {
        workspaceId: caller.workspaceId,
        keyClass,
        keyId: caller.keyId,
        door,
        storesNothing: caller.keyKind === 'test',
        facts: facts(request, keyClass),
      }
    },
    siteSender: (site, request) => ({
      workspaceId: site.workspace_id,
      keyClass: 'public',
      keyId: site.id,
      door: 'ingest',
      storesNothing: false,
      facts: facts(request, 'public'),
    }),
    readItem,
    async readBatch(body, caller, sender, request) {
      const { list, envelope } = readList(body, 'batch')
      const batch = {
        sentAt: envelope.sent_at ?? envelope.sentAt,
        context: envelope.context,
        siteId: siteNamedBy(envelope),
      }
      const items: Item[] = []
      // Events of a batch nearly always belong to one site, which is looked up once.
      let last: { named: string | undefined; site: SiteRow } | null = null
      for (const input of list) {
        const named = siteNamedBy(input) ?? batch.siteId
        if (last === null || last.named !== named) last = { named, site: await siteOf(caller, named) }
        items.push({ site: last.site, reading: read(input, last.site, sender, request, batch) })
      }
      return items
    },
    siteOfToken: async (body) => {
      if (!isRecord(body) || typeof body.siteId !== 'string' || typeof body.token !== 'string') return null
      return sites.byToken(body.siteId, body.token)
    },
    readSiteItems(body, site, request) {
      const options = { fallbackAnonymousId: cookieless(site.id, request) }
      return readList(body, 'events').list.map((input) => ({
        site,
        reading: withoutAlias(readIngest(input, options)),
      }))
    },
  }
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
  if (list.length > ingestLimits.batchEventsMax) {
    throw new Problem('payload-too-large', {
      detail: `${list.length} events are over the limit of ${ingestLimits.batchEventsMax} in one request. Send them in parts.`,
    })
  }
  return { list, envelope: body }
}

function siteNamedBy(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined
  const named = input.site_id ?? input.siteId
  return typeof named === 'string' ? named : undefined
}

function noSuchSite(): Problem {
  return new Problem('not-found', { detail: 'There is no such site, or this key is bound to another one.' })
}

/** An alias is a command to identity resolution, not an event. */
function withoutAlias(reading: Reading): EventReading {
  if (reading.kind !== 'alias') return reading
  const finding = { code: 'malformed_event', field: 'type', expected: 'an event', actual: 'alias' } as const
  return {
    kind: 'unreadable',
    findings: [{ ...finding, message: 'An alias is not an event. Send identify instead.' }],
  }
}
