import type { ItemFailure } from '../platform/items.ts'
import type { HealthContext } from './scope.ts'
import { watchQuarantine } from './watch/quarantine-share.ts'
import { createWatch, type Watch } from './watch/watch.ts'

export type Health = {
  context: HealthContext
  watch: Watch
  /** Finds events of which so many are quarantined that a notice is due. */
  watchQuarantine: (onFailure: ItemFailure) => Promise<void>
}

export function createHealth(context: HealthContext): Health {
  return {
    context,
    watch: createWatch(context),
    watchQuarantine: (onFailure) => watchQuarantine(context, onFailure),
  }
}
