import type { Device, Session } from './device.ts'
import type { World } from './world.ts'

/** Half an hour without a sign ends a visit, as everywhere in analytics; the server uses the same figure. */
const idleMsMax = 30 * 60_000
/** How stale the noted time may be: it saves a write to disk for nearly every event. */
const noteMs = 5_000

/** What is undefined is left out of the JSON. */
export type Ids = Partial<Record<'anonymous_id' | 'user_id' | 'session_id', string | undefined>>

export type Visitor = {
  /** Who and in which session, for an event of now. A passive one neither begins a session nor prolongs it. */
  ids: (isPassive: boolean) => Ids
  /** Notes one more page of the session. */
  countPage: () => void
  identify: (userId: string) => void
  reset: () => void
}

export type SessionChange = { ended: Session | undefined; begun: Session }

export function createVisitor(
  { now, newId }: World,
  device: Device,
  onSession: (change: SessionChange) => void,
): Visitor {
  function session(isPassive: boolean): Session {
    const kept = device.read()
    const last = kept.s
    const at = now()
    if (last && (isPassive || at - last[2] < idleMsMax)) {
      if (!isPassive && at - last[2] > noteMs) device.write({ ...kept, s: [last[0], last[1], at, last[3]] })
      return last
    }
    const begun: Session = [newId(), at, at, 0]
    device.write({ ...kept, a: kept.a ?? newId(), s: begun })
    onSession({ ended: last, begun })
    return begun
  }

  return {
    ids(isPassive) {
      const [sessionId] = session(isPassive)
      const { a, u } = device.read()
      return { anonymous_id: a, user_id: u, session_id: sessionId }
    },
    countPage() {
      const [id, beganAt, , pages] = session(false)
      device.write({ ...device.read(), s: [id, beganAt, now(), pages + 1] })
    },
    identify: (userId) => device.write({ ...device.read(), u: userId }),
    // The consent was given by whoever sits here; the next person is asked, or was covered by the default.
    reset: () => device.write({}),
  }
}
