import type { Device } from '../device.ts'
import type { World } from '../world.ts'

/** Requests allowed without a 2xx in between, whatever the page does and the server answers. */
export const requestsMax = 5
/** Share of them reserved for events, because only their success refills the budget. */
export const requestsReserved = 2
/**
 * A page loaded after this long without a request gets one back, so that an outage does not silence a device
 * forever.
 */
export const restMs = 300_000

/** Shared by all requests of a page. Members keep their names when minified: the recorder is another file. */
export type Budget = {
  /** False: do not make this request. `reserve` requests are left for others. */
  take: (reserve?: number) => boolean
  /** Takes the answer's status: a 2xx refills the budget, a refused key ends all requests of this page. */
  note: (status: number) => void
}

/** Stored on the device where that is allowed, so that each new page does not start with a full budget. */
export function createBudget(device: Device, { now, advise }: Omit<World, 'newId'>): Budget {
  const { n = 0, t = 0 } = device.read()
  // A clock that was set back counts as a rest too; values written by other scripts are ignored.
  let spent = Math.max(0, n - Math.floor(Math.abs(now() - t) / restMs)) || 0
  let isStopped = false

  const spend = (next: number): void => {
    spent = next
    device.write({ ...device.read(), n: spent, t: now() })
  }

  return {
    take(reserve = 0) {
      if (isStopped || spent + reserve >= requestsMax) return false
      spend(spent + 1)
      return true
    },
    note(status) {
      if (status > 199 && status < 300) spend(0)
      if (isStopped || ![401, 403].includes(status)) return
      isStopped = true
      advise(`Assay stopped: key refused (${status})`)
    },
  }
}
