import type { Sql } from '../../../store/control.ts'
import { claimPartitions, type HeldPartition, releasePartition, renewPartitions } from '../partition-store.ts'

/** A loader that was paused must not write after another node took its partition over. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

type LeaseOptions = {
  sql: Sql
  /** Unique to this process. */
  holder: string
  leaseMs: number
}

/** The partitions that this process may load, each until the time to which Postgres promised it. */
export class Leases {
  readonly #options: LeaseOptions
  // bounded: by the partitions of the log.
  readonly #held = new Map<number, HeldPartition & { untilMs: number }>()

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** Those whose time is not over. */
  list(): HeldPartition[] {
    for (const [partition, { untilMs }] of this.#held) {
      if (untilMs <= performance.now()) this.#held.delete(partition)
    }
    return [...this.#held.values()]
  }

  has({ partition, fence }: Pick<HeldPartition, 'partition' | 'fence'>): boolean {
    const held = this.#held.get(partition)
    return held?.fence === fence && held.untilMs > performance.now()
  }

  require(held: HeldPartition): void {
    if (!this.has(held)) throw new LeaseLost(`partition ${held.partition} belongs to another node`)
  }

  /** How far it is loaded now. */
  advance({ partition, fence }: HeldPartition, loadedSeq: number): void {
    const known = this.#held.get(partition)
    if (known?.fence === fence) Object.assign(known, { loadedSeq, begun: null })
  }

  /** Another node has it. */
  drop({ partition, fence }: HeldPartition): void {
    if (this.#held.get(partition)?.fence === fence) this.#held.delete(partition)
  }

  async renew(): Promise<void> {
    const { sql, holder, leaseMs } = this.#options
    const held = this.list()
    if (held.length === 0) return
    // Before the request: the promise of Postgres begins later than this.
    const untilMs = performance.now() + leaseMs
    const ours = await renewPartitions(sql, holder, held, leaseMs)
    for (const { partition, fence } of held) {
      const known = this.#held.get(partition)
      if (known?.fence !== fence) continue
      if (ours.has(partition)) known.untilMs = untilMs
      else this.#held.delete(partition)
    }
  }

  /** Takes partitions that are free, or gives some away, until it holds its share. */
  async balance(share: number, isBusy: (partition: number) => boolean): Promise<void> {
    const { sql, holder, leaseMs } = this.#options
    const held = this.list()
    const surplus = held
      .filter(({ partition }) => !isBusy(partition))
      .slice(0, Math.max(0, held.length - share))
    for (const one of surplus) await this.#release(one)
    if (held.length >= share) return
    const untilMs = performance.now() + leaseMs
    for (const one of await claimPartitions(sql, holder, leaseMs, share - held.length)) {
      this.#held.set(one.partition, { ...one, untilMs })
    }
  }

  async releaseAll(): Promise<void> {
    for (const one of this.list()) await this.#release(one)
  }

  async #release(one: HeldPartition): Promise<void> {
    this.#held.delete(one.partition)
    await releasePartition(this.#options.sql, one)
  }
}
