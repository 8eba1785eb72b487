import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresBounds } from './postgres-pool.ts'

type Hearer = { hear: (payload: string) => void; missed: () => void }

/** A connection that is gone is tried again at once, then ever more slowly, for as long as we run. */
const retryMsFirst = 100
const retryMsMax = 5_000
/** How often a connection on which nothing arrives is asked whether it still works. */
const checkMs = 10_000

/**
 * One connection that listens, and reconnects when it is lost. Notices sent meanwhile are lost, so every
 * listener is notified that it may have missed something and evicts everything.
 */
export class PostgresListener {
  readonly #url: string
  // bounded: by the channels, which the code names.
  readonly #hearers = new Map<string, Hearer[]>()
  readonly #closing = new AbortController()
  readonly #bounds: PostgresBounds
  #client: pg.Client | null = null

  constructor(url: string, bounds: PostgresBounds) {
    this.#url = url
    this.#bounds = bounds
  }

  async connect(connectMs = this.#bounds.connectMs): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: this.#bounds.connectMs,
    })
    client.on('notification', ({ channel, payload }) => {
      for (const { hear } of this.#hearers.get(channel) ?? []) hear(payload ?? '')
    })
    // Without a listener a lost connection would end the process; what follows is in 'end'.
    client.on('error', () => {})
    client.once('end', () => void this.#comeBack(client))
    await client.connect()
    for (const channel of this.#hearers.keys())
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
    this.#client = client
    this.#check(client)
  }

  async listen(channel: string, hearer: Hearer): Promise<void> {
    const others = this.#hearers.get(channel) ?? []
    this.#hearers.set(channel, [...others, hearer])
    const client = this.#client
    if (others.length === 0 && client !== null)
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#client?.end()
  }

  /** A network that lets nothing through would keep notices away without a word. */
  #check(client: pg.Client): void {
    const timer = setInterval(() => {
      // Ended while a statement is under way, a connection is cut at once.
      client.query('SELECT 1').catch(() => void client.end().catch(() => {}))
    }, checkMs)
    timer.unref()
    client.once('end', () => clearInterval(timer))
  }

  async #comeBack(lost: pg.Client): Promise<void> {
    // A first connection that fails is reported to its caller instead.
    if (this.#client !== lost) return
    this.#client = null
    for (
      let delayMs = retryMsFirst;
      !this.#closing.signal.aborted;
      delayMs = Math.min(delayMs * 2, retryMsMax)
    ) {
      try {
        await this.connect()
        for (const { missed } of [...this.#hearers.values()].flat()) missed()
        return
      } catch {
        await wait(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {})
      }
    }
  }
}
