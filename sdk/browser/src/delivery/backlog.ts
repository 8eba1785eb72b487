import type { Device } from '../device.ts'
import { eventsPath, type Item } from './item.ts'
import type { Losses } from './losses.ts'
import type { Answer } from './network.ts'

/** A busy visit makes some hundred events; more than this unsent means a long outage. */
const itemsMax = 1_000
/** The server refuses larger events (contract, ingestLimits). */
export const itemCharactersMax = 32 * 1024
/** Browsers allow 64 KB in flight when a page is closed; the rest is the envelope. */
const batchCharactersMax = 56 * 1024
const batchEventsMax = 100
/** Factor by which a batch shrinks after 413: four steps from 100 events to one. */
const smallerShare = 4
/** Most of the 5 MB of local storage belongs to the site itself. */
const keptCharactersMax = 512 * 1024

/** Undelivered items, oldest first, and bounded: what does not fit is counted as lost. */
export type Backlog = {
  items: Item[]
  /** Items in flight: they are neither dropped nor sent a second time. */
  onTheWay: readonly Item[]
  /** `isFirst` puts it in front of all others. */
  add: (item: Item, isFirst: boolean) => void
  /** The next request: the first waiting item, and the events after it that fit into the same request. */
  head: () => Item[]
  drop: (batch: readonly Item[]) => void
  /**
   * Removes the items that an answer settles. Returns how many were delivered; the others are lost, or stay.
   */
  settle: (batch: readonly Item[], answer: Answer) => number
  /** Saves the remaining items on the device, in case the page is closed. */
  keep: () => void
}

export function createBacklog(device: Device, losses: Losses): Backlog {
  let eventsMax = batchEventsMax
  const waiting = (): Item[] => backlog.items.filter((item) => !backlog.onTheWay.includes(item))

  const backlog: Backlog = {
    items: [],
    onTheWay: [],
    add(item, isFirst) {
      if (item.body.length > itemCharactersMax) return losses.add('event_too_large')
      if (backlog.items.length >= itemsMax) {
        backlog.drop(waiting().slice(0, 1))
        losses.add('queue_full')
      }
      if (isFirst) backlog.items.unshift(item)
      else backlog.items.push(item)
    },
    head() {
      const batch: Item[] = []
      let characters = 0
      for (const item of waiting()) {
        characters += item.body.length
        const fits = batch.length < eventsMax && characters < batchCharactersMax
        if (batch[0] && !(fits && item.path === eventsPath && batch[0].path === eventsPath)) break
        batch.push(item)
      }
      return batch
    },
    drop(batch) {
      backlog.items = backlog.items.filter((item) => !batch.includes(item))
    },
    settle(batch, { status, results }) {
      if (isTemporary(status)) return 0
      if (status === 413 && batch[1]) {
        eventsMax = Math.ceil(batch.length / smallerShare)
        return 0
      }
      const settled = batch.filter((_, index) => {
        const { outcome, retryable } = results[index] ?? {}
        if (outcome === 'reject' && !retryable) losses.add('rejected')
        return !retryable
      })
      backlog.drop(settled)
      // Otherwise the next page would send again what the device saved at an earlier leave.
      backlog.keep()
      if (status < 300) return settled.length
      losses.add(`http_${status}`, batch.length)
      return 0
    },
    keep() {
      let characters = 0
      // Newest first until the space is used up: old events are worth less.
      const fitting = [...backlog.items].reverse().filter((item) => {
        characters += item.body.length
        return characters < keptCharactersMax
      })
      device.saveQueue(fitting.reverse())
    },
  }
  return backlog
}

/** No answer, time-out, rate limit, server error, or a key that may be corrected: a retry may succeed. */
const isTemporary = (status: number): boolean => status > 499 || [0, 401, 403, 408, 429].includes(status)
