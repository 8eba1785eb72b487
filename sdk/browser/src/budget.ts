import type { Device } from './device.ts'
import type { World } from './world.ts'

/** How many requests may go out without a 2xx in between, whatever the page does and whatever the server answers. */
export const requestsMax = 5
/** Of them, what beacons, recordings and definitions leave to events: only those can bring the others back. */
export const requestsReserved = 2
/** A page that loads after so long without a request gets one of them back, or an outage would end a device forever. */
export const restMs = 300_000

/** One for all requests of a page. Its members keep their names: the recorder is another file. */
export type Budget = {
  /** False: this request must not be made. So many are left to others. */
  take: (reserve?: number) => boolean
  /** What the server answered: a 2xx allows all of them again, a refused key ends them for this page. */
  note: (status: number) => void
}

/** Kept on the device, where that is allowed, so that page after page is not one handful after the other. */
export function createBudget(device: Device, { now, advise }: World): Budget {
  const { n = 0, t = 0 } = device.read()
  // A clock that was put back counts as a rest too, and what somebody else wrote there as nothing.
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
      advise(`Assay stopped: the key was refused (${status}). Check data-key.`)
    },
  }
}
