import type { Clock } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import type { ClaimGroup, HashId } from './claim.ts'
import { claimPending, rebuild } from './id-history.ts'
import type { PendingClaims } from './pending-ids.ts'
import { RecentOrders } from './recent-orders.ts'
import { RequestClaims } from './request-claims.ts'
import { createSeenIds, idHasher } from './seen-ids.ts'

export type Admission = {
  begin: () => ClaimGroup
  hashId: HashId
  /** Reads the ids of a workspace that did not come through the write path. */
  recall: (workspaceId: string) => Promise<void>
}

/** 4 M recent ids take about 60 MB, 20 M older ones about 46 MB. */
const recentMax = 4_000_000
const olderMax = 20_000_000
/** First sightings of orders that may not be in the store yet; an event id has 512 characters at most. */
const recentOrdersMax = 50_000

/** The dedup index: exact, and without a query for nearly every event. */
export async function createAdmission(
  events: Events,
  secret: string,
  now: Clock,
  pending: PendingClaims,
): Promise<Admission> {
  const hasher = await idHasher(
    Number.parseInt(secret.slice(0, 8), 16),
    Number.parseInt(secret.slice(8, 16), 16),
  )
  const seen = createSeenIds({ recentMax, olderMax })
  await rebuild(seen, events, now())
  const orders = new RecentOrders(recentOrdersMax)
  claimPending(pending, seen, orders, Math.floor(now() / dayMs))
  // bounded: by the requests that are being answered.
  const underWay = new Set<RequestClaims>()
  const today = { day: Math.floor(now() / dayMs) }

  const hashId: HashId = (workspaceId, kind, id) => {
    hasher.hash(workspaceId, kind === 'event' ? 'e' : 'o', id)
    return { hi: hasher.hi, lo: hasher.lo }
  }
  return {
    hashId,
    recall: (workspaceId) => rebuild(seen, events, now(), workspaceId),
    begin: () => new RequestClaims({ today, events, now, seen, orders, underWay, hashId }),
  }
}
