import type { Backlog } from './backlog.ts'
import { backOffMs } from './network.ts'
import { createSender, type Sender, type SenderSettings } from './sender.ts'

export type Delivery = { sent: number; dropped: number }

/** Decides when something is sent, and when not. */
export type Dispatcher = {
  /** Sends after this time, unless nothing may be sent. */
  wake: (delayMs: number) => void
  /** Sends what can be sent now. Resolves when nothing is left or the server has to be waited for. */
  flush: () => Promise<Delivery>
  /** The page may be gone any moment: hands over to the browser what it takes, and keeps the rest on the device. */
  leave: () => void
  /** While held, everything stays in memory. */
  hold: (isHeld: boolean) => void
}

export function createDispatcher(settings: SenderSettings, backlog: Backlog, flushMs: number): Dispatcher {
  const { losses } = settings
  const sender = createSender(settings)
  let isHeld = true
  /** A failure is being waited out, or there is no request left: nothing is sent, whatever happens on the page. */
  let isResting = false
  let failures = 0
  let sent = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let draining: Promise<void> | undefined

  function wake(delayMs: number, rests = false): void {
    if (isResting || (!rests && (isHeld || draining))) return
    isResting = rests
    clearTimeout(timer)
    timer = setTimeout(() => {
      isResting = false
      void flush()
    }, delayMs)
  }

  async function drain(): Promise<void> {
    // Without a network nothing is tried: the browser says when it is back (client.ts).
    while (!isHeld && backlog.items[0] && settings.isOnline()) {
      // Without a request left this page is done; the next one goes on with what is kept.
      isResting = !settings.budget.take()
      if (isResting) return
      const batch = backlog.head()
      backlog.onTheWay = batch
      const answer = await sender.send(batch)
      const delivered = backlog.settle(batch, answer)
      sent += delivered
      failures = delivered < batch.length ? failures + 1 : 0
      if (failures > 0) return wake(Math.max(answer.waitMs, backOffMs(failures, settings.newId())), true)
      sender.settle(batch)
    }
  }

  async function flush(): Promise<Delivery> {
    const before = { sent, dropped: losses.total() }
    if (!isResting) {
      clearTimeout(timer)
      draining ??= drain()
        .catch(() => losses.add('sdk_error'))
        .finally(() => {
          draining = undefined
          backlog.onTheWay = []
          backlog.keep() // A page that crashes does not say that it goes.
        })
    }
    await draining
    return { sent: sent - before.sent, dropped: losses.total() - before.dropped }
  }

  return {
    wake,
    flush,
    leave() {
      if (isHeld) return
      if (!isResting && settings.isOnline()) sent += handOver(backlog, sender)
      backlog.keep()
      // Should the page stay after all.
      wake(flushMs)
    },
    hold(nextIsHeld) {
      isHeld = nextIsHeld
      if (backlog.items[0]) wake(0)
    },
  }
}

/** Beacons for what waits, as far as budget and browser take them. Answers how many events they took. */
function handOver(backlog: Backlog, sender: Sender): number {
  let taken = 0
  for (;;) {
    const batch = backlog.head()
    if (!batch[0] || !sender.sendLast(batch)) return taken
    backlog.drop(batch)
    taken += batch.length
  }
}
