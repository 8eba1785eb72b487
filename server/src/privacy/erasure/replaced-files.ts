import { setTimeout as wait } from 'node:timers/promises'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { isStored, type PersonalDataPlace } from '../../store/people/personal-data.ts'
import {
  keepReplacedParts,
  type ReplacedPart,
  removeReplacedParts,
  rewriteControlFiles,
  selectReplacedParts,
} from './replaced-files-store.ts'

/** A part that a read still uses goes when the read is over, which is stopped after a minute. */
const partsMsMax = 60_000
const partsAgainMs = 250
/** An idle replica looks for what may go every five minutes (`max_cleanup_delay_period`). */
const replicasMsMax = 400_000
const replicasAgainMs = 2_000

/**
 * What was deleted lies on disk until parts and pages are written again and the old ones are gone. Parts that are
 * replaced from now on were made without the person, so only those of before are waited for.
 */
export async function clearFiles(
  { control, events }: { control: Control; events: Events },
  places: readonly PersonalDataPlace[],
): Promise<void> {
  await (events.cluster === null ? clearParts(events) : clearReplicas(events))
  const tables = places.filter(isStored).flatMap(({ covers }) => covers.control ?? [])
  await rewriteControlFiles(control, tables)
}

async function clearParts(events: Events): Promise<void> {
  const until = performance.now() + partsMsMax
  let left = await selectReplacedParts(events)
  while (left.length > 0) {
    for (const table of new Set(left.map((part) => part.table))) await removeReplacedParts(events, table)
    left = await leftOf(events, left)
    if (left.length > 0 && performance.now() > until) throw new Error('replaced parts are still in use')
    if (left.length > 0) await wait(partsAgainMs)
  }
}

/** Replicas remove them in the background: there is no statement for it. */
async function clearReplicas(events: Events): Promise<void> {
  const until = performance.now() + replicasMsMax
  let left = await selectReplacedParts(events)
  const tables = [...new Set(left.map((part) => part.table))]
  try {
    for (const table of tables) await keepReplacedParts(events, table, false)
    while (left.length > 0) {
      if (performance.now() > until) throw new Error('a replica has not removed its replaced parts yet')
      await wait(replicasAgainMs)
      left = await leftOf(events, left)
    }
  } finally {
    for (const table of tables) await keepReplacedParts(events, table, true)
  }
}

async function leftOf(events: Events, before: readonly ReplacedPart[]): Promise<ReplacedPart[]> {
  const now = await selectReplacedParts(events)
  return before.filter((part) => now.some((other) => isSame(part, other)))
}

function isSame(part: ReplacedPart, other: ReplacedPart): boolean {
  return part.host === other.host && part.table === other.table && part.name === other.name
}
