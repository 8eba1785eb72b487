import type { SessionReplay } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'

/** Two tabs are two recordings of one session; more than these are looked for in the list. */
const recordingsMax = 5

const showsMoment = ({ started_at, ended_at }: SessionReplay, at: string) =>
  Date.parse(started_at) <= Date.parse(at) && Date.parse(at) <= Date.parse(ended_at)

/** Leads to the recording of a session, at the moment that it is about, where there is one. */
export function WatchLink({ of, at }: { of: readonly SessionReplay[]; at: string }) {
  const way = useWay()
  const replay = of.find((one) => showsMoment(one, at)) ?? of[0]
  if (replay === undefined) return null
  return <Link href={way.to(`replays/${replay.id}`, { at })}>{watchText.replays.watch}</Link>
}

/** Of a session by its id: asked for when it is shown. */
export function WatchSession({ sessionId, at }: { sessionId: string; at: string }) {
  const mayRead = useMay('identity:read')
  const query = { session_id: sessionId, limit: recordingsMax }
  const replays = useRead('listReplays', { query }, { isOff: !mayRead || sessionId === '' })
  if (replays.data === undefined) return null
  if (replays.data.data.length === 0)
    return <span className="soft small">{watchText.replays.notRecorded}</span>
  return <WatchLink of={replays.data.data} at={at} />
}
