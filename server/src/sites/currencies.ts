import { currencyCodes } from '@assay/contract'
import { RecentMap } from '../platform/recent-map.ts'
import type { Control } from '../store/control.ts'
import { updateFirstCurrency } from './store.ts'

/** The currency of the first amount that a site brought. */
export type FirstAmount = { siteId: string; currency: string }

export type SiteCurrencies = {
  /** Whether any of these sites may still lack a currency. */
  isWanted: (siteIds: readonly string[]) => boolean
  /** Gives a site that has no currency that of its first amount; all others keep theirs. */
  take: (amounts: readonly FirstAmount[]) => Promise<void>
  /** Called when a site got its currency. */
  onTaken: (listener: (siteId: string) => Promise<void>) => void
}

/** Sites that are known to have a currency, so that they are not asked for again. */
const knownMax = 10_000

export function createSiteCurrencies(control: Control): SiteCurrencies {
  const known = new RecentMap<true>(knownMax)
  const listeners: ((siteId: string) => Promise<void>)[] = []
  return {
    isWanted: (siteIds) => siteIds.some((siteId) => known.get(siteId) === undefined),
    async take(amounts) {
      for (const { siteId, currency } of amounts) {
        if (known.get(siteId) || !currencyCodes.has(currency)) continue
        const isTaken = await updateFirstCurrency(control, siteId, currency)
        if (isTaken) for (const tell of listeners) await tell(siteId)
        known.set(siteId, true)
      }
    },
    onTaken: (listener) => {
      listeners.push(listener)
    },
  }
}
