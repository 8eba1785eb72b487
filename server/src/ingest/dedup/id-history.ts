import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { isPublic, isQuarantined, mayBeSecret, payloadOf } from './id-payload.ts'
import { selectIdDays, selectIdsOfDay } from './id-store.ts'
import type { PendingClaims } from './pending-ids.ts'
import type { RecentOrders } from './recent-orders.ts'
import type { SeenIds } from './seen-ids.ts'

/** Decisions §3: an id counts once for at least 30 days. */
export const keptDays = 30
/** Two words, the kind, and the outcome with the sender's class, as `selectIdsOfDay` returns them. */
const bytesPerId = 10

/** Acknowledged events that are not in the store yet are repeats when they are sent again. */
export function claimPending(
  { ids, orders: brought }: PendingClaims,
  seen: SeenIds,
  orders: RecentOrders,
  day: number,
) {
  const isOutranked = (hi: number, lo: number, payload: number) =>
    isPublic(payload) && mayBeSecret(seen.lookup(hi, lo))
  for (const [index, hi] of ids.hi.entries()) {
    const [lo, payload] = [ids.lo[index] ?? 0, ids.payload[index] ?? 0]
    if (!isOutranked(hi, lo, payload)) seen.add(hi, lo, payload, day)
  }
  for (const { orderHash, ...order } of brought.values()) {
    const payload = payloadOf(0, order.isPublic)
    if (isOutranked(orderHash.hi, orderHash.lo, payload)) continue
    seen.add(orderHash.hi, orderHash.lo, payload, day)
    orders.set(orderHash, order)
  }
}

/** Day by day, oldest first, so that the latest ids are known exactly. */
export async function rebuild(
  seen: SeenIds,
  events: Events,
  nowMs: number,
  workspaceId: string | null = null,
): Promise<void> {
  const today = Math.floor(nowMs / dayMs)
  for (const day of await selectIdDays(events, (today - keptDays) * dayMs, workspaceId)) {
    const bytes = await selectIdsOfDay(events, day * dayMs, (day + 1) * dayMs, workspaceId)
    loadDay(seen, bytes, day)
  }
}

/**
 * An id may have several rows: quarantined and released, of a public and of a secret sender. Higher ranks
 * come later, and an id of a secret sender never becomes a public one again, whenever it was released.
 */
function loadDay(seen: SeenIds, bytes: Buffer, day: number): void {
  const count = bytes.length / bytesPerId
  const hi = new Uint32Array(count)
  const lo = new Uint32Array(count)
  const payload = new Uint8Array(count)
  for (const isPublicTurn of [true, false]) {
    let filled = 0
    for (const isQuarantineTurn of [true, false]) {
      for (let at = 0; at < count * bytesPerId; at += bytesPerId) {
        const own = bytes.readUInt8(at + 9)
        if (isPublic(own) !== isPublicTurn || isQuarantined(own) !== isQuarantineTurn) continue
        const [ownHi, ownLo] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
        if (isPublicTurn && mayBeSecret(seen.lookup(ownHi, ownLo))) continue
        hi[filled] = ownHi
        lo[filled] = ownLo
        payload[filled] = own
        filled += 1
      }
    }
    seen.load(hi.subarray(0, filled), lo.subarray(0, filled), payload.subarray(0, filled), day)
  }
}
