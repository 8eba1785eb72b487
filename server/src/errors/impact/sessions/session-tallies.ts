import { keptKey } from '../../../analytics/kept-rows/kept-filter.ts'
import type { ReadKept } from '../../../analytics/kept-rows/kept-rows.ts'
import { ownBytes } from '../../../analytics/sequences/sequences.ts'
import { isTooLarge } from '../../../analytics/tally/row-bounds.ts'
import type { Events } from '../../../store/events.ts'
import type { GroupMap } from '../../occurrence-store.ts'
import { selectSessionTally } from '../landmark-store.ts'
import type { ImpactScope } from '../session-store.ts'
import { selectOrderCells, selectPayments, selectValueLimits, type ValueLimits } from '../value-store.ts'
import { sessionTallyRead, type TalliedOrders } from './session-rows.ts'

export type TallyNeeds = { events: Events; readKept: ReadKept }

/** Payments of a year that are taken into memory, about 100 MB of them. */
const paymentsMax = 500_000

/**
 * From rows that are kept, or by the store; the groups may still be on their way. Limits between segments of customers
 * may be given; otherwise they are those of the payments of the year.
 */
export async function readSessionTally(
  needs: TallyNeeds,
  scope: ImpactScope,
  groups: GroupMap | Promise<GroupMap>,
  given: ValueLimits | null,
): Promise<TalliedOrders> {
  const kept = await keptTally(needs, scope, groups, given)
  if (kept !== null) return kept
  const map = await groups
  const { events } = needs
  const limits = given ?? (await selectValueLimits(events, scope))
  const [tallied, orders] = await Promise.all([
    selectSessionTally(events, scope, map, limits),
    selectOrderCells(events, scope, limits),
  ])
  return { tallied, orders }
}

async function keptTally(
  { events, readKept }: TallyNeeds,
  scope: ImpactScope,
  groups: GroupMap | Promise<GroupMap>,
  limits: ValueLimits | null,
): Promise<TalliedOrders | null> {
  const { filter, previousFromMs, previousToMs, fromMs, toMs, only } = scope
  if (keptKey(filter) === null) return null
  try {
    const [map, answer] = await Promise.all([groups, selectPayments(events, scope, paymentsMax)])
    const payments = ownBytes(answer)
    const options = { previousToMs, currentMs: fromMs, only, map, limits, payments }
    return await readKept(sessionTallyRead, filter, [{ fromMs: previousFromMs, toMs }], options)
  } catch (error) {
    if (isTooLarge(error)) return null
    throw error
  }
}
