import { extend, type NewSessionId, sessionIdOf } from './session.ts'
import { makeCurrent, openSession, remember, sessionAt, sessionWithId, type Visitor } from './visitor.ts'
import { Visitors } from './visitors.ts'

type AssignedSession = { sessionId: string; isNew: boolean }
export type SessionRow = {
  siteId: string
  visitorKey: string
  sessionId: string
  firstTs: number
  lastTs: number
  /** The last known person in it. */
  personId?: string | undefined
}

export type Sessions = {
  /**
   * The session of an event at `tsMs`, by the time of the event and not of its arrival. A given id always
   * wins and becomes the visitor's current session. Otherwise the event joins the current session if it is
   * within its idle time, before or after; otherwise the nearest remembered one for which that is true;
   * otherwise it starts a session. `personId` is the person known on the device at that time.
   */
  assign(
    siteId: string,
    visitorKey: string,
    tsMs: number,
    givenSessionId?: string,
    personId?: string,
  ): AssignedSession
  /**
   * The session that a person had open at `tsMs` on the device where they were known last: it started before,
   * and its last event is not older than the idle time.
   */
  openOf(siteId: string, personId: string, tsMs: number): string | undefined
  /** Rebuilds the sessions from rows in any order. */
  restore(rows: readonly SessionRow[]): void
  /** Evicts the visitors of a deleted site. */
  forget(siteId: string): void
  /** Number of visitors. */
  readonly size: number
}

/** Enough for a UUID and two session ids; with longer ones fewer visitors fit. */
const usualCharacters = 160

type SessionsOptions = {
  idleMsMax: number
  visitorsMax: number
  /** Of all keys and session ids together. Usual ones have 60 per visitor. */
  charactersMax?: number
  /** Must be deterministic; by default `sessionIdOf`. */
  newSessionId?: NewSessionId
}

export function createSessions(options: SessionsOptions): Sessions {
  return new VisitorSessions(options)
}

class VisitorSessions implements Sessions {
  readonly #visitors: Visitors
  readonly #idleMsMax: number
  readonly #newSessionId: NewSessionId

  constructor({ idleMsMax, visitorsMax, charactersMax, newSessionId = sessionIdOf }: SessionsOptions) {
    this.#visitors = new Visitors({
      visitorsMax,
      charactersMax: charactersMax ?? visitorsMax * usualCharacters,
    })
    this.#idleMsMax = idleMsMax
    this.#newSessionId = newSessionId
  }

  get size(): number {
    return this.#visitors.size
  }

  assign(
    siteId: string,
    visitorKey: string,
    tsMs: number,
    givenSessionId?: string,
    personId?: string,
  ): AssignedSession {
    const known = this.#visitors.find(siteId, visitorKey)
    if (known !== undefined) this.#visitors.touch(known)
    const assigned =
      known === undefined
        ? this.#begin(siteId, visitorKey, tsMs, givenSessionId)
        : this.#assignTo(known, tsMs, givenSessionId)
    const visitor = known ?? this.#visitors.find(siteId, visitorKey)
    if (personId !== undefined && visitor !== undefined)
      this.#notePerson(visitor, assigned.sessionId, personId)
    return assigned
  }

  #begin(siteId: string, visitorKey: string, tsMs: number, givenSessionId?: string): AssignedSession {
    const id = givenSessionId ?? this.#newSessionId(siteId, visitorKey, tsMs)
    this.#visitors.add(siteId, visitorKey, { id, firstTs: tsMs, lastTs: tsMs })
    return { sessionId: id, isNew: true }
  }

  #assignTo(visitor: Visitor, tsMs: number, givenSessionId?: string): AssignedSession {
    if (givenSessionId !== undefined) return this.#join(visitor, givenSessionId, tsMs)
    const session = sessionAt(visitor, tsMs, this.#idleMsMax)
    if (session !== undefined) {
      extend(session, tsMs)
      return { sessionId: session.id, isNew: false }
    }
    const id = this.#newSessionId(visitor.siteId, visitor.key, tsMs)
    const begun = { id, firstTs: tsMs, lastTs: tsMs }
    // A session that starts before the current one is an old one that arrived late; the current one stays.
    if (tsMs < visitor.current.firstTs) remember(visitor, begun)
    else makeCurrent(visitor, begun)
    this.#visitors.weigh(visitor)
    return { sessionId: id, isNew: true }
  }

  #join(visitor: Visitor, id: string, tsMs: number): AssignedSession {
    const known = sessionWithId(visitor, id)
    if (known === undefined) makeCurrent(visitor, { id, firstTs: tsMs, lastTs: tsMs })
    else {
      extend(known, tsMs)
      if (known !== visitor.current) makeCurrent(visitor, known)
    }
    if (known === undefined) this.#visitors.weigh(visitor)
    return { sessionId: id, isNew: known === undefined }
  }

  #notePerson(visitor: Visitor, sessionId: string, personId: string): void {
    const session = sessionWithId(visitor, sessionId)
    if (session !== undefined) session.personId = personId
    this.#visitors.linkPerson(visitor, personId)
  }

  openOf(siteId: string, personId: string, tsMs: number): string | undefined {
    const visitor = this.#visitors.findPerson(siteId, personId)
    if (visitor === undefined) return undefined
    return openSession(visitor, personId, tsMs, this.#idleMsMax)?.id
  }

  restore(rows: readonly SessionRow[]): void {
    // In the order of their last event, so that the latest becomes current and the most idle visitors are
    // evicted first.
    for (const row of rows.toSorted((a, b) => a.lastTs - b.lastTs)) {
      const { siteId, visitorKey, sessionId, firstTs, lastTs, personId } = row
      // Twice, because a session that is in the store and continues in the log has two rows.
      this.assign(siteId, visitorKey, lastTs, sessionId, personId)
      this.assign(siteId, visitorKey, firstTs, sessionId)
    }
  }

  forget(siteId: string): void {
    this.#visitors.forgetSite(siteId)
  }
}
