import type { EventHealth } from '@assay/contract'
import { formatCount, formatDuration } from '../../format.ts'
import { Badge } from '../../kit/card.tsx'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'

export function HealthBadge({ status }: { status: EventHealth['status'] }) {
  const kinds = { healthy: 'accept', degraded: 'warn', failing: 'reject', silent: 'quarantine' }
  return <Badge kind={kinds[status]}>{watchText.eventHealth.statuses[status]}</Badge>
}

type Judged = Pick<EventHealth, 'status' | 'quarantine_rate' | 'reject_rate'>

/** Failing says little where one verdict is the whole reason. */
export function EventState({ of: { status, quarantine_rate, reject_rate } }: { of: Judged }) {
  if (quarantine_rate === 1) return <Badge kind="quarantine">{watchText.eventHealth.allQuarantined}</Badge>
  if (reject_rate === 1) return <Badge kind="reject">{watchText.eventHealth.allRejected}</Badge>
  return <HealthBadge status={status} />
}

export const expectedText = (expected: number | null) =>
  expected === null ? watchText.eventHealth.learning : formatCount(Math.round(expected))

/** A sender whose clock is ahead sends from the future, which is as good as at once. */
export const latencyText = (ms: number | null) =>
  ms === null ? text.nothing : formatDuration(Math.max(0, ms))
