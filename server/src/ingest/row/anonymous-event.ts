import { isRecord, type RawEvent, withoutIdentifiers } from '@assay/contract'
import type { Enriched } from '../enrich/enrich.ts'

/**
 * What may be stored of an event whose purpose its person denies, on a site that counts such events
 * anonymously: what happened, where and when, and nothing that identifies anyone. The empty id counts as an
 * id, so that the gate, which may see the event again, does not report it as missing.
 */
export function withoutPerson(event: RawEvent): RawEvent {
  return {
    ...event,
    anonymousId: '',
    isAnonymousIdDerived: true,
    userId: undefined,
    personId: undefined,
    sessionId: undefined,
    traits: undefined,
    properties: withoutIdentifiers(event.properties),
    context: pageOnly(event.context),
    page: {
      ...event.page,
      url: event.page.url === undefined ? undefined : withoutQuery(event.page.url),
      referrer: event.page.referrer === undefined ? undefined : withoutQuery(event.page.referrer),
    },
  }
}

/** Anonymised events have no person and no session. */
export const nowhere = { personId: '', resolvedBy: 'nobody', sessionId: '' } as const

/** A URL keeps its path, a place its country; the rest may be specific to one visitor. */
export function withoutVisitor(enriched: Enriched): Enriched {
  return {
    ...enriched,
    url: withoutQuery(enriched.url),
    referrer: withoutQuery(enriched.referrer),
    clickIdType: '',
    clickId: '',
    region: '',
    city: '',
  }
}

const addresses = ['url', 'referrer'] as const

function pageOnly(context: RawEvent['context']): RawEvent['context'] {
  if (!isRecord(context.page)) return {}
  const { path, title } = context.page
  const page: Record<string, unknown> = { path, title }
  for (const name of addresses) {
    const address = context.page[name]
    if (typeof address === 'string') page[name] = withoutQuery(address)
  }
  return { page }
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, '')
}
