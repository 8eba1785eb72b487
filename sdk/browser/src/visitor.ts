import type { Device, Session } from './device.ts'
import type { World } from './world.ts'

/**
 * A visit ends after half an hour without activity, as usual in analytics; the server uses the same value.
 */
const idleMsMax = 30 * 60_000
/** Maximum age of the stored time: saves a write for nearly every event. */
const noteMs = 5_000

/** Undefined members are omitted from the JSON. */
export type Ids = Partial<Record<'anonymous_id' | 'user_id' | 'session_id', string | undefined>>

export type Visitor = {
  /** Visitor and session for a current event. A passive one neither starts a session nor extends it. */
  ids: (isPassive: boolean) => Ids
  /** Counts a page of the session. */
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
    // The consent belongs to the previous person; the next one is asked, or covered by the default.
    reset: () => device.write({}),
  }
}
