import { isRecord, type RawEvent } from '@assay/contract'

/** What is kept of a stored event that allows to judge it again. */
export type StoredColumns = {
  event_id: string
  site_id: string
  ms: string
  sent_name: string
  person_id: string
  user_id: string
  anonymous_id: string
  properties: string
  set_aside: string
  context: string
}

/** Values that were converted stay converted; what was set aside is put back. */
export function keptProperties(
  row: Pick<StoredColumns, 'properties' | 'set_aside'>,
): Record<string, unknown> {
  return { ...readObject(row.properties), ...topLevel(readObject(row.set_aside)) }
}

/** The event as it was sent, as far as it is known. It passed when it came, so its age no longer matters. */
export function toRawEvent(
  row: StoredColumns,
  properties: Record<string, unknown>,
  sessionId: string | undefined,
): RawEvent {
  return {
    name: row.sent_name,
    standardName: undefined,
    eventId: row.event_id,
    anonymousId: row.anonymous_id || undefined,
    isAnonymousIdDerived: false,
    userId: row.user_id || undefined,
    personId: row.person_id || undefined,
    sessionId,
    siteId: row.site_id,
    tsClient: Number(row.ms),
    sentAt: undefined,
    properties,
    context: readObject(row.context),
    traits: undefined,
    page: { url: undefined, path: undefined, title: undefined, referrer: undefined },
    contractVersion: undefined,
    isHistorical: true,
    envelopeBytes: 0,
    sizeBytes: undefined,
    findings: [],
  }
}

function readObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  return isRecord(value) ? value : {}
}

/** A value set aside deeper down is left out: its place in a list may have been filled by the next. */
function topLevel(setAside: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(setAside).filter(([path]) => !/[.[]/.test(path)))
}
