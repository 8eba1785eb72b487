import { fewerIssues, isRecord, issueCharacters, type RecentEvent, withoutIdentifiers } from '@assay/contract'
import { pathOf } from '../enrich/enrich.ts'
import type { ItemResult } from '../item-result.ts'
import type { Judged } from '../validation.ts'

/** One of the latest events. Serialised on request: most events are never requested. */
export type Noted = {
  place: number
  result: ItemResult
  sentName: string
  tsMs: number
  receivedMs: number
  endpoint: string
  /** Of its page, without query; empty for a rejected event. */
  path: string
  /** JSON, as it is stored; empty for a rejected event, of which nothing may be kept. */
  properties: string
  isTruncated: boolean
  /** An identify or group call: its properties describe a person. */
  hasTraits: boolean
}

/** For the live view: maximum size of the issues of each event. */
const issueCharactersMax = 2_000
/** And of its properties; those of nearly all events are shorter. */
const propertyCharactersMax = 4_000
/** Of larger events, so that one long text does not hide all others. */
const valueCharactersMax = 500
/** For an event without issues, path and properties. */
const eventCharacters = 600
/** Senders choose the length of names and ids; these are only displayed. */
const textLengthMax = 200

type Arrival = Pick<Noted, 'place' | 'receivedMs' | 'endpoint'>

export function noteOf(one: Judged, result: ItemResult, arrival: Arrival): Noted {
  const { event, verdict } = one
  const issues = fewerIssues(result.issues, issueCharactersMax)
  const isKept = verdict.outcome !== 'reject' && event !== null
  const isTruncated = isKept && one.properties.length > propertyCharactersMax
  return {
    ...arrival,
    result: issues === result.issues ? result : { ...result, issues },
    sentName: verdict.originalName,
    tsMs: verdict.ts,
    path: isKept ? pathOf({ context: event.context, properties: verdict.properties }) : '',
    properties: isTruncated ? truncated(verdict.properties) : isKept ? one.properties : '',
    isTruncated,
    hasTraits: event?.traits !== undefined,
  }
}

/** The first properties that fit. */
function truncated(properties: Readonly<Record<string, unknown>>): string {
  const kept: [string, unknown][] = []
  let characters = 0
  for (const [name, value] of Object.entries(properties)) {
    const written = JSON.stringify(value) ?? ''
    const isLong = written.length > valueCharactersMax
    characters += name.length + Math.min(written.length, valueCharactersMax)
    if (characters > propertyCharactersMax) break
    // Copied, so that the part does not keep the whole text in memory.
    const part = isLong ? `${Buffer.from(written.slice(0, valueCharactersMax)).toString()}…` : value
    kept.push([name, part])
  }
  return JSON.stringify(Object.fromEntries(kept))
}

export function charactersOf({ result, path, properties }: Noted): number {
  return eventCharacters + issueCharacters(result.issues) + path.length + properties.length
}

/** The maximum of a date; events beyond it were refused for that reason. */
const dateMsMax = 8.64e15

/** `seesPeople`: the caller may read who someone is. */
export function toRecent(noted: Noted, run: string, seesPeople: boolean): RecentEvent {
  const { place, result, sentName, tsMs, receivedMs, endpoint, path, isTruncated } = noted
  const isDate = Math.abs(tsMs) <= dateMsMax
  return {
    id: `${run}.${place}`,
    event_id: result.eventId.slice(0, textLengthMax),
    name: result.name.slice(0, textLengthMax),
    sent_name: sentName.slice(0, textLengthMax),
    outcome: result.outcome,
    duplicate: result.duplicate,
    issues: [...result.issues],
    ts: new Date(isDate ? tsMs : receivedMs).toISOString(),
    received_at: new Date(receivedMs).toISOString(),
    endpoint,
    path,
    properties: propertiesFor(noted, seesPeople),
    properties_truncated: isTruncated,
  }
}

function propertiesFor(
  { properties, hasTraits }: Noted,
  seesPeople: boolean,
): Readonly<Record<string, unknown>> | null {
  if (properties === '' || (hasTraits && !seesPeople)) return null
  const read: unknown = JSON.parse(properties)
  const known = isRecord(read) ? read : {}
  return seesPeople ? known : withoutIdentifiers(known)
}
