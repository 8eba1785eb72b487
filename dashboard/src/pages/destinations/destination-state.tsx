import type { Destination } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { text } from '../../text.ts'

export function sendsText({ events, notices }: Pick<Destination, 'events' | 'notices'>): string {
  const words = text.destinations
  const names = events.includes('*') ? [words.every] : events
  const all = [...names, ...notices.map((type) => words.noticeTypes[type])]
  return all.join(', ') || words.nothing
}

export function StateOf({ destination }: { destination: Destination }) {
  const { status, pending, dead } = destination
  const words = text.destinations
  const kind = { active: 'accept', paused: 'warn', gone: 'reject' }[status]
  return (
    <span className="row">
      <Badge kind={kind}>{words.statuses[status]}</Badge>
      {pending > 0 && <Badge>{words.waiting(pending)}</Badge>}
      {dead > 0 && <Badge kind="reject">{words.dead(dead)}</Badge>}
    </span>
  )
}
