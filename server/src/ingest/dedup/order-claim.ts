import type { Events } from '../../store/events.ts'
import type { IdHash } from '../row/row.ts'
import type { Judged } from '../validation.ts'
import type { Claimant, FirstClaim, HashId } from './claim.ts'
import { findId } from './id-store.ts'
import type { KnownOrder, RecentOrders } from './recent-orders.ts'
import { neverSeen, type SeenIds } from './seen-ids.ts'

/** The request that claims: it takes the order, and gives it back if it is undone. */
export type OrderTaker = { takeOrder: (hash: IdHash, mine: KnownOrder) => void }

type OrdersKnown = { seen: SeenIds; orders: RecentOrders; events: Events; hashId: HashId }

/** An order counts once per site, regardless of its events' ids; later ones refer to the first. */
export function claimOrder(
  { site, eventId }: Judged,
  { workspaceId, isPublic: isPublicSender }: Claimant,
  claim: FirstClaim,
  taker: OrderTaker,
  { seen, orders, events, hashId }: OrdersKnown,
): FirstClaim | Promise<FirstClaim> {
  const orderHash = hashId(workspaceId, 'order', `${site.id}\u0000${claim.orderId}`)
  const claimed = (isContested: boolean): FirstClaim => {
    taker.takeOrder(orderHash, { eventId, isPublic: isPublicSender })
    return { ...claim, orderHash, isContested: claim.isContested || isContested }
  }
  const against = (known: KnownOrder): FirstClaim =>
    known.isPublic && !isPublicSender ? claimed(true) : { ...claim, duplicateOf: known.eventId }
  if (seen.lookup(orderHash.hi, orderHash.lo) === neverSeen) return claimed(false)
  const recent = orders.get(orderHash)
  // A repaired dead letter is itself the first of its order.
  if (recent?.eventId === eventId && recent.isPublic === isPublicSender) return { ...claim, orderHash }
  if (recent !== undefined) return against(recent)
  return findId(events, orderHash, workspaceId, 1, claim.orderId).then((row) => {
    // Another request may have claimed the order while we waited.
    const meanwhile = orders.get(orderHash)
    if (meanwhile !== undefined) return against(meanwhile)
    if (row === null) return claimed(false)
    return against({ eventId: row.event_id, isPublic: Number(row.is_public) === 1 })
  })
}
