import type { ItemFailure } from '../items.ts'
import { watchQuarantine } from './quarantine-share.ts'
import type { HealthRoom } from './scope.ts'
import { createWatch, type Watch } from './watching.ts'

export type Health = {
  room: HealthRoom
  watch: Watch
  /** Looks where so many arrivals are held that somebody wants to know. */
  watchQuarantine: (onFailure: ItemFailure) => Promise<void>
}

export function createHealth(room: HealthRoom): Health {
  return { room, watch: createWatch(room), watchQuarantine: (onFailure) => watchQuarantine(room, onFailure) }
}
