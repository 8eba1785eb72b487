import type { Device } from '../device.ts'
import { createBacklog } from './backlog.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import type { Item } from './item.ts'
import type { SenderSettings } from './sender.ts'

/** Everything that waits to be sent, and its dispatcher. */
export type Queue = Dispatcher & {
  add: (item: Item, isFirst?: boolean) => void
  clear: () => void
  /**
   * Takes over what earlier pages saved. If another open page sends it too, the server detects the duplicate
   * ids.
   */
  adopt: () => void
}

export type QueueSettings = SenderSettings & { flushMs: number; device: Device }

/** From this many items on, sending starts immediately. */
const eagerItems = 20

export function createQueue(settings: QueueSettings): Queue {
  const { device, losses, flushMs } = settings
  const backlog = createBacklog(device, losses)
  const queue: Queue = {
    ...createDispatcher(settings, backlog, flushMs),
    add(item, isFirst = false) {
      backlog.add(item, isFirst)
      queue.wake(backlog.items.length < eagerItems ? flushMs : 0)
    },
    clear() {
      backlog.items = []
    },
    adopt() {
      for (const text of device.takeQueues()) {
        try {
          for (const item of JSON.parse(text)) queue.add(item)
        } catch {
          // Not ours, or truncated.
          losses.add('sdk_error')
        }
      }
    },
  }
  return queue
}
