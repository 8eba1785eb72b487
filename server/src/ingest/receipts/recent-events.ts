import {
  fewerIssues,
  issueCharacters,
  type Outcome,
  type RecentEvent,
  recentEventsMax,
} from '@assay/contract'
import type { ItemResult } from '../item-result.ts'
import type { Judged, Sender } from '../validation.ts'

/** The latest events, in memory: rejected events are stored nowhere else, and are not needed for long. */
export type RecentEvents = {
  note: (
    judged: readonly Judged[],
    results: readonly ItemResult[],
    sender: Sender,
    receivedMs: number,
  ) => void
  read: (siteId: string, after: string | undefined, outcome: Outcome | undefined) => RecentPage
  /** Evicts everything of a workspace. */
  forget: (workspaceId: string) => void
}
type RecentPage = { data: RecentEvent[]; cursor: string }

/** Sites with recent events; with all their events about 20 MB. */
const sitesMax = 500
/** For the live view: maximum size of the issues of each event. */
const issueCharactersMax = 2_000
/** For all sites together; about 64 MB. */
const charactersMax = 32_000_000
/** For an event without its issues. */
const eventCharacters = 600
/** Senders choose the length of names and ids; these are only displayed. */
const textLengthMax = 200

/** Serialised on request: most events are never requested. */
type Noted = {
  place: number
  result: ItemResult
  sentName: string
  tsMs: number
  receivedMs: number
  endpoint: string
}
/** A ring: once it is full, each event takes the place of the oldest, which `first` is. */
type OfSite = { workspaceId: string; events: Noted[]; first: number; characters: number }

/** `run` distinguishes the positions of this process from those of others. */
export function createRecentEvents(run: string): RecentEvents {
  // bounded: by sitesMax and charactersMax.
  const sites = new Map<string, OfSite>()
  let place = 0
  let characters = 0

  function drop(siteId: string): void {
    characters -= sites.get(siteId)?.characters ?? 0
    sites.delete(siteId)
  }

  function add(known: OfSite, noted: Noted): void {
    const gone = known.events[known.first]
    known.events[known.first] = noted
    known.first = (known.first + 1) % recentEventsMax
    const grown = charactersOf(noted) - (gone === undefined ? 0 : charactersOf(gone))
    known.characters += grown
    characters += grown
    // The first is the one that was silent for longest.
    while (characters > charactersMax && sites.size > 1) drop(sites.keys().next().value ?? '')
  }

  function siteOf(workspaceId: string, siteId: string): OfSite {
    const known = sites.get(siteId) ?? { workspaceId, events: [], first: 0, characters: 0 }
    // Inserted again at the end, so that the first one is always the one that was silent for longest.
    sites.delete(siteId)
    sites.set(siteId, known)
    if (sites.size > sitesMax) drop(sites.keys().next().value ?? '')
    return known
  }

  return {
    note(judged, results, { workspaceId, endpoint }, receivedMs) {
      // Only the last events of a large batch can still be there afterwards.
      const first = Math.max(0, judged.length - recentEventsMax)
      let last: { siteId: string; known: OfSite } | null = null
      for (let index = first; index < judged.length; index += 1) {
        const [one, result] = [judged[index], results[index]]
        // An alias is not an event.
        if (one === undefined || result === undefined || one.alias !== undefined) continue
        const { originalName: sentName, ts: tsMs } = one.verdict
        const issues = fewerIssues(result.issues, issueCharactersMax)
        const kept = issues === result.issues ? result : { ...result, issues }
        const siteId = one.site.id
        if (last === null || last.siteId !== siteId) last = { siteId, known: siteOf(workspaceId, siteId) }
        add(last.known, { place: ++place, result: kept, sentName, tsMs, receivedMs, endpoint })
      }
    },
    read(siteId, after, outcome) {
      const since = placeIn(after, run)
      const found = inOrder(sites.get(siteId)).filter(
        (one) => one.place > since && (outcome === undefined || one.result.outcome === outcome),
      )
      return { data: found.map((one) => toRecent(one, run)).reverse(), cursor: `${run}.${place}` }
    },
    forget(workspaceId) {
      for (const [siteId, one] of sites) if (one.workspaceId === workspaceId) drop(siteId)
    },
  }
}

function inOrder(known: OfSite | undefined): Noted[] {
  if (known === undefined) return []
  return [...known.events.slice(known.first), ...known.events.slice(0, known.first)]
}

function charactersOf({ result }: Noted): number {
  return eventCharacters + issueCharacters(result.issues)
}

/** A position from another node, or an earlier start, is ignored. */
function placeIn(after: string | undefined, run: string): number {
  const [known, place] = (after ?? '').split('.')
  return known === run && /^\d{1,15}$/.test(place ?? '') ? Number(place) : 0
}

/** The maximum of a date; events beyond it were refused for that reason. */
const dateMsMax = 8.64e15

function toRecent(noted: Noted, run: string): RecentEvent {
  const { place, result, sentName, tsMs, receivedMs, endpoint } = noted
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
  }
}
