import type { TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'

/**
 * Hands out generated events when their time comes. Traffic comes session by session, each later in its start
 * than the one before; so whatever is due has been read once a session that starts later has been.
 */
export class LiveQueue {
  private readonly events: Iterator<TrafficEvent>
  private waiting: TrafficEvent[] = []
  private session: string | undefined
  private newestStartMs = Number.NEGATIVE_INFINITY
  private hasEnded = false

  constructor(events: Iterator<TrafficEvent>) {
    this.events = events
  }

  /** Nothing is left, now or later. */
  get isOver(): boolean {
    return this.hasEnded && this.waiting.length === 0
  }

  /** Everything up to now that was not handed out before, oldest first. */
  due(nowMs: number): readonly TrafficEvent[] {
    while (!this.hasEnded && this.newestStartMs <= nowMs) this.read()
    const due = this.waiting.filter(({ tsMs }) => tsMs <= nowMs)
    this.waiting = this.waiting.filter(({ tsMs }) => tsMs > nowMs)
    return due.sort((a, b) => a.tsMs - b.tsMs)
  }

  private read(): void {
    const next = this.events.next()
    if (next.done === true) {
      this.hasEnded = true
      return
    }
    const { wire, tsMs } = next.value
    this.waiting.push(next.value)
    // Refunds and anonymous events have no session and say nothing about the order of sessions.
    if (wire.session_id === undefined || wire.session_id === this.session) return
    this.session = wire.session_id
    this.newestStartMs = tsMs
  }
}
