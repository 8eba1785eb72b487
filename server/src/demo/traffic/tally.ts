import type { Outcome } from '@assay/contract'
import type { SiteKey } from './events/wire.ts'
import type { SiteModel } from './model.ts'

type FunnelTally = { readonly key: string; readonly entered: number[] }

type ErrorTally = { readonly key: string; affectedSessions: number; occurrences: number }

/**
 * Orders by the endpoints that reported them; `differing` are those whose two reports disagree on the amount.
 */
type OrderTally = { both: number; browserOnly: number; serverOnly: number; differing: number }

export type SiteTally = {
  readonly site: SiteKey
  sessions: number
  visitors: number
  pageviews: number
  events: number
  readonly funnels: readonly FunnelTally[]
  readonly errors: readonly ErrorTally[]
  readonly orders: OrderTally
  readonly revenue: Map<string, number>
  readonly refunds: Map<string, number>
}

/** What was generated so far. Bots are only in the totals, bad events only in `outcomes` and `codes`. */
export type Tally = {
  events: number
  botEvents: number
  sessions: number
  botSessions: number
  readonly outcomes: Record<Outcome, number>
  readonly codes: Map<string, number>
  readonly sites: Readonly<Partial<Record<SiteKey, SiteTally>>>
}

function makeSiteTally(site: SiteModel): SiteTally {
  return {
    site: site.key,
    sessions: 0,
    visitors: 0,
    pageviews: 0,
    events: 0,
    funnels: site.funnels.map((funnel) => ({ key: funnel.key, entered: funnel.steps.map(() => 0) })),
    errors: site.errors.map((error) => ({ key: error.key, affectedSessions: 0, occurrences: 0 })),
    orders: { both: 0, browserOnly: 0, serverOnly: 0, differing: 0 },
    revenue: new Map(),
    refunds: new Map(),
  }
}

export function makeTally(sites: readonly SiteModel[]): Tally {
  return {
    events: 0,
    botEvents: 0,
    sessions: 0,
    botSessions: 0,
    outcomes: { accept: 0, warn: 0, quarantine: 0, reject: 0 },
    codes: new Map(),
    sites: Object.fromEntries(sites.map((site) => [site.key, makeSiteTally(site)])),
  }
}

export function siteTally(tally: Tally, site: SiteKey): SiteTally {
  const found = tally.sites[site]
  if (found === undefined) throw new RangeError(`site ${site} is not part of this traffic`)
  return found
}

export function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}
