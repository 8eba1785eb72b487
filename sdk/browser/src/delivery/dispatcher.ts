import type { Backlog } from './backlog.ts'
import { backOffMs } from './network.ts'
import { createSender, type Sender, type SenderSettings } from './sender.ts'

type Delivery = { sent: number; dropped: number }

/** Decides when to send. */
export type Dispatcher = {
  /** Sends after this time, if sending is allowed. */
  wake: (delayMs: number) => void
  /** Sends what can be sent now. Resolves when nothing is left or the server asks to wait. */
  flush: () => Promise<Delivery>
  /**
   * The page may be closed any moment: hands over to the browser what it accepts, and saves the rest on the
   * device.
   */
  leave: () => void
  /** While on hold, everything stays in memory. */
  hold: (isPaused: boolean) => void
}

export function createDispatcher(settings: SenderSettings, backlog: Backlog, flushMs: number): Dispatcher {
  const { losses } = settings
  const sender = createSender(settings)
  let isPaused = true
  /** Waiting after a failure, or without budget: nothing is sent, whatever happens on the page. */
  let isResting = false
  let failures = 0
  let sent = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let draining: Promise<void> | undefined

  function wake(delayMs: number, rests = false): void {
    if (isResting || (!rests && (isPaused || draining))) return
    isResting = rests
    clearTimeout(timer)
    timer = setTimeout(() => {
      isResting = false
      void flush()
    }, delayMs)
  }

  async function drain(): Promise<void> {
    // Nothing is tried while offline: the browser reports when it is online again (client.ts).
    while (!isPaused && backlog.items[0] && settings.isOnline()) {
      // Without budget this page stops; the next one continues with what was saved.
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
    if (!isResting && backlog.items[0]) {
      clearTimeout(timer)
      draining ??= drain()
        .catch(() => losses.add('sdk_error'))
        .finally(() => {
          draining = undefined
          backlog.onTheWay = []
          backlog.keep() // A page that crashes does not announce it.
          if (backlog.items[0] && settings.isOnline()) wake(flushMs)
        })
    }
    await draining
    return { sent: sent - before.sent, dropped: losses.total() - before.dropped }
  }

  return {
    wake,
    flush,
    leave() {
      if (isPaused) return
      if (!isResting && settings.isOnline()) sent += handOver(backlog, sender)
      backlog.keep()
      wake(flushMs) // In case the page stays after all.
    },
    hold(nextIsPaused) {
      isPaused = nextIsPaused
      if (backlog.items[0]) wake(0)
    },
  }
}

/** Sends waiting events as beacons, as far as budget and browser allow. Returns how many. */
function handOver(backlog: Backlog, sender: Sender): number {
  let taken = 0
  for (;;) {
    const batch = backlog.head()
    if (!batch[0] || !sender.sendLast(batch)) return taken
    backlog.drop(batch)
    taken += batch.length
  }
}
