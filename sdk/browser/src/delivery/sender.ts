import type { World } from '../world.ts'
import { type Budget, requestsReserved } from './budget.ts'
import { eventsPath, type Item } from './item.ts'
import type { Loss, Losses } from './losses.ts'
import type { Answer, Network } from './network.ts'

export type SenderSettings = World &
  Network & {
    host: string
    key: string
    /** JSON of what all events of a batch share. */
    context: () => string
    losses: Losses
    budget: Budget
    lossBody: (loss: Loss) => string
  }

/** Builds and sends requests. */
export type Sender = {
  send: (batch: readonly Item[]) => Promise<Answer>
  /** The whole batch has arrived, and with it its report of losses. */
  settle: (batch: readonly Item[]) => void
  /** By beacon, which outlives the page; false without budget, or if the browser refuses. */
  sendLast: (batch: readonly Item[]) => boolean
}

export function createSender(settings: SenderSettings): Sender {
  const { host, key, now, context, losses, budget, lossBody } = settings
  /**
   * Events that report losses. They keep their ids until they arrive, so the server counts each loss once.
   */
  let report: string[] = []

  /** A report is sent along with events, never as a request alone. */
  function make<Sent>(send: (url: string, body: string) => Sent, batch: readonly Item[]): Sent {
    const [first] = batch
    const events = [...batch.map((item) => item.body), ...report]
    const rest =
      first?.path === eventsPath ? `"context":${context()},"batch":[${events}]}` : first?.body.slice(1)
    return send(`${host}${first?.path}`, `{"write_key":${JSON.stringify(key)},"sent_at":${now()},${rest}`)
  }

  return {
    async send(batch) {
      if (!report[0]) report = losses.take().map(lossBody)
      const answer = await make(settings.post, batch)
      budget.note(answer.status)
      return answer
    },
    settle(batch) {
      if (batch[0]?.path === eventsPath) report = []
    },
    sendLast: (batch) => budget.take(requestsReserved) && make(settings.beacon, batch),
  }
}
