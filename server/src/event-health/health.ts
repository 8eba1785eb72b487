import type { ItemFailure } from '../platform/items.ts'
import type { HealthRoom } from './scope.ts'
import { watchQuarantine } from './watch/quarantine-share.ts'
import { createWatch, type Watch } from './watch/watch.ts'

export type Health = {
  room: HealthRoom
  watch: Watch
  /** Finds events of which so many are quarantined that a notice is due. */
  watchQuarantine: (onFailure: ItemFailure) => Promise<void>
}

export function createHealth(room: HealthRoom): Health {
  return { room, watch: createWatch(room), watchQuarantine: (onFailure) => watchQuarantine(room, onFailure) }
}
