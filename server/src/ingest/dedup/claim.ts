import type { IdHash } from '../row/row.ts'
import type { Judged } from '../validation.ts'

/** A first sighting, and for a purchase what is known of its order. */
export type FirstClaim = {
  kind: 'first'
  idHash: IdHash
  /** Set when this event is the first of its order. */
  orderHash: IdHash | null
  orderId: string
  duplicateOf: string
  /**
   * A public event may have the same id or order: which of them counts is decided when this one is loaded.
   */
  isContested: boolean
}
type RepeatClaim = { kind: 'repeat'; idHash: IdHash; outcomeRank: number }
export type Claim = FirstClaim | RepeatClaim

export type HashId = (workspaceId: string, kind: 'event' | 'order', id: string) => IdHash

/**
 * The sender of the claimed events. Orders reported by bots are not claimed, because bots are not counted. A
 * secret sender may claim what a public one claimed before: it is trusted more.
 */
export type Claimant = { workspaceId: string; isBot: boolean; isPublic: boolean }

/** The claims of one request: kept when its lines are on disk, undone otherwise. */
export type ClaimGroup = {
  claim: (judged: Judged, sender: Claimant) => Claim | Promise<Claim>
  /** For a quarantined event that now passes: it has its id already, its order is still to be claimed. */
  claimReleased: (judged: Judged, sender: Omit<Claimant, 'isBot'>) => Promise<FirstClaim>
  /** Resolves when the public claims that this request took over are on disk, or undone: they come first. */
  predecessors: () => Promise<void> | null
  finish: (appended: Promise<void>) => Promise<void>
  undo: () => void
  /**
   * Call only after `finish`, because two requests that wait for each other would wait forever. Resolves when
   * the first sightings of all repeats are durable, with the ids of those that were undone instead.
   */
  lostFirsts: () => Promise<readonly IdHash[]>
}

export function noOrder(idHash: IdHash, isContested = false): FirstClaim {
  return { kind: 'first', idHash, orderHash: null, orderId: '', duplicateOf: '', isContested }
}
