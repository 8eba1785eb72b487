import { keptKey } from '../../analytics/kept-rows/kept-filter.ts'
import type { ReadKept } from '../../analytics/kept-rows/kept-rows.ts'
import { isTooLarge } from '../../analytics/tally/row-store.ts'
import type { Events } from '../../store/events.ts'
import type { GroupMap } from '../occurrence-store.ts'
import { selectSessionTally, type Tallied } from './landmark-store.ts'
import { sessionTallyRead } from './session-rows.ts'
import type { ImpactScope } from './session-store.ts'
import { selectRunningTotals, type ValueLimits } from './value-store.ts'

export type TallyNeeds = { events: Events; readKept: ReadKept }

/** Payments of a year that are taken into memory, 24 MB of them. */
const paymentsMax = 1_000_000

/** From rows that are kept, or by the store. */
export async function readSessionTally(
  needs: TallyNeeds,
  scope: ImpactScope,
  map: GroupMap,
  limits: ValueLimits,
): Promise<Tallied> {
  return (await keptTally(needs, scope, map, limits)) ?? selectSessionTally(needs.events, scope, map, limits)
}

async function keptTally(
  { events, readKept }: TallyNeeds,
  scope: ImpactScope,
  map: GroupMap,
  limits: ValueLimits,
): Promise<Tallied | null> {
  const { filter, previousFromMs, previousToMs, fromMs, toMs, only } = scope
  if (keptKey(filter) === null) return null
  try {
    const totals = new Uint8Array(await selectRunningTotals(events, scope, paymentsMax))
    const options = { previousToMs, currentMs: fromMs, only, map, limits, totals }
    return await readKept(sessionTallyRead, filter, [{ fromMs: previousFromMs, toMs }], options)
  } catch (error) {
    if (isTooLarge(error)) return null
    throw error
  }
}
