import type { Contract } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { eventText } from '../../text/events.ts'

export function StatusBadge({ status }: { status: Contract['status'] }) {
  const kinds = { draft: 'quarantine', published: 'accept', deprecated: 'warn', archived: '' }
  return <Badge kind={kinds[status]}>{eventText.registry.statuses[status]}</Badge>
}
