import { hash } from 'node:crypto'

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
type NewSessionId = (siteId: string, visitorKey: string, firstTs: number) => string

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

/** A late event rarely belongs further back, and each session takes about 100 bytes per visitor. */
const sessionsPerVisitorMax = 4

/** Enough for a UUID and two session ids; with longer ones fewer visitors fit. */
const usualCharacters = 160

/** `personId` is the person last known in it. */
type Session = { id: string; firstTs: number; lastTs: number; personId?: string }

/** A visitor is a link in the list from the least to the most recently active one. */
type Visitor = {
  siteId: string
  key: string
  current: Session
  /** Earlier sessions, least recently used first; most visitors never have any. */
  others: Session[] | undefined
  /** The person last known on it. */
  personId: string | undefined
  /** Of its key and the ids of its sessions, which the sender may have chosen, and of its person. */
  characters: number
  older: Visitor | undefined
  newer: Visitor | undefined
}

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
  readonly #options: Required<SessionsOptions>
  // bounded: by visitorsMax and charactersMax of the options.
  /** By site and visitor: joining both to one key would cost more than the second map. */
  readonly #sites = new Map<string, Map<string, Visitor>>()
  // bounded: one for each visitor at most.
  /** By site and person: where they were known last. An entry is removed with its visitor. */
  readonly #people = new Map<string, Map<string, Visitor>>()
  #size = 0
  #characters = 0
  #oldest: Visitor | undefined
  #newest: Visitor | undefined

  constructor(options: SessionsOptions) {
    this.#options = {
      newSessionId: sessionIdOf,
      charactersMax: options.visitorsMax * usualCharacters,
      ...options,
    }
  }

  get size(): number {
    return this.#size
  }

  assign(
    siteId: string,
    visitorKey: string,
    tsMs: number,
    givenSessionId?: string,
    personId?: string,
  ): AssignedSession {
    const known = this.#sites.get(siteId)?.get(visitorKey)
    if (known !== undefined) this.#touch(known)
    const assigned =
      known === undefined
        ? this.#begin(siteId, visitorKey, tsMs, givenSessionId)
        : this.#assignTo(known, tsMs, givenSessionId)
    const visitor = known ?? this.#sites.get(siteId)?.get(visitorKey)
    if (personId !== undefined && visitor !== undefined)
      this.#notePerson(visitor, assigned.sessionId, personId)
    return assigned
  }

  #begin(siteId: string, visitorKey: string, tsMs: number, givenSessionId?: string): AssignedSession {
    const id = givenSessionId ?? this.#options.newSessionId(siteId, visitorKey, tsMs)
    this.#addVisitor(siteId, visitorKey, { id, firstTs: tsMs, lastTs: tsMs })
    return { sessionId: id, isNew: true }
  }

  #assignTo(visitor: Visitor, tsMs: number, givenSessionId?: string): AssignedSession {
    if (givenSessionId !== undefined) return this.#join(visitor, givenSessionId, tsMs)
    const session = this.#sessionAt(visitor, tsMs)
    if (session !== undefined) {
      extend(session, tsMs)
      return { sessionId: session.id, isNew: false }
    }
    const id = this.#options.newSessionId(visitor.siteId, visitor.key, tsMs)
    const begun = { id, firstTs: tsMs, lastTs: tsMs }
    // A session that starts before the current one is an old one that arrived late; the current one stays.
    if (tsMs < visitor.current.firstTs) remember(visitor, begun)
    else makeCurrent(visitor, begun)
    this.#weigh(visitor)
    return { sessionId: id, isNew: true }
  }

  openOf(siteId: string, personId: string, tsMs: number): string | undefined {
    const visitor = this.#people.get(siteId)?.get(personId)
    if (visitor === undefined) return undefined
    const { idleMsMax } = this.#options
    const open = [visitor.current, ...(visitor.others ?? [])].filter(
      (session) =>
        session.personId === personId && tsMs >= session.firstTs && tsMs <= session.lastTs + idleMsMax,
    )
    // Of two that are equally near, the one that started last.
    return open.reduce<Session | undefined>(
      (best, one) => (best === undefined || one.firstTs > best.firstTs ? one : best),
      undefined,
    )?.id
  }

  #notePerson(visitor: Visitor, sessionId: string, personId: string): void {
    const { siteId, current, others } = visitor
    const session = current.id === sessionId ? current : others?.find(({ id }) => id === sessionId)
    if (session !== undefined) session.personId = personId
    if (visitor.personId !== personId) {
      this.#unlinkPerson(visitor)
      visitor.personId = personId
      this.#weigh(visitor)
    }
    const people = this.#people.get(siteId)
    if (people === undefined) this.#people.set(siteId, new Map([[personId, visitor]]))
    else people.set(personId, visitor)
  }

  #unlinkPerson(visitor: Visitor): void {
    const { siteId, personId } = visitor
    const people = this.#people.get(siteId)
    // They may have been known on another device since.
    if (personId === undefined || people?.get(personId) !== visitor) return
    people.delete(personId)
    if (people.size === 0) this.#people.delete(siteId)
  }

  #join(visitor: Visitor, id: string, tsMs: number): AssignedSession {
    const { current, others } = visitor
    const known = current.id === id ? current : others?.find((session) => session.id === id)
    if (known === undefined) makeCurrent(visitor, { id, firstTs: tsMs, lastTs: tsMs })
    else {
      extend(known, tsMs)
      if (known !== current) makeCurrent(visitor, known)
    }
    if (known === undefined) this.#weigh(visitor)
    return { sessionId: id, isNew: known === undefined }
  }

  #sessionAt(visitor: Visitor, tsMs: number): Session | undefined {
    const { idleMsMax } = this.#options
    if (distanceMs(visitor.current, tsMs) <= idleMsMax) return visitor.current
    if (visitor.others === undefined) return undefined
    let nearest: Session | undefined
    let nearestMs = idleMsMax
    for (const session of visitor.others) {
      const ms = distanceMs(session, tsMs)
      if (ms > nearestMs) continue
      nearest = session
      nearestMs = ms
    }
    if (nearest !== undefined) remember(visitor, nearest)
    return nearest
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
    for (const visitor of [...(this.#sites.get(siteId)?.values() ?? [])]) this.#evict(visitor)
  }

  #addVisitor(siteId: string, key: string, current: Session): void {
    if (this.#size >= this.#options.visitorsMax && this.#oldest !== undefined) this.#evict(this.#oldest)
    let visitors = this.#sites.get(siteId)
    if (visitors === undefined) {
      visitors = new Map()
      this.#sites.set(siteId, visitors)
    }
    const links = { older: undefined, newer: undefined }
    const visitor: Visitor = {
      siteId,
      key,
      current,
      others: undefined,
      personId: undefined,
      characters: 0,
      ...links,
    }
    visitors.set(key, visitor)
    this.#size += 1
    this.#append(visitor)
    this.#weigh(visitor)
  }

  /** Counts a visitor's size again, and evicts the most idle ones while the total exceeds the limit. */
  #weigh(visitor: Visitor): void {
    let characters = visitor.key.length + visitor.current.id.length + (visitor.personId?.length ?? 0)
    for (const { id } of visitor.others ?? []) characters += id.length
    this.#characters += characters - visitor.characters
    visitor.characters = characters
    while (this.#characters > this.#options.charactersMax && this.#oldest !== visitor) {
      if (this.#oldest === undefined) return
      this.#evict(this.#oldest)
    }
  }

  #evict(visitor: Visitor): void {
    this.#unlink(visitor)
    this.#unlinkPerson(visitor)
    const visitors = this.#sites.get(visitor.siteId)
    visitors?.delete(visitor.key)
    if (visitors?.size === 0) this.#sites.delete(visitor.siteId)
    this.#size -= 1
    this.#characters -= visitor.characters
  }

  #touch(visitor: Visitor): void {
    if (visitor === this.#newest) return
    this.#unlink(visitor)
    this.#append(visitor)
  }

  #append(visitor: Visitor): void {
    visitor.older = this.#newest
    visitor.newer = undefined
    if (this.#newest === undefined) this.#oldest = visitor
    else this.#newest.newer = visitor
    this.#newest = visitor
  }

  #unlink(visitor: Visitor): void {
    const { older, newer } = visitor
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
  }
}

/** Distance of the time from the session; 0 within it. */
function distanceMs(session: Session, tsMs: number): number {
  if (tsMs > session.lastTs) return tsMs - session.lastTs
  return tsMs < session.firstTs ? session.firstTs - tsMs : 0
}

function extend(session: Session, tsMs: number): void {
  if (tsMs > session.lastTs) session.lastTs = tsMs
  else if (tsMs < session.firstTs) session.firstTs = tsMs
}

function makeCurrent(visitor: Visitor, session: Session): void {
  const previous = visitor.current
  visitor.current = session
  if (visitor.others?.includes(session)) visitor.others = visitor.others.filter((other) => other !== session)
  remember(visitor, previous)
}

/** Appends a session to the earlier ones as the last used; the least recently used may be evicted. */
function remember(visitor: Visitor, session: Session): void {
  const others = (visitor.others ?? []).filter((other) => other !== session)
  others.push(session)
  visitor.others = others.slice(1 - sessionsPerVisitorMax)
}

const idBytes = Buffer.from('ses_0123456789abcdef')

/** Derived, so that replaying the same events gives the same sessions. 64 bits are enough within a site. */
export const sessionIdOf: NewSessionId = (siteId, visitorKey, firstTs) => {
  const digest = hash('sha256', `${siteId}\u0000${visitorKey}\u0000${firstTs}`, 'hex')
  // Through bytes, because a joined and sliced text would keep its parts in memory: 150 bytes more per
  // visitor.
  idBytes.write(digest, 4, 16, 'latin1')
  return idBytes.toString('latin1')
}
