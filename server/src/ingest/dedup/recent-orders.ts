import { RecentMap } from '../../platform/recent-map.ts'
import type { IdHash } from '../row/row.ts'

export type KnownOrder = { eventId: string; isPublic: boolean }

/** From order to its first event; the oldest are dropped, since they are in the store by then. */
export class RecentOrders {
  readonly #events: RecentMap<KnownOrder>

  constructor(max: number) {
    this.#events = new RecentMap(max)
  }

  get({ hi, lo }: IdHash): KnownOrder | undefined {
    return this.#events.get(`${hi} ${lo}`)
  }

  set({ hi, lo }: IdHash, order: KnownOrder): void {
    this.#events.set(`${hi} ${lo}`, order)
  }

  restore({ hi, lo }: IdHash, before: KnownOrder | undefined): void {
    if (before === undefined) this.#events.delete(`${hi} ${lo}`)
    else this.#events.set(`${hi} ${lo}`, before)
  }
}
