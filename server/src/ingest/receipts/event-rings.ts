import { recentEventsMax } from '@assay/contract'
import { charactersOf, type Noted } from './noted-event.ts'

/** Sites with recent events. */
const sitesMax = 500
/** For all sites together; about 64 MB. */
const charactersMax = 32_000_000

/** A ring: once it is full, each event takes the place of the oldest, which `first` is. */
export type Ring = { workspaceId: string; events: Noted[]; first: number; characters: number }

/** The latest events of each site, bounded in sites, events and characters. */
type EventRings = {
  /** The ring of a site that sends now; it is evicted after all others. */
  open: (workspaceId: string, siteId: string) => Ring
  add: (ring: Ring, noted: Noted) => void
  /** Oldest first. */
  read: (siteId: string) => Noted[]
  forget: (workspaceId: string) => void
  forgetAll: () => void
  /** What was received before. */
  forgetBefore: (ms: number) => void
}

export function createEventRings(): EventRings {
  // bounded: by sitesMax and charactersMax.
  const sites = new Map<string, Ring>()
  let characters = 0

  function drop(siteId: string): void {
    characters -= sites.get(siteId)?.characters ?? 0
    sites.delete(siteId)
  }

  return {
    open(workspaceId, siteId) {
      const known = sites.get(siteId) ?? { workspaceId, events: [], first: 0, characters: 0 }
      // Inserted again at the end, so that the first one is always the one that was silent for longest.
      sites.delete(siteId)
      sites.set(siteId, known)
      if (sites.size > sitesMax) drop(sites.keys().next().value ?? '')
      return known
    },
    add(ring, noted) {
      const gone = ring.events[ring.first]
      ring.events[ring.first] = noted
      ring.first = (ring.first + 1) % recentEventsMax
      const grown = charactersOf(noted) - (gone === undefined ? 0 : charactersOf(gone))
      ring.characters += grown
      characters += grown
      // The first is the one that was silent for longest.
      while (characters > charactersMax && sites.size > 1) drop(sites.keys().next().value ?? '')
    },
    read: (siteId) => inOrder(sites.get(siteId)),
    forget(workspaceId) {
      for (const [siteId, ring] of sites) if (ring.workspaceId === workspaceId) drop(siteId)
    },
    forgetAll() {
      sites.clear()
      characters = 0
    },
    forgetBefore(ms) {
      for (const [siteId, ring] of sites) {
        const events = inOrder(ring).filter(({ receivedMs }) => receivedMs >= ms)
        if (events.length === ring.events.length) continue
        const size = events.reduce((sum, one) => sum + charactersOf(one), 0)
        characters += size - ring.characters
        // Shorter than the ring now: the next event is added at its end.
        Object.assign(ring, { events, first: events.length, characters: size })
        if (events.length === 0) sites.delete(siteId)
      }
    },
  }
}

function inOrder(ring: Ring | undefined): Noted[] {
  if (ring === undefined) return []
  return [...ring.events.slice(ring.first), ...ring.events.slice(0, ring.first)]
}
