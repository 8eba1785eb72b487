import type { Device } from './device.ts'
import type { Losses } from './losses.ts'
import type { Answer } from './network.ts'

/** One call to the server. Events travel together, everything else alone and in its place among them. */
export type Item = { path: string; body: string }

export const eventsPath = '/v1/batch'

/** A busy visit makes some hundred events; more than this unsent means that something is wrong for long. */
const itemsMax = 1_000
/** The server refuses larger events (contract, ingestLimits). */
const itemCharactersMax = 32 * 1024
/** Browsers let 64 KB be on the way when a page goes; the rest is the envelope. */
const batchCharactersMax = 56 * 1024
const batchEventsMax = 100
/** Of a batch that was too large for something on the way: four steps from 100 events to one. */
const smallerShare = 4
/** Of the 5 MB that a site may keep in local storage, most is the site's own. */
const keptCharactersMax = 512 * 1024

/** What is not delivered yet, oldest first, and bounded: what does not fit is counted as lost. */
export type Backlog = {
  items: Item[]
  /** Those of them that are being sent: they are neither dropped nor sent a second time. */
  onTheWay: readonly Item[]
  /** `isFirst` goes before all others. */
  add: (item: Item, isFirst: boolean) => void
  /** The next request: the first item that waits, and the events behind it that fit into the same one. */
  head: () => Item[]
  drop: (batch: readonly Item[]) => void
  /** Takes out what an answer settles. Answers how many were delivered; the others are lost, or still here. */
  settle: (batch: readonly Item[], answer: Answer) => number
  /** Keeps on the device what is still here, in case the page goes. */
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
      // The next page would send again what the device holds from an earlier leave.
      backlog.keep()
      if (status < 300) return settled.length
      losses.add(`http_${status}`, batch.length)
      return 0
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
  return backlog
}

/** No answer, too slow, too many calls, a server in trouble, a key that may be put right: later may be better. */
const isTemporary = (status: number): boolean => status > 499 || [0, 401, 403, 408, 429].includes(status)
