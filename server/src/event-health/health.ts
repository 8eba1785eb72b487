import type { ItemFailure } from '../platform/items.ts'
import type { HealthRoom } from './scope.ts'
import { watchQuarantine } from './watch/quarantine-share.ts'
import { createWatch, type Watch } from './watch/watch.ts'

export type Health = {
  room: HealthRoom
  watch: Watch
  /** Looks where so many arrivals are held that somebody wants to know. */
  watchQuarantine: (onFailure: ItemFailure) => Promise<void>
}

export function createHealth(room: HealthRoom): Health {
  return { room, watch: createWatch(room), watchQuarantine: (onFailure) => watchQuarantine(room, onFailure) }
}
