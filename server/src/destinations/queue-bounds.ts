import type { Clock } from '../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import type { Logger } from '../platform/logging/logger.ts'
import { hourMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import {
  deleteOldest,
  giveUpOldest,
  giveUpOverdue,
  type QueuePart,
  selectBorder,
  selectQueues,
} from './dispatch-store.ts'

export type QueueBounds = {
  /** Deliveries of one destination that may wait; as many given-up and as many delivered ones are kept. */
  queueMax: number
  /** How long one may wait at most, also when it was never its turn. */
  queueHours: number
}

type Options = { control: Control; bounds: QueueBounds; now: Clock; logger: Logger }

/** One statement takes a moment; more rows at once would block all other work on an embedded store. */
const rowsAtOnce = 2_000
/** What waits too long stands at the head of its queue. */
const headRows = 2_000

/**
 * Keeps the queue of every destination within bounds, so that a receiver that takes nothing fills no disk: the oldest
 * that wait are given up, with the reason, and can be replayed while they are kept.
 */
export async function boundQueues(options: Options, onFailure: ItemFailure): Promise<void> {
  await forEachItem(await selectQueues(options.control), (id) => boundQueue(options, id), onFailure)
}

export async function boundQueue(
  { control, bounds, now, logger }: Options,
  destinationId: string,
): Promise<void> {
  const waitedTooLong = await giveUpLate(control, destinationId, bounds, now())
  const tooMany = await giveUpMany(control, destinationId, bounds)
  for (const part of ['dead', 'delivered'] as const) await forgetOldest(control, destinationId, part, bounds)
  if (waitedTooLong + tooMany === 0) return
  logger.warn(
    { destination: destinationId },
    `Destination ${destinationId} takes too little: ${tooMany} deliveries beyond the ${bounds.queueMax} that may ` +
      `wait and ${waitedTooLong} that waited for ${bounds.queueHours} hours were given up.`,
  )
}

async function giveUpLate(
  control: Control,
  destinationId: string,
  { queueHours }: QueueBounds,
  nowMs: number,
): Promise<number> {
  const queuedBefore = new Date(nowMs - queueHours * hourMs)
  const reason = `It waited for ${queueHours} hours.`
  let total = 0
  for (;;) {
    const given = await giveUpOverdue(control, destinationId, { queuedBefore, reason, headRows })
    total += given
    if (given < headRows) return total
  }
}

async function giveUpMany(
  control: Control,
  destinationId: string,
  { queueMax }: QueueBounds,
): Promise<number> {
  const border = await selectBorder(control, destinationId, 'pending', queueMax)
  if (border === null) return 0
  const reason = `The queue was full: more than ${queueMax} deliveries waited.`
  return inPortions((rows) => giveUpOldest(control, destinationId, border, { reason, rows }))
}

async function forgetOldest(
  control: Control,
  destinationId: string,
  part: QueuePart,
  { queueMax }: QueueBounds,
): Promise<void> {
  const border = await selectBorder(control, destinationId, part, queueMax)
  if (border === null) return
  await inPortions((rows) => deleteOldest(control, destinationId, part, border, rows))
}

async function inPortions(work: (rows: number) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const done = await work(rowsAtOnce)
    total += done
    if (done < rowsAtOnce) return total
  }
}
