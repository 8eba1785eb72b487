import type { Clock } from '../../platform/clock.ts'
import { minuteMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { type Site, selectSummedSites } from './read-store.ts'

/** A site is summed up for the first time a quarter of an hour after it was found large; a minute more is nothing. */
const freshMs = minuteMs

/** Which sites may have days that are summed up, so that a read of a small site asks for none. */
export type SummedSites = { has: (site: Site) => Promise<boolean> }

export function createSummedSites(events: Events, now: Clock): SummedSites {
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  return {
    async has(site) {
      if (now() - readMs >= freshMs || now() < readMs) {
        readMs = now()
        reading = readSites(events)
        // The reads that wait fail with it; the next one asks again.
        reading.catch(() => {
          readMs = Number.NEGATIVE_INFINITY
        })
      }
      return (await reading).has(keyOf(site))
    },
  }
}

const keyOf = ({ workspaceId, siteId }: Site) => `${workspaceId} ${siteId}`

async function readSites(events: Events): Promise<ReadonlySet<string>> {
  return new Set((await selectSummedSites(events)).map(keyOf))
}
