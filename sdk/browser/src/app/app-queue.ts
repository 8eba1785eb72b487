import { createBacklog, itemCharactersMax } from '../delivery/backlog.ts'
import { createDispatcher } from '../delivery/dispatcher.ts'
import type { Item } from '../delivery/item.ts'
import type { Queue, QueueSettings } from '../delivery/queue.ts'
import type { AppDevice } from './app-device.ts'
import { isEvent } from './segments.ts'

type AppQueueLimits = { eventsMax: number; charactersMax: number }

/** From this many items on, sending starts immediately. */
const eagerItems = 20

export type AppQueue = Queue & { length: () => number }

/**
 * The queue of an app: larger than that of a page, since an app may be offline for a week, and stored at once, since
 * an app is killed without notice. Beyond its bounds the oldest events are dropped, and counted.
 */
export function createAppQueue(
  settings: QueueSettings,
  device: AppDevice,
  { eventsMax, charactersMax }: AppQueueLimits,
): AppQueue {
  const { losses, flushMs } = settings
  const backlog = createBacklog(device, losses)
  let isSaving = false

  /** Calls of one moment are saved together. */
  function saveSoon(): void {
    if (isSaving) return
    isSaving = true
    void Promise.resolve().then(() => {
      isSaving = false
      device.saveQueue(backlog.items)
    })
  }

  function dropOldest(): boolean {
    const waiting = backlog.items.filter((item) => !backlog.onTheWay.includes(item))
    const oldest = waiting.find(isEvent) ?? waiting[0]
    if (!oldest) return false
    backlog.drop([oldest])
    losses.add('queue_full')
    return true
  }

  const charactersOf = (items: readonly Item[]): number =>
    items.reduce((sum, { body }) => sum + body.length, 0)

  function addBounded(item: Item, isFirst: boolean): void {
    if (item.body.length > itemCharactersMax) {
      losses.add('event_too_large')
      return
    }
    while (backlog.items.length >= eventsMax && dropOldest());
    let characters = charactersOf(backlog.items) + item.body.length
    while (characters > charactersMax && dropOldest())
      characters = charactersOf(backlog.items) + item.body.length
    if (isFirst) backlog.items.unshift(item)
    else backlog.items.push(item)
  }

  backlog.add = addBounded
  backlog.keep = saveSoon

  const dispatcher = createDispatcher(settings, backlog, flushMs)
  const queue: AppQueue = {
    ...dispatcher,
    add(item, isFirst = false) {
      backlog.add(item, isFirst)
      saveSoon()
      dispatcher.wake(backlog.items.length < eagerItems ? flushMs : 0)
    },
    clear() {
      backlog.items = []
    },
    adopt() {
      const left = device.takeItems()
      if (!left[0]) return
      backlog.items = [...left, ...backlog.items.filter((item) => !left.includes(item))]
      saveSoon()
      dispatcher.wake(0)
    },
    length: () => backlog.items.length,
  }
  return queue
}
