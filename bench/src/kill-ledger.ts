/** What was sent to a product that is killed, what it acknowledged, and what it has to have stored of it. */

export type SentEvent = {
  readonly id: string
  readonly name: string
  /** Where it belongs: counted, or quarantined for its age. */
  readonly table: 'events' | 'quarantine'
  /** A text that only this event has: a row that holds it whole is not torn. */
  readonly note: string
}

/** A row of the events store, or of its quarantine. */
export type StoredEvent = {
  readonly event_id: string
  readonly table: string
  readonly name: string
  /** JSON that holds the note. */
  readonly content: string
}

export type Findings = {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  /** There more than once. */
  readonly doubled: readonly string[]
  /** There, with another name, place or content than was sent. */
  readonly torn: readonly string[]
  /** There, and never sent. */
  readonly unknown: readonly string[]
}

export class KillLedger {
  readonly #sent = new Map<string, SentEvent>()
  readonly #acknowledged = new Set<string>()

  get sentCount(): number {
    return this.#sent.size
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size
  }

  send(event: SentEvent): void {
    this.#sent.set(event.id, event)
  }

  acknowledge(id: string): void {
    if (!this.#sent.has(id)) throw new Error(`${id} was acknowledged and never sent`)
    this.#acknowledged.add(id)
  }

  /** What was sent and never acknowledged may be there once, or not at all. */
  compare(rows: readonly StoredEvent[]): Findings {
    const found = new Set<string>()
    const findings: Record<keyof Findings, string[]> = { lost: [], doubled: [], torn: [], unknown: [] }
    for (const row of rows) {
      const sent = this.#sent.get(row.event_id)
      if (found.has(row.event_id)) findings.doubled.push(row.event_id)
      found.add(row.event_id)
      if (sent === undefined) findings.unknown.push(row.event_id)
      else if (!isWhole(row, sent)) findings.torn.push(row.event_id)
    }
    for (const id of this.#acknowledged) if (!found.has(id)) findings.lost.push(id)
    return findings
  }
}

function isWhole(row: StoredEvent, sent: SentEvent): boolean {
  return row.name === sent.name && row.table === sent.table && row.content.includes(`"${sent.note}"`)
}

export const isSound = (findings: Findings): boolean =>
  Object.values(findings).every((ids) => ids.length === 0)
