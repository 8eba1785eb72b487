import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** From an event that the policy counts as an outcome to what led to it. */
export function ExplainLink({ eventId, name }: { eventId: string; name: string }) {
  const way = useWay()
  const [mayReport, mayRead] = [useMay('attribution:read'), useMay('identity:read')]
  const isOff = !mayReport || !mayRead
  const policy = useRead('getAttributionPolicy', { query: {} }, { isOff })
  if (isOff || policy.data?.outcome_events.includes(name) !== true) return null
  return <Link href={way.to(`attribution/explain/${eventId}`)}>{text.explain.toIt}</Link>
}
