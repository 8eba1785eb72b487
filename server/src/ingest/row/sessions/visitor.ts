import { distanceMs, type Session } from './session.ts'

/** A visitor is a link in the list from the least to the most recently active one. */
export type Visitor = {
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

/** A late event rarely belongs further back, and each session takes about 100 bytes per visitor. */
const sessionsPerVisitorMax = 4

export function sessionWithId({ current, others }: Visitor, id: string): Session | undefined {
  return current.id === id ? current : others?.find((session) => session.id === id)
}

/** The current session if the time is within its idle time, before or after; otherwise the nearest such one. */
export function sessionAt(visitor: Visitor, tsMs: number, idleMsMax: number): Session | undefined {
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

/** The session that the person has open here at this time; see `openOf` of the sessions. */
export function openSession(
  { current, others }: Visitor,
  personId: string,
  tsMs: number,
  idleMsMax: number,
): Session | undefined {
  const open = [current, ...(others ?? [])].filter(
    (session) =>
      session.personId === personId && tsMs >= session.firstTs && tsMs <= session.lastTs + idleMsMax,
  )
  // Of two that are equally near, the one that started last.
  return open.reduce<Session | undefined>(
    (best, one) => (best === undefined || one.firstTs > best.firstTs ? one : best),
    undefined,
  )
}

export function makeCurrent(visitor: Visitor, session: Session): void {
  const previous = visitor.current
  visitor.current = session
  if (visitor.others?.includes(session)) visitor.others = visitor.others.filter((other) => other !== session)
  remember(visitor, previous)
}

/** Appends a session to the earlier ones as the last used; the least recently used may be evicted. */
export function remember(visitor: Visitor, session: Session): void {
  const others = (visitor.others ?? []).filter((other) => other !== session)
  others.push(session)
  visitor.others = others.slice(1 - sessionsPerVisitorMax)
}
