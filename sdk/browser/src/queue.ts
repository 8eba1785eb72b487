import { type Backlog, createBacklog, eventsPath, type Item } from './backlog.ts'
import type { Device } from './device.ts'
import type { Loss, Losses } from './losses.ts'
import { type Post, post } from './transport.ts'
import type { World } from './world.ts'

export type Delivery = { sent: number; dropped: number }

export type Queue = {
  add: (item: Item, isFirst?: boolean) => void
  /** Sends what can be sent now. Resolves when nothing is left or the server has to be waited for. */
  flush: () => Promise<Delivery>
  /** The page may be gone any moment: hands over to the browser what it takes, and keeps the rest on the device. */
  leave: () => void
  /** While held, everything stays in memory. */
  hold: (isHeld: boolean) => void
  clear: () => void
  /** Takes over what earlier pages kept. Should another open page send it too, the server knows it by its ids. */
  adopt: () => void
}

export type QueueSettings = World & {
  host: string
  key: string
  flushMs: number
  /** JSON of what all events of a batch share. */
  context: () => string
  device: Device
  losses: Losses
  reportLoss: (loss: Loss) => void
}

/** So many together need not wait for more. */
const eagerItems = 20
const retryMsMin = 1_000
const retryMsMax = 60_000

export function createQueue(settings: QueueSettings): Queue {
  const { device, losses, flushMs } = settings
  const backlog = createBacklog(device, losses)
  let isHeld = true
  let failures = 0
  let sent = 0
  let onTheWay: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let draining: Promise<void> | undefined

  function wake(delayMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void queue.flush(), delayMs)
  }

  async function drain(): Promise<void> {
    while (!isHeld && backlog.items[0]) {
      const batch = backlog.head()
      onTheWay = batch
      const answer = await post(addressOf(settings, batch), textOf(settings, batch))
      onTheWay = []
      if (isTemporary(answer)) {
        failures += 1
        backlog.keep()
        return wake(answer.waitMs || backOffMs(failures, settings.newId()))
      }
      failures = 0
      sent += backlog.settle(batch, answer)
      tellLosses(settings, answer)
      if (!backlog.items[0]) device.saveQueue('')
    }
  }

  const queue: Queue = {
    add(item, isFirst = false) {
      backlog.add(item, isFirst, onTheWay.length)
      if (!isHeld && !draining && failures === 0) wake(backlog.items.length < eagerItems ? flushMs : 0)
    },
    async flush() {
      const before = { sent, dropped: losses.total() }
      clearTimeout(timer)
      draining ??= drain()
        .catch(() => losses.add('sdk_error'))
        .finally(() => {
          draining = undefined
        })
      await draining
      return { sent: sent - before.sent, dropped: losses.total() - before.dropped }
    },
    leave() {
      if (isHeld || !backlog.items[0]) return
      if (failures > 0 || !navigator.onLine) backlog.keep()
      else sent += handOver(settings, backlog, onTheWay)
    },
    hold(nextIsHeld) {
      isHeld = nextIsHeld
      if (!isHeld && backlog.items[0]) wake(0)
    },
    clear() {
      backlog.items = []
    },
    adopt() {
      for (const text of device.takeQueues()) for (const item of readItems(text, losses)) queue.add(item)
    },
  }
  return queue
}

function readItems(text: string, losses: Losses): Item[] {
  try {
    return JSON.parse(text)
  } catch {
    losses.add('storage_broken')
    return []
  }
}

/** No answer, too slow, too many calls, or a server in trouble: later may be better. */
function isTemporary({ status }: Post): boolean {
  return status === 0 || status === 408 || status === 429 || status > 499
}

/** Twice as long each time, and half of it by chance: the visitors of a site must not all return in one second. */
function backOffMs(failures: number, id: string): number {
  const chance = Number.parseInt(id.slice(0, 4), 16) / 0xffff
  return Math.min(retryMsMax, retryMsMin * 2 ** (failures - 1)) * (0.5 + chance / 2)
}

const addressOf = ({ host }: QueueSettings, [first]: readonly Item[]): string => host + (first?.path ?? '')

function textOf({ key, now, context }: QueueSettings, batch: readonly Item[]): string {
  const [first] = batch
  const opening = `{"write_key":${JSON.stringify(key)},"sent_at":${now()},`
  if (first?.path !== eventsPath) return opening + first?.body.slice(1)
  return `${opening}"context":${context()},"batch":[${batch.map((item) => item.body)}]}`
}

/** What could not be delivered before is told now that something can; what the server rejected it has counted. */
function tellLosses({ losses, reportLoss }: QueueSettings, { results }: Post): void {
  const rejected = results.filter(({ outcome }) => outcome === 'reject').length
  if (rejected > 0) losses.add('rejected', rejected)
  for (const loss of losses.take()) if (loss.reason !== 'rejected') reportLoss(loss)
}

/** Beacons for all that is not on the way already, as far as the browser takes them. Answers how many it took. */
function handOver(settings: QueueSettings, backlog: Backlog, onTheWay: readonly Item[]): number {
  let taken = 0
  backlog.items = backlog.items.filter((item) => !onTheWay.includes(item))
  while (backlog.items[0]) {
    const batch = backlog.head()
    if (!navigator.sendBeacon(addressOf(settings, batch), textOf(settings, batch))) break
    backlog.items = backlog.items.slice(batch.length)
    taken += batch.length
  }
  const isLeft = backlog.items[0]
  backlog.items = [...onTheWay, ...backlog.items]
  if (isLeft) backlog.keep()
  return taken
}
