import type { Device } from './device.ts'
import type { Loss, Losses } from './losses.ts'
import type { Post } from './transport.ts'

/** One call to the server. Events travel together, everything else alone and in its place among them. */
export type Item = {
  path: string
  body: string
  /** The loss that this event reports, so that it can be counted again should the report itself get lost. */
  loss?: Loss
}

export const eventsPath = '/v1/batch'

/** A busy visit makes some hundred events; more than this unsent means that something is wrong for long. */
const itemsMax = 1_000
/** The server refuses larger events (contract, ingestLimits). */
const itemCharactersMax = 32 * 1024
/** Browsers let 64 KB be on the way when a page goes; the rest is the envelope. */
const batchCharactersMax = 56 * 1024
const batchEventsMax = 100
/** Of the 5 MB that a site may keep in local storage, most is the site's own. */
const keptCharactersMax = 512 * 1024

/** What is not delivered yet, oldest first, and bounded: what does not fit is counted as lost. */
export type Backlog = {
  items: Item[]
  /** `isFirst` goes before all others; the first `onTheWay` items are being sent and are not dropped. */
  add: (item: Item, isFirst: boolean, onTheWay: number) => void
  /** The next call: the first item, and the events behind it that fit into the same one. */
  head: () => Item[]
  /** Takes out what an answer settles. Answers how many were delivered. */
  settle: (batch: readonly Item[], answer: Post) => number
  /** Keeps on the device what is still here, in case the page goes. */
  keep: () => void
}

export function createBacklog(device: Device, losses: Losses): Backlog {
  let eventsMax = batchEventsMax

  const backlog: Backlog = {
    items: [],
    add(item, isFirst, onTheWay) {
      const { items } = backlog
      if (item.body.length > itemCharactersMax) return lose([item], 'event_too_large')
      if (isFirst) items.unshift(item)
      else items.push(item)
      if (items.length > itemsMax) lose(items.splice(onTheWay, 1), 'queue_full')
    },
    head() {
      const batch: Item[] = []
      let characters = 0
      for (const item of backlog.items) {
        characters += item.body.length
        const fits = batch.length < eventsMax && characters < batchCharactersMax
        if (batch[0] && !(fits && item.path === eventsPath && batch[0].path === eventsPath)) break
        batch.push(item)
      }
      return batch
    },
    settle(batch, { status, results }) {
      if (status === 413 && batch[1]) {
        eventsMax = Math.ceil(batch.length / 2)
        return 0
      }
      const isTaken = status < 300
      const again = batch.filter((_, index) => isTaken && results[index]?.retryable)
      backlog.items = backlog.items.filter((item) => !batch.includes(item) || again.includes(item))
      if (!isTaken) lose(batch, `http_${status}`)
      return isTaken ? batch.length - again.length : 0
    },
    keep() {
      let characters = 0
      // From the newest until the space is used up: what is old is worth less.
      const fitting = [...backlog.items].reverse().filter((item) => {
        characters += item.body.length
        return characters < keptCharactersMax
      })
      device.saveQueue(fitting[0] ? JSON.stringify(fitting.reverse()) : '')
    },
  }

  function lose(items: readonly Item[], reason: string): void {
    for (const { loss } of items) losses.add(loss ? loss.reason : reason, loss?.count)
  }

  return backlog
}
